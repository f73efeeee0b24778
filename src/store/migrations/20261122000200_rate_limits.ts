// Failed sign-ins, counted by rate-limiter-flexible in a table of its shape. The table before (`sign_in_failures`) stays for now:
// instances of the version before still need it while they are replaced one by one.

import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('rate_limits', (table) => {
    // The name of the rule and a digest: what strangers type into the form is not kept.
    table.string('key', 100).primary();
    table.integer('points').notNullable();
    // Milliseconds since the epoch.
    table.bigInteger('expire').index();
  });
}
