// A second factor for each account that has one, and its recovery codes. Times are seconds since the epoch.

import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('second_factors', (table) => {
    table.string('account_id', 36).primary().references('id').inTable('accounts').onDelete('CASCADE');
    // Encrypted where the service has a secret for its keys: it cannot be hashed, codes are computed from it.
    table.text('secret').notNullable();
    // Of the last code that was taken (RFC 6238): it and those before are worth nothing any more.
    table.bigInteger('last_step').notNullable();
    table.bigInteger('created_at').notNullable();
  });
  await knex.schema.createTable('recovery_codes', (table) => {
    table.string('account_id', 36).notNullable().references('id').inTable('accounts').onDelete('CASCADE');
    table.string('digest', 43).notNullable();
    table.primary(['account_id', 'digest']);
  });
}
