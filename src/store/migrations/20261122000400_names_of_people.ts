// Given and family name of a person apart, and the address of their web page: standard claims (OpenID Connect Core 5.1).

import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('accounts', (table) => {
    // Null: not known, as of every account that was there before.
    table.text('given');
    table.text('family');
    table.text('profile');
  });
}
