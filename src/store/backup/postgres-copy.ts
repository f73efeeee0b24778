// Makes logical copies of a PostgreSQL database without PostgreSQL's own programs (pg_dump, pg_restore). An export reads all tables in one
// transaction, so that the copy shows one state of the database. An import creates the tables in an empty database, and then inserts the
// rows of the copy.

import { join } from 'node:path';
import type { Database } from '#store/database/connection.ts';
import { makeMigrationTables } from '#store/database/migrate.ts';
import { readMigration } from '#store/database/migration-source.ts';
import { withoutLimits } from '#store/database/session-limits.ts';
import { LEFT_OUT, listTables } from './database-contents.ts';
import { writeLines } from './table-lines.ts';

/** Maximum rows that one statement reads or inserts, and maximum characters of JSON that it inserts. */
const ROWS_AT_ONCE = 1000;
const TEXT_AT_ONCE = 4 * 2 ** 20;

/** Does `work` in a read-only transaction that sees one state of the database, however long it takes. */
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

/**
 * Exports the snapshot of the transaction and returns the snapshot's name, with which pg_dump reads the same state. The name is valid as
 * long as the transaction lasts.
 */
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
 * Writes a file `TABLE.ndjson.gz` for each table. The server itself makes the JSON of a row, so that JavaScript converts no value. The
 * records of the audit trail are in the order of their chain. `onRows` gets the number of rows written so far.
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

/** Returns the last value of each sequence, by the name of the sequence. A sequence without a value is left out. */
export async function readSequences(transaction: Database): Promise<Record<string, number>> {
  const names: string[] = await transaction('pg_sequences')
    .whereRaw('schemaname = current_schema()')
    .pluck('sequencename');
  const given: [string, number][] = [];
  for (const name of names) {
    // The value is read from the sequence itself. The view pg_sequences shows no value for a sequence that was set, for example when rows
    // were loaded, and was not used since.
    const { last_value: value, is_called: called } = await transaction(name).first('last_value', 'is_called');
    given.push([name, called ? Number(value) : Number(value) - 1]);
  }
  return Object.fromEntries(given.filter(([, last]) => last > 0));
}

interface LogicalCopy {
  /** Names of the migrations that had been applied, in their order. */
  schema: readonly string[];
  tables: readonly string[];
  /** The last value of each sequence, by its name. */
  sequences: Readonly<Record<string, number>>;
  /** Reads the rows of a table. Each row is a line of JSON, with the columns as members. */
  rows(table: string): AsyncIterable<readonly string[]>;
}

/**
 * Creates the tables of a copy and inserts the rows of the copy. The database of `transaction` must have no tables. `onRows` gets the
 * number of rows inserted so far.
 */
export async function importTables(
  transaction: Database,
  copy: LogicalCopy,
  onRows: (rows: number) => void,
): Promise<void> {
  await makeMigrationTables(transaction);
  await withoutLimits(transaction);
  for (const name of copy.schema) await (await readMigration(name)).up(transaction);
  const own = await listTables(transaction);
  // Migrations insert rows into some tables. These rows are removed, because the copy has rows of its own. Triggers of the audit trail
  // would refuse the removal, so all triggers are switched off until the import has ended.
  for (const table of own) await transaction.raw('alter table ?? disable trigger user', [table]);
  await transaction.raw(`truncate ${own.map(() => '??').join(', ')}`, own);
  let imported = 0;
  for (const table of await parentsFirst(transaction, own)) {
    if (!copy.tables.includes(table)) continue;
    for await (const lines of inBatches(copy.rows(table))) {
      const insert = 'insert into ?? select * from json_populate_recordset(null::??, ?::json)';
      await transaction.raw(insert, [table, table, `[${lines.join(',')}]`]);
      imported += lines.length;
      onRows(imported);
    }
  }
  await transaction('knex_migrations_lock').update({ is_locked: 0 });
  for (const table of own) await transaction.raw('alter table ?? enable trigger user', [table]);
  for (const [name, last] of Object.entries(copy.sequences)) {
    await transaction.raw(
      'select setval(format(?, ?::text)::regclass, ?) where to_regclass(format(?, ?::text)) is not null',
      ['%I', name, last, '%I', name],
    );
  }
}

/** Orders the tables so that each one comes after the tables to which its rows refer. */
async function parentsFirst(transaction: Database, tables: readonly string[]): Promise<string[]> {
  const { rows } = await transaction.raw(
    `select child.relname as child, parent.relname as parent from pg_constraint
     join pg_class child on child.oid = conrelid join pg_class parent on parent.oid = confrelid
     where contype = 'f' and connamespace = current_schema()::regnamespace and conrelid <> confrelid`,
  );
  const references: { child: string; parent: string }[] = rows;
  const ordered = new Set<string>();
  const place = (table: string) => {
    for (const { child, parent } of references) if (child === table && !ordered.has(parent)) place(parent);
    ordered.add(table);
  };
  for (const table of tables) place(table);
  return [...ordered];
}

async function* inBatches(source: AsyncIterable<readonly string[]>): AsyncGenerator<string[]> {
  let batch: string[] = [];
  let length = 0;
  for await (const lines of source) {
    for (const line of lines) {
      batch.push(line);
      length += line.length;
      if (batch.length < ROWS_AT_ONCE && length < TEXT_AT_ONCE) continue;
      yield batch;
      batch = [];
      length = 0;
    }
  }
  if (batch.length > 0) yield batch;
}
