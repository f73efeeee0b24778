// The mark of a database whose people are fictional: one row, made by the first start of a sandbox, never removed.

import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('sandbox', (table) => {
    table.integer('id').primary();
    // Seconds since the epoch.
    table.bigInteger('marked_at').notNullable();
  });
}
