// What a refresh token that was used led to, sealed by that token itself; kept for the few seconds of the grace window.

import type { Knex } from 'knex';

const INDEX = 'oidc_records_successor';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('oidc_records', (table) => {
    table.text('successor').nullable();
  });
  // Partial: it holds the few rows that are to be forgotten soon, and costs all others nothing.
  await knex.raw('create index ?? on oidc_records (consumed_at) where successor is not null', [INDEX]);
}
