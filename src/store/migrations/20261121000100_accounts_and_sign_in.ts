// Accounts, what the OpenID provider keeps, sessions of our own pages, and the keys. Times are seconds since the epoch.

import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('accounts', (table) => {
    table.string('id', 36).primary();
    table.string('email', 254).notNullable();
    // The address as it is compared: lower case. One address, one account.
    table.string('email_key', 254).notNullable().unique();
    table.boolean('email_verified').notNullable();
    table.string('name', 200).notNullable();
    table.string('nickname', 200);
    table.text('picture');
    table.text('practitioners').notNullable();
    table.text('workspaces').notNullable();
    table.string('current_workspace', 64);
    table.string('status', 16).notNullable();
    table.text('password_hash');
    table.bigInteger('created_at').notNullable();
    table.bigInteger('updated_at').notNullable();
  });
  await knex.schema.createTable('oidc_records', (table) => {
    table.string('model', 32).notNullable();
    // SHA-256 of the token, code or id: the value itself is never stored.
    table.string('id', 43).notNullable();
    table.text('payload').notNullable();
    // Digest of the grant's id, as in the grant's own row.
    table.string('grant_id', 43).index();
    // Of a session, its public identifier; of a code or token, that of the session it was given in.
    table.string('uid', 64);
    table.string('account_id', 36);
    table.bigInteger('expires_at').index();
    table.bigInteger('consumed_at');
    table.primary(['model', 'id']);
    table.index('account_id', 'oidc_records_account', { predicate: knex.whereRaw("model in ('Grant', 'Session')") });
    // Sessions only: codes and tokens carry a uid too, and each index costs every one of them a write.
    table.index('uid', 'oidc_records_session_uid', { predicate: knex.whereRaw("model = 'Session'") });
  });
  await knex.schema.createTable('consents', (table) => {
    table.string('account_id', 36).notNullable().references('id').inTable('accounts').onDelete('CASCADE');
    table.string('client_id', 128).notNullable();
    table.text('scopes').notNullable();
    table.bigInteger('given_at').notNullable();
    table.primary(['account_id', 'client_id']);
  });
  await knex.schema.createTable('page_sessions', (table) => {
    table.string('id', 43).primary();
    table.text('payload').notNullable();
    table.bigInteger('expires_at').notNullable().index();
  });
  await knex.schema.createTable('service_keys', (table) => {
    table.string('id', 64).primary();
    table.string('purpose', 16).notNullable();
    table.text('material').notNullable();
    table.bigInteger('created_at').notNullable();
  });
}
