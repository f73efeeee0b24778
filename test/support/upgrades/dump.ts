// Writes a database as SQL text that makes it again: the statements of its migrations, as a release ran them, and its rows.

import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Settings } from '#config/settings.ts';
import { type Database, openDatabase } from '#store/database/connection.ts';
import { inherited } from '#support/cli/hygie.ts';
import type { Engine } from '#support/databases.ts';

/** Run by the release itself: migrates, and prints every statement that made something. */
const PROGRAM = `
  const settings = JSON.parse(process.env.UPGRADE_DATABASE);
  const connection = await import(process.env.UPGRADE_CONNECTION);
  const { migrate } = await import(process.env.UPGRADE_MIGRATE);
  const database = connection.openDatabase(settings);
  const statements = [];
  database.on('query', ({ sql }) => /^\\s*(create|alter|drop)\\b/i.test(sql) && statements.push(sql));
  await migrate(database);
  await database.destroy();
  process.stdout.write(JSON.stringify(statements));`;

/** Migrates an empty database with the release in the folder; the statements that made its schema. */
export function migrateWith(release: string, database: Settings['database']): string[] {
  const inStore = (name: string) =>
    ['src/store/database', 'src/store'].map((folder) => join(release, folder, name)).find(existsSync) ?? '';
  const connection = inStore('connection.ts');
  const env = {
    ...inherited(),
    UPGRADE_DATABASE: JSON.stringify(database),
    UPGRADE_CONNECTION: connection,
    UPGRADE_MIGRATE: inStore('migrate.ts') || connection,
  };
  const options = { env, cwd: release, encoding: 'utf8' } as const;
  return JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', PROGRAM], options));
}

/** Tables that others refer to come first. */
const FIRST = ['accounts', 'directory_snapshots'];

/** SQL that fills the tables as they are. */
export async function rowsAsSql(settings: Settings['database']): Promise<string[]> {
  const database = openDatabase(settings);
  try {
    const tables = await tablesOf(database);
    const lines: string[] = [];
    for (const table of [...FIRST.filter((name) => tables.includes(name)), ...tables]) {
      if (FIRST.includes(table) && lines.some((line) => line.startsWith(`insert into "${table}" `))) continue;
      for (const row of await database(table)) {
        const columns = Object.keys(row).map((name) => `"${name}"`);
        lines.push(
          `insert into "${table}" (${columns.join(', ')}) values (${Object.values(row)
            .map((value) => literal(value, settings.engine))
            .join(', ')});`,
        );
      }
      if (settings.engine === 'postgresql') lines.push(...(await sequenceOf(database, table)));
    }
    return lines;
  } finally {
    await database.destroy();
  }
}

export async function tablesOf(database: Database): Promise<string[]> {
  const onPostgres = database.client.config.client === 'pg';
  const names: string[] = onPostgres
    ? await database('pg_tables').where({ schemaname: 'public' }).pluck('tablename')
    : await database('sqlite_master').where({ type: 'table' }).whereNot('name', 'like', 'sqlite%').pluck('name');
  return names.sort();
}

/** Whether nobody has put a row into the table; a migration puts one into the keys, which keeps instances apart. */
export async function isEmpty(database: Database, table: string): Promise<boolean> {
  const rows = database(table);
  return (await (table === 'service_keys' ? rows.whereNot({ purpose: 'lock' }) : rows).first()) === undefined;
}

async function sequenceOf(database: Database, table: string): Promise<string[]> {
  const columns: string[] = await database('information_schema.columns')
    .where({ table_schema: 'public', table_name: table })
    .where('column_default', 'like', 'nextval%')
    .pluck('column_name');
  return columns.map(
    (column) =>
      `select setval(pg_get_serial_sequence('${table}', '${column}'), (select coalesce(max("${column}"), 0) + 1 from "${table}"), false);`,
  );
}

function literal(value: unknown, engine: Engine): string {
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'number') return String(value);
  if (value instanceof Date) return `'${value.toISOString()}'`;
  if (value instanceof Uint8Array) {
    const hex = Buffer.from(value).toString('hex');
    return engine === 'sqlite' ? `x'${hex}'` : `'\\x${hex}'`;
  }
  return `'${String(value).replaceAll("'", "''")}'`;
}
