// What people say of themselves: their language, a picture; and the deletion of accounts, asked for and done. Times are seconds
// since the epoch.

import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('accounts', (table) => {
    // `fr` or `en`; null: that of the browser.
    table.string('language', 2);
    // Since when the person wants the account deleted; null: they do not.
    table.bigInteger('deletion_requested_at');
  });
  await knex.schema.createTable('pictures', (table) => {
    table.string('account_id', 36).primary().references('id').inTable('accounts').onDelete('CASCADE');
    // Of the public address: another one for every picture, random.
    table.string('id', 43).notNullable().unique();
    table.binary('bytes').notNullable();
  });
  // UUIDs that were somebody's `sub`: applications still know them, so that nobody else ever has one of them.
  await knex.schema.createTable('deleted_accounts', (table) => {
    table.string('id', 36).primary();
    table.bigInteger('deleted_at').notNullable();
  });
}
