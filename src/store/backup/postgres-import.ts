// Fills an empty PostgreSQL database from a logical copy: first the copy's schema, then its rows.

import type { Database } from '#store/database/connection.ts';
import { makeMigrationTables } from '#store/database/migrate.ts';
import { readMigration } from '#store/database/migration-source.ts';
import { withoutLimits } from '#store/database/session-limits.ts';
import { listTables } from './database-contents.ts';

/** Maximum rows, and maximum characters of JSON, that one statement inserts. */
const ROWS_AT_ONCE = 1000;
const TEXT_AT_ONCE = 4 * 2 ** 20;

interface LogicalCopy {
  /** Names of the migrations that had been applied, in their order. */
  schema: readonly string[];
  tables: readonly string[];
  /** The last value of each sequence, by its name. */
  sequences: Readonly<Record<string, number>>;
  /** Reads the rows of a table. Each is a line of JSON, with the columns as members. */
  rows(table: string): AsyncIterable<readonly string[]>;
}

/** Fills the database of the transaction, which must have no tables. `onRows` gets the number of rows inserted so far. */
export async function importTables(
  transaction: Database,
  copy: LogicalCopy,
  onRows: (rows: number) => void,
): Promise<void> {
  await makeMigrationTables(transaction);
  await withoutLimits(transaction);
  for (const name of copy.schema) await (await readMigration(name)).up(transaction);
  const own = await listTables(transaction);
  // Migrations put rows into some tables. These rows have to go, but triggers of the audit trail would refuse that. So triggers are
  // switched off until the import has ended.
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
