// Failed sign-ins, counted by account and by address. Times are seconds since the epoch.

import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('sign_in_failures', (table) => {
    // A digest: what strangers type into the form is not kept.
    table.string('key', 43).primary();
    table.integer('count').notNullable();
    table.bigInteger('expires_at').notNullable().index();
  });
}
