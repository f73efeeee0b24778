// Writes a snapshot anew from its own resources, upon itself, and compares the two files row by row: the index depends on the
// resources and their order of storage alone, so that a sound one has no other row.

import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { indexResource } from '#import/fhir/index-entries.ts';
import { resourceIssue } from '#import/fhir/validate.ts';
import { openSnapshot } from '#search-index/read/reader.ts';
import { RESOURCE_TYPES } from '#search-index/snapshot.ts';
import { createSnapshotWriter, type SnapshotWriterOptions } from '#search-index/write/writer.ts';

const ID = 'rebuilt';

/** Columns of each table by which its rows are known, and those that are compared; bodies depend on their dictionary. */
const TABLES = [
  { table: 'practitioner', key: ['ordinal'], values: ['id', 'version', 'updated'] },
  { table: 'organization', key: ['ordinal'], values: ['id', 'version', 'updated'] },
  { table: 'practitioner_role', key: ['ordinal'], values: ['id', 'version', 'updated'] },
  { table: 'field', key: ['number'], values: ['type', 'name', 'kind', 'bits'] },
  { table: 'segment', key: ['type', 'segment'], values: ['ordinals'] },
  { table: 'item_parent', key: ['field', 'segment'], values: ['parents'] },
  { table: 'term', key: ['field', 'key'], values: ['doc_freq', 'list', 'members'] },
  { table: 'posting', key: ['id'], values: ['members'] },
  { table: 'key_hash', key: ['id'], values: ['entries'] },
  { table: 'instant', key: ['field', 'segment'], values: ['times', 'ends', 'members'] },
  { table: 'reference_target', key: ['field', 'segment'], values: ['targets'] },
  { table: 'field_order', key: ['field', 'segment'], values: ['numbers', 'ordered'] },
  { table: 'position', key: ['field', 'segment'], values: ['latitudes', 'longitudes', 'members'] },
  { table: 'gone', key: ['type', 'id'], values: ['version', 'since'] },
] as const;

/** What is not as the resources give it; `limits`: those with which the snapshot was written. */
export async function unlikeRebuilt(path: string, limits: SnapshotWriterOptions['limits'] = {}): Promise<string[]> {
  const found: string[] = [];
  const snapshot = await openSnapshot(path);
  const created = (await snapshot.history()).at(-1)?.created ?? '';
  const folder = dirname(path);
  const writer = createSnapshotWriter({ folder, id: ID, created: new Date(created), previous: path, limits });
  for (const type of RESOURCE_TYPES) {
    for (const line of (await snapshot.scan(type, { from: 0, to: 2 ** 31 })).trim().split('\n').filter(Boolean)) {
      const { meta: _, ...resource } = JSON.parse(line);
      const issue = resourceIssue(resource);
      if (issue !== undefined) found.push(`${type}/${resource.id}: ${issue}`);
      await writer.add(indexResource(resource));
    }
  }
  await snapshot.close();
  const { file } = await writer.finish();
  const database = new BetterSqlite3(join(folder, file), { readonly: true });
  database.prepare('attach ? as snapshot').run(path);
  for (const { table, key, values } of TABLES) {
    const columns = [...key, ...values].join(', ');
    const rows = (name: string) => `select ${columns} from ${name}.${table}`;
    const sql = (one: string, other: string) => `select ${key.join(', ')} from (${rows(one)} except ${rows(other)})`;
    for (const row of database.prepare(`${sql('main', 'snapshot')} union ${sql('snapshot', 'main')}`).all())
      found.push(`table ${table}, ${JSON.stringify(row)}`);
  }
  database.close();
  rmSync(join(folder, file), { force: true });
  return found;
}
