// Reads the facts about a database that a backup needs: tables, head of the audit trail, directory, keys.

import { type ChainHead, readEnds } from '#store/audit/audit-chain.ts';
import { countRows, type Database, isPostgres } from '#store/database/connection.ts';
import { isSandbox } from '#store/database/sandbox-mark.ts';
import { openServiceKeys, type ServiceKey } from '#store/oidc/service-keys.ts';
import { findSnapshot, readPointer, type SnapshotEntry } from '#store/snapshots/registry.ts';

export interface DatabaseContents {
  /** Names of the migrations that were applied, in their order. */
  schema: string[];
  /** Number of rows by table; 0 for the tables of `LEFT_OUT`. */
  tables: Record<string, number>;
  /** The last record of the audit trail; undefined if its row is missing. */
  auditHead: ChainHead | undefined;
  sandbox: boolean;
  /** The current and the previous snapshot of the directory, as far as they exist. */
  snapshots: SnapshotEntry[];
  keys: ServiceKey[];
}

/**
 * No backup contains the rows of these tables. Instances make these rows again from the files of the snapshots, which a backup may contain.
 */
export const LEFT_OUT: readonly string[] = ['directory_parts', 'directory_snapshot_parts'];

/** Reads the facts about a database. `database` must be a transaction or a copy, so that all facts describe the same state. */
export async function readContents(database: Database): Promise<DatabaseContents> {
  const names = await listTables(database);
  const tables: Record<string, number> = {};
  for (const name of names) {
    tables[name] = LEFT_OUT.includes(name) ? 0 : await countRows(database(name));
  }
  const schema: string[] = names.includes('knex_migrations')
    ? await database('knex_migrations').orderBy('id').pluck('name')
    : [];
  if (schema.length === 0) return { schema, tables, auditHead: undefined, sandbox: false, snapshots: [], keys: [] };
  const pointer = await readPointer(database);
  const snapshots: SnapshotEntry[] = [];
  for (const id of [pointer.current, pointer.previous]) {
    const entry = id === undefined ? undefined : await findSnapshot(database, id);
    if (entry) snapshots.push(entry);
  }
  return {
    schema,
    tables,
    auditHead: (await readEnds(database))?.head,
    sandbox: await isSandbox(database),
    snapshots,
    keys: await openServiceKeys(database).list(),
  };
}

/** Lists the tables of the database (PostgreSQL: of the current schema), in the order of their names. */
export async function listTables(database: Database): Promise<string[]> {
  if (isPostgres(database)) {
    const { rows } = await database.raw(
      'select tablename from pg_tables where schemaname = current_schema() order by 1',
    );
    return rows.map(({ tablename }: { tablename: string }) => tablename);
  }
  // SQLite's own tables are left out, because only SQLite may create them.
  const named = database('sqlite_schema').where({ type: 'table' }).orderBy('name');
  return named.whereRaw("substr(name, 1, 7) <> 'sqlite_'").pluck('name');
}
