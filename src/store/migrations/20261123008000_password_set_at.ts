// When the password of an account was set: unknown of those that have one already.

import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('accounts', (table) => {
    table.bigInteger('password_set_at');
  });
}
