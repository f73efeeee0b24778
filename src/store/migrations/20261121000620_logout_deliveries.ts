// Clients that are to be told of the end of a session (OpenID Connect Back-Channel Logout 1.0): a row until they were told.
// Times are seconds since the epoch.

import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('logout_deliveries', (table) => {
    table.bigIncrements('id');
    table.string('client_id', 128).notNullable();
    table.string('account_id', 36).notNullable();
    // Of the client in the session that ended; no secret.
    table.string('sid', 64).notNullable();
    table.bigInteger('created_at').notNullable();
    // From this second on any instance may take it; who takes it moves it on, in case that instance dies.
    table.bigInteger('due_at').notNullable().index();
    table.integer('attempts').notNullable();
  });
}
