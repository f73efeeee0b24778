// The functions and types with which `schema.ts` describes tables, and the function with which a migration creates them.

import type { Knex } from 'knex';

/** A column. `Value` is the type that a query returns for the column, on SQLite or on PostgreSQL. */
export interface Column<Value = unknown> {
  type: 'string' | 'text' | 'integer' | 'bigInteger' | 'boolean' | 'binary' | 'increments' | 'bigIncrements';
  /** Maximum characters. PostgreSQL refuses longer values; SQLite accepts them. */
  length?: number;
  nullable?: true;
  default?: boolean | number;
  primary?: true;
  unique?: true;
  indexed?: true;
  /** The column refers to the `id` of the table with this name. */
  references?: string;
  /** Set if deleting the row that this column refers to also deletes the row with the column. */
  cascade?: true;
  /** Name of the migration that adds the column to an existing table. A column without `since` is made together with its table. */
  since?: string;
  /** Never set. It only carries the type `Value`. */
  value?: Value;
}

export interface Table {
  columns: Record<string, Column>;
  primary?: readonly string[];
  unique?: readonly string[];
  /** `where` makes a partial index, which needs a name. */
  indexes?: readonly { columns: readonly string[]; name?: string; where?: string }[];
  /** Name of the migration that creates the table. The first migration creates all other tables. */
  since?: string;
}

export const string = (length: number): Column<string> => ({ type: 'string', length });
export const text = (): Column<string> => ({ type: 'text' });
export const integer = (): Column<number> => ({ type: 'integer' });
/** A 64-bit integer. node-postgres returns it as text, because JavaScript's numbers cannot hold every 64-bit number. */
export const bigInteger = (): Column<number | string> => ({ type: 'bigInteger' });
/** A time in seconds since the epoch. */
export const time = bigInteger;
export const binary = (): Column<Buffer> => ({ type: 'binary' });
/** A boolean, for which SQLite returns 0 or 1. */
export const boolean = (): Column<boolean | number> => ({ type: 'boolean' });
/** A column that the database fills with consecutive numbers. */
export const increments = (): Column<number> => ({ type: 'increments' });
export const bigIncrements = (): Column<number | string> => ({ type: 'bigIncrements' });

export const nullable = <Value>(column: Column<Value>): Column<Value | null> => ({ ...column, nullable: true });
export const primary = <Value>(column: Column<Value>): Column<Value> => ({ ...column, primary: true });
export const unique = <Value>(column: Column<Value>): Column<Value> => ({ ...column, unique: true });
export const indexed = <Value>(column: Column<Value>): Column<Value> => ({ ...column, indexed: true });
export const byDefault = <Value>(column: Column<Value>, value: boolean | number): Column<Value> => ({
  ...column,
  default: value,
});
export const references = <Value>(column: Column<Value>, table: string): Column<Value> => ({
  ...column,
  references: table,
});
/** The id of an account. When the account is deleted, the row is deleted as well. */
export const ofAccount = (): Column<string> => ({ ...references(string(36), 'accounts'), cascade: true });

/** Makes the table, without columns that later migrations add. */
export function createTable(
  knex: Knex,
  name: string,
  { columns, primary: keys, unique: together, indexes = [] }: Table,
) {
  return knex.schema.createTable(name, (table) => {
    for (const [column, definition] of Object.entries(columns)) {
      if (definition.since === undefined) addColumn(table, column, definition);
    }
    if (keys) table.primary([...keys]);
    if (together) table.unique([...together]);
    for (const { columns: of, name: indexName, where } of indexes) {
      if (where === undefined) table.index([...of], indexName);
      else table.index([...of], indexName, { predicate: knex.whereRaw(where) });
    }
  });
}

function addColumn(table: Knex.CreateTableBuilder, name: string, definition: Column): void {
  const { type, length } = definition;
  if (type === 'increments' || type === 'bigIncrements') {
    table[type](name);
    return;
  }
  const column = type === 'string' ? table.string(name, length) : table[type](name);
  if (definition.primary) column.primary();
  else if (!definition.nullable) column.notNullable();
  if (definition.default !== undefined) column.defaultTo(definition.default);
  if (definition.unique) column.unique();
  if (definition.indexed) column.index();
  if (definition.references === undefined) return;
  const reference = column.references('id').inTable(definition.references);
  if (definition.cascade) reference.onDelete('CASCADE');
}
