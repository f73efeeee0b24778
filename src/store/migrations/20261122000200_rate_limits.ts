// Failed sign-ins, counted by rate-limiter-flexible in a table of its shape. Counts of the table before are forgotten.

import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.dropTable('sign_in_failures');
  await knex.schema.createTable('rate_limits', (table) => {
    // The name of the rule and a digest: what strangers type into the form is not kept.
    table.string('key', 100).primary();
    table.integer('points').notNullable();
    // Milliseconds since the epoch.
    table.bigInteger('expire').index();
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTable('rate_limits');
  await knex.schema.createTable('sign_in_failures', (table) => {
    table.string('key', 43).primary();
    table.integer('count').notNullable();
    table.bigInteger('expires_at').notNullable().index();
  });
}
