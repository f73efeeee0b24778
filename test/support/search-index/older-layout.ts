// Makes of a snapshot file one that an earlier release could have written: the resources are there, and nothing of today's index.

import { chmodSync, statSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { checksumOfFile } from '#search-index/verify.ts';
import type { Database } from '#store/database/connection.ts';
import { snapshotFolder } from '#store/snapshots/folder.ts';
import { findCurrentSnapshot, type SnapshotEntry } from '#store/snapshots/registry.ts';

/** What every layout has. */
const KEPT = ['property', 'dictionary', 'practitioner', 'organization', 'practitioner_role', 'gone'];

export function makeOlder(file: string): void {
  chmodSync(file, 0o600);
  const database = new BetterSqlite3(file);
  const tables: string[] = database
    .prepare<[], string>("select name from sqlite_schema where type = 'table'")
    .pluck()
    .all();
  for (const table of tables) if (!KEPT.includes(table)) database.exec(`drop table ${table}`);
  database.exec("update property set value = '4-0ff1ce00' where name = 'layout'; create table words (word text)");
  database.exec('vacuum');
  database.close();
  chmodSync(file, 0o400);
}

/** The current snapshot of a data folder, as an operator imported it with an earlier release. Nobody has its parts. */
export async function makeCurrentOlder(dataFolder: string, database: Database): Promise<SnapshotEntry> {
  const before = await findCurrentSnapshot(database);
  if (!before) throw new Error('nothing was imported');
  const file = join(snapshotFolder(dataFolder), before.file);
  makeOlder(file);
  await database('directory_snapshot_parts').delete();
  await database('directory_parts').delete();
  const own = { bytes: statSync(file).size, file_checksum: await checksumOfFile(file), seal: null };
  await database('directory_snapshots')
    .where({ id: before.id })
    .update({ ...own, sources_checksum: 'of other files' });
  return (await findCurrentSnapshot(database)) as SnapshotEntry;
}
