// Makes the tables of release 1.0.0 (`schema.ts`), the triggers that protect the audit trail, and the rows that every database has from the
// start.

import { randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import { CHAIN_START } from '#store/audit/audit-chain.ts';
import { SCHEMA } from '#store/schema.ts';
import { createTable, type Table } from '#store/table-definition.ts';

export async function up(knex: Knex): Promise<void> {
  for (const [name, table] of Object.entries<Table>(SCHEMA)) {
    if (table.since === undefined) await createTable(knex, name, table);
  }
  for (const statement of knex.client.config.client === 'pg' ? POSTGRES_TRIGGERS : SQLITE_TRIGGERS) {
    await knex.raw(statement);
  }
  const { sequence, digest } = CHAIN_START;
  const pruned = { pruned_sequence: sequence, pruned_digest: digest, pruned_before: 0 };
  await knex('audit_chain').insert({ id: 1, sequence, digest, ...pruned });
  await knex('directory_pointer').insert({ id: 1, current: null, previous: null, changed_at: 0 });
  await knex('leases').insert({ name: 'cleanup', holder: '', ends_at: 0 });
  await knex('picture_key').insert({ id: 1, secret: randomBytes(32).toString('base64url') });
  await knex('service_keys').insert({ id: 'lock', purpose: 'lock', material: '', created_at: 0, active_at: 0 });
}

const REMOVABLE = `select 1 from audit_chain where (old.sequence is not null and old.sequence <= pruned_sequence)
  or (old.sequence is null and old.at_ms < pruned_before)`;
const UNCHANGED = 'the audit trail is never changed';
const REFUSAL = 'only the clean-up of the service removes records of the audit trail';

const SQLITE_TRIGGERS = [
  `create trigger audit_events_unchanged before update on audit_events
     begin select raise(abort, '${UNCHANGED}'); end`,
  `create trigger audit_events_kept before delete on audit_events when not exists (${REMOVABLE})
     begin select raise(abort, '${REFUSAL}'); end`,
  // SQLite's REPLACE removes the conflicting row without the delete trigger. So this trigger refuses the insert. PostgreSQL has no such
  // statement.
  `create trigger audit_events_new before insert on audit_events
     when exists (select 1 from audit_events where id = new.id) or exists (select 1 from audit_events where sequence = new.sequence)
     begin select raise(abort, '${UNCHANGED}'); end`,
  `create trigger audit_chain_kept before delete on audit_chain begin select raise(abort, '${REFUSAL}'); end`,
];

const POSTGRES_TRIGGERS = [
  `create function audit_events_unchanged() returns trigger language plpgsql as
      $$ begin raise exception '${UNCHANGED}'; end $$`,
  `create trigger audit_events_unchanged before update on audit_events
     for each statement execute function audit_events_unchanged()`,
  `create function audit_events_kept() returns trigger language plpgsql as $$ begin
     if exists (${REMOVABLE}) then return old; end if;
     raise exception '${REFUSAL}'; end $$`,
  `create trigger audit_events_kept before delete on audit_events for each row execute function audit_events_kept()`,
  `create function audit_kept() returns trigger language plpgsql as $$ begin raise exception '${REFUSAL}'; end $$`,
  `create trigger audit_events_whole before truncate on audit_events for each statement execute function audit_kept()`,
  `create trigger audit_chain_kept before delete or truncate on audit_chain for each statement execute function audit_kept()`,
];
