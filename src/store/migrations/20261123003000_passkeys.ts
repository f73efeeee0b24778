// Passkeys: credentials of WebAuthn, several for an account. Times are seconds since the epoch.

import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('passkeys', (table) => {
    table.string('id', 36).primary();
    table.string('account_id', 36).notNullable().references('id').inTable('accounts').onDelete('CASCADE').index();
    // Base64url of up to 1,023 bytes. Of one account alone, whoever registers it first.
    table.string('credential_id', 1364).notNullable().unique();
    // Random, the same for all of an account: what an authenticator and those who read it can know of the person.
    table.string('user_handle', 86).notNullable();
    // COSE, base64url.
    table.text('public_key').notNullable();
    // Of signatures, where the authenticator counts them: it never goes back.
    table.bigInteger('counter').notNullable();
    // JSON: how a browser reaches the authenticator.
    table.text('transports').notNullable();
    table.boolean('synced').notNullable();
    table.string('aaguid', 36).notNullable();
    table.string('name', 100).notNullable();
    table.bigInteger('created_at').notNullable();
    table.bigInteger('last_used_at');
  });
}
