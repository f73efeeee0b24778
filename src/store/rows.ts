// The row types of the tables in `schema.ts`.

import { SCHEMA } from './schema.ts';
import type { Column } from './table-definition.ts';

export type TableName = keyof typeof SCHEMA;

/** A row of a table, with the types that a query returns on SQLite or on PostgreSQL. */
export type Row<Name extends TableName> = {
  [Key in keyof (typeof SCHEMA)[Name]['columns']]: (typeof SCHEMA)[Name]['columns'][Key] extends Column<infer Value>
    ? Value
    : never;
};

/**
 * Lists the columns of a table by name. Prepared statements name their columns, because on PostgreSQL a prepared `select *` fails for good
 * when a newer release adds a column.
 */
export function columnsIn<Name extends TableName>(name: Name): (string & keyof Row<Name>)[] {
  return Object.keys(SCHEMA[name].columns) as (string & keyof Row<Name>)[];
}
