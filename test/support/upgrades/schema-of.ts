// What a database consists of, so that two can be compared: columns, keys, indexes, triggers and functions, in no order of their own.

import type { Database } from '#store/database/connection.ts';

export async function schemaOf(database: Database): Promise<object> {
  return database.client.config.client === 'pg' ? ofPostgres(database) : ofSqlite(database);
}

async function ofPostgres(database: Database): Promise<object> {
  const queries = {
    columns: `select table_name, column_name, data_type, character_maximum_length, is_nullable, column_default
      from information_schema.columns where table_schema = 'public' order by 1, 2`,
    constraints: `select conrelid::regclass::text as on, pg_get_constraintdef(oid) as constraint
      from pg_constraint where connamespace = 'public'::regnamespace and contype <> 'n' order by 1, 2`,
    indexes: `select indexdef from pg_indexes where schemaname = 'public' order by 1`,
    triggers: `select pg_get_triggerdef(oid) as trigger from pg_trigger where not tgisinternal order by 1`,
    functions: `select proname, prosrc from pg_proc where pronamespace = 'public'::regnamespace order by 1`,
  };
  const found: Record<string, unknown> = {};
  for (const [name, sql] of Object.entries(queries)) found[name] = (await database.raw(sql)).rows;
  return found;
}

// SQLite knows no lengths, and keeps the text of an index as it was written.
async function ofSqlite(database: Database): Promise<object> {
  const columns =
    await database.raw(`select m.name as "table", c.name, substr(c.type || '(', 1, instr(c.type || '(', '(') - 1) as type, c."notnull", c.dflt_value, c.pk
    from sqlite_master m, pragma_table_xinfo(m.name) c where m.type = 'table' order by 1, 2`);
  const keys = await database.raw(`select m.name as "table", k."table" as refers, k."from", k."to", k.on_delete
    from sqlite_master m, pragma_foreign_key_list(m.name) k where m.type = 'table' order by 1, 2, 3`);
  const indexes =
    await database.raw(`select m.name as "table", i.name, i."unique", i.partial, group_concat(x.name) as columns
    from sqlite_master m, pragma_index_list(m.name) i, pragma_index_info(i.name) x where m.type = 'table'
    group by 1, 2, 3, 4 order by 1, 2`);
  const texts: { sql: string }[] = await database('sqlite_master')
    .whereIn('type', ['index', 'trigger'])
    .whereNotNull('sql')
    .orderBy('name')
    .select('sql');
  return {
    columns,
    keys,
    indexes,
    texts: texts.map(({ sql }) =>
      sql
        .replaceAll(/[\s`"()]+/g, ' ')
        .toLowerCase()
        .trim(),
    ),
  };
}

/** Every column of our tables, as `table.column` or `table.column null`. */
export async function columnsOf(database: Database): Promise<string[]> {
  // SQLite lets a primary key be null, in theory.
  const sql =
    database.client.config.client === 'pg'
      ? `select table_name as "table", column_name as name, is_nullable = 'YES' as nullable from information_schema.columns where table_schema = 'public'`
      : `select m.name as "table", c.name, c."notnull" = 0 and c.pk = 0 as nullable from sqlite_schema m, pragma_table_info(m.name) c where m.type = 'table' and m.name not like 'sqlite_%'`;
  const found = await database.raw(sql);
  const rows: { table: string; name: string; nullable: boolean | number }[] = found.rows ?? found;
  return rows
    .filter(({ table }) => !table.startsWith('knex_'))
    .map(({ table, name, nullable }) => `${table}.${name}${nullable ? ' null' : ''}`)
    .sort();
}
