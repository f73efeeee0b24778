// The audit trail: rows are added and, after their time, removed; never changed. `at_ms` is milliseconds since the epoch.

import type { Knex } from 'knex';

const TABLE = 'audit_events';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable(TABLE, (table) => {
    table.bigIncrements('id');
    table.bigInteger('at_ms').notNullable().index();
    table.string('event', 32).notNullable();
    table.string('outcome', 8).notNullable();
    table.string('actor', 160).notNullable();
    table.string('account_id', 36);
    table.string('client_id', 128);
    table.string('address', 64);
    table.string('request_id', 32);
    table.text('details');
    table.index(['event', 'at_ms']);
    table.index(['account_id', 'at_ms'], 'audit_events_account', { predicate: knex.whereNotNull('account_id') });
    table.index(['client_id', 'at_ms'], 'audit_events_client', { predicate: knex.whereNotNull('client_id') });
  });
  if (knex.client.config.client === 'pg') {
    await knex.raw(`create function audit_events_unchanged() returns trigger language plpgsql as
      $$ begin raise exception 'the audit trail is never changed'; end $$`);
    await knex.raw(`create trigger audit_events_unchanged before update on ${TABLE}
      for each statement execute function audit_events_unchanged()`);
  } else {
    await knex.raw(`create trigger audit_events_unchanged before update on ${TABLE}
      begin select raise(abort, 'the audit trail is never changed'); end`);
  }
}
