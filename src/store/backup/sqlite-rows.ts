// Reads the tables of an SQLite copy as lines of JSON, as a logical copy has them: so that they can go to PostgreSQL.

import BetterSqlite3 from 'better-sqlite3';

const ROWS_AT_ONCE = 1000;

/** The rows of a table, some at a time, with the numbers that SQLite has for booleans. */
export async function* sqliteRows(file: string, table: string): AsyncGenerator<string[]> {
  const copy = new BetterSqlite3(file, { readonly: true });
  try {
    let lines: string[] = [];
    for (const row of copy.prepare(`select * from "${table.replaceAll('"', '""')}"`).iterate()) {
      lines.push(JSON.stringify(row, asPostgresReads));
      if (lines.length < ROWS_AT_ONCE) continue;
      yield lines;
      lines = [];
    }
    if (lines.length > 0) yield lines;
  } finally {
    copy.close();
  }
}

/** What each table's numbering has reached, by the name that the sequence has on PostgreSQL. */
export function sqliteSequences(file: string): Record<string, number> {
  const copy = new BetterSqlite3(file, { readonly: true });
  try {
    const rows = copy.prepare<[], { name: string; seq: number }>('select name, seq from sqlite_sequence').all();
    return Object.fromEntries(rows.filter(({ seq }) => seq > 0).map(({ name, seq }) => [`${name}_id_seq`, seq]));
  } finally {
    copy.close();
  }
}

/** Knex keeps it in milliseconds on SQLite; all other times are seconds on both. */
const TIME = 'migration_time';

function asPostgresReads(key: string, value: unknown): unknown {
  return key === TIME && typeof value === 'number' ? new Date(value).toISOString() : value;
}
