// Copies the tables of PostgreSQL out of one snapshot transaction, without PostgreSQL's own programs.

import { join } from 'node:path';
import type { Database } from '#store/database/connection.ts';
import { withoutLimits } from '#store/database/session-limits.ts';
import { LEFT_OUT } from './database-contents.ts';
import { writeLines } from './table-lines.ts';

/** Number of rows that are in memory at once. */
const ROWS_AT_ONCE = 1000;

/** Does `work` in a transaction that writes nothing and sees one state of the database, however long it takes. */
export function inSnapshot<Result>(
  database: Database,
  work: (transaction: Database) => Promise<Result>,
): Promise<Result> {
  return database.transaction(
    async (transaction) => {
      await withoutLimits(transaction);
      return work(transaction);
    },
    { isolationLevel: 'repeatable read', readOnly: true },
  );
}

/** Returns the name by which pg_dump sees the same state, as long as the transaction lasts. */
export async function snapshotName(transaction: Database): Promise<string> {
  const { rows } = await transaction.raw('select pg_export_snapshot() as name');
  return rows[0].name;
}

/** Returns the major version of the server. */
export async function serverVersion(database: Database): Promise<number> {
  const { rows } = await database.raw(`select current_setting('server_version_num')::int / 10000 as major`);
  return rows[0].major;
}

/**
 * Writes a file `TABLE.ndjson.gz` for each table. The server itself makes the JSON of a row, so that no type passes through JavaScript. The
 * audit trail is in the order of its chain. `onRows` gets the number of rows written so far.
 */
export async function exportTables(
  transaction: Database,
  tables: readonly string[],
  folder: string,
  onRows: (rows: number) => void,
): Promise<void> {
  let written = 0;
  for (const table of tables) {
    await writeLines(
      join(folder, `${table}.ndjson.gz`),
      rowsOf(transaction, table, (rows) => {
        written += rows;
        onRows(written);
      }),
    );
  }
}

async function* rowsOf(transaction: Database, table: string, onRows: (rows: number) => void): AsyncGenerator<string[]> {
  const order = table === 'audit_events' ? 'order by sequence nulls first, id' : '';
  const rest = LEFT_OUT.includes(table) ? 'where false' : order;
  await transaction.raw(
    `declare exported no scroll cursor for select row_to_json(t)::text as line from (select * from ?? ${rest}) t`,
    [table],
  );
  for (;;) {
    const { rows } = await transaction.raw(`fetch ${ROWS_AT_ONCE} from exported`);
    if (rows.length === 0) break;
    yield rows.map(({ line }: { line: string }) => line);
    onRows(rows.length);
  }
  await transaction.raw('close exported');
}

/** Returns the last value of each sequence, by its name. */
export async function readSequences(transaction: Database): Promise<Record<string, number>> {
  const names: string[] = await transaction('pg_sequences')
    .whereRaw('schemaname = current_schema()')
    .pluck('sequencename');
  const given: [string, number][] = [];
  for (const name of names) {
    // pg_sequences has no value for a sequence that was set, for example when rows were loaded, and was not used since.
    const { last_value: value, is_called: called } = await transaction(name).first('last_value', 'is_called');
    given.push([name, called ? Number(value) : Number(value) - 1]);
  }
  return Object.fromEntries(given.filter(([, last]) => last > 0));
}
