// Links in mails: one for each account and purpose, until it is followed or expires. Times are seconds since the epoch.

import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('action_tokens', (table) => {
    table.string('account_id', 36).notNullable().references('id').inTable('accounts').onDelete('CASCADE');
    table.string('purpose', 30).notNullable();
    // Of the token: only the mail has it (SEC-16).
    table.string('digest', 43).notNullable().unique();
    // The address that the mail goes to, where the link proves that the person reads it.
    table.string('email', 254);
    // What the account was like: after any change of it the link is worth nothing.
    table.string('state', 43).notNullable();
    table.bigInteger('expires_at').notNullable().index();
    table.primary(['account_id', 'purpose']);
  });
}
