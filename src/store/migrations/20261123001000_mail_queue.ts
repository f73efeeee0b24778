// Mails that wait to be sent, and for a day those that were, so that nobody is sent too many. Times are seconds since the epoch.

import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('mail_queue', (table) => {
    table.bigIncrements('id');
    table.string('kind', 32).notNullable();
    // What a notice is about: an event of the audit trail. Empty for other kinds.
    table.string('topic', 64).notNullable();
    table.string('account_id', 36).notNullable();
    // Null: the address that the account has when the mail is sent. It goes when the mail has.
    table.string('address', 320);
    table.string('language', 2);
    // JSON; nothing secret: the token of a link is made when the mail is sent.
    table.text('details');
    table.bigInteger('created_at').notNullable();
    // From this second on any instance may take it; who takes it moves it on, in case that instance dies. Null: sent, or given up.
    table.bigInteger('due_at').index();
    table.integer('attempts').notNullable();
    table.index(['account_id', 'kind', 'topic', 'created_at']);
  });
}
