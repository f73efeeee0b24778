// The audit trail as a hash chain: `sequence` and `digest` of each record, the head of the chain, and where it begins since the
// last clean-up. Records that exist are chained in the order of their ids, and a record says so. From now on the table
// refuses the removal of rows, except of those up to the place that a clean-up has written down.

import type { Knex } from 'knex';
import { AUDIT_EVENTS } from '#shared/audit/events.ts';
import { CHAIN_START, type ChainedContent, type ChainHead, nextDigest } from '#store/audit/audit-chain.ts';

const ROWS_AT_ONCE = 2000;

export async function up(knex: Knex): Promise<void> {
  const onPostgres = knex.client.config.client === 'pg';
  await knex.schema.alterTable('audit_events', (table) => {
    // Null: written by an instance of the version before while instances were replaced one by one.
    table.bigInteger('sequence');
    table.string('digest', 43);
    // Null without a secret.
    table.string('seal', 40);
  });
  await knex.schema.createTable('audit_chain', (table) => {
    table.integer('id').primary();
    table.bigInteger('sequence').notNullable();
    table.string('digest', 43).notNullable();
    // The last record that a clean-up removed.
    table.bigInteger('pruned_sequence').notNullable();
    table.string('pruned_digest', 43).notNullable();
    table.string('pruned_seal', 40);
    // Milliseconds since the epoch: records out of the chain that are older may be removed.
    table.bigInteger('pruned_before').notNullable();
  });
  await knex.raw(
    onPostgres ? 'drop trigger audit_events_unchanged on audit_events' : 'drop trigger audit_events_unchanged',
  );
  const head = await chainAll(knex, onPostgres);
  await knex('audit_chain').insert({
    id: 1,
    ...head,
    pruned_sequence: CHAIN_START.sequence,
    pruned_digest: CHAIN_START.digest,
    pruned_before: 0,
  });
  await knex.schema.alterTable('audit_events', (table) => table.unique(['sequence']));
  for (const statement of onPostgres ? POSTGRES_TRIGGERS : SQLITE_TRIGGERS) await knex.raw(statement);
}

async function chainAll(knex: Knex, onPostgres: boolean): Promise<ChainHead> {
  const update = onPostgres
    ? `update audit_events set sequence = link.sequence, digest = link.digest
       from json_to_recordset(cast(? as json)) as link(id bigint, sequence bigint, digest text) where audit_events.id = link.id`
    : `update audit_events set sequence = link.value ->> 'sequence', digest = link.value ->> 'digest'
       from json_each(?) as link where audit_events.id = link.value ->> 'id'`;
  let head = CHAIN_START;
  let lastId = 0;
  for (;;) {
    const rows = await knex('audit_events').where('id', '>', lastId).orderBy('id').limit(ROWS_AT_ONCE);
    if (rows.length === 0) break;
    const links = rows.map((row) => {
      head = next(head, { ...row, at_ms: Number(row.at_ms) });
      return { id: row.id, ...head };
    });
    lastId = Number(rows.at(-1).id);
    await knex.raw(update, [JSON.stringify(links)]);
  }
  if (lastId === 0) return head;
  const event = 'audit.chained';
  const chained = {
    at_ms: Date.now(),
    event,
    outcome: AUDIT_EVENTS[event][0],
    actor: 'service',
    account_id: null,
    client_id: null,
    address: null,
    request_id: null,
    details: JSON.stringify({ records: head.sequence, lastId }),
  };
  head = next(head, chained);
  await knex('audit_events').insert({ ...chained, ...head });
  return head;
}

function next(head: ChainHead, content: ChainedContent): ChainHead {
  return { sequence: head.sequence + 1, digest: nextDigest(head, content) };
}

const REMOVABLE = `select 1 from audit_chain where (old.sequence is not null and old.sequence <= pruned_sequence)
  or (old.sequence is null and old.at_ms < pruned_before)`;
const REFUSAL = 'only the clean-up of the service removes records of the audit trail';

const SQLITE_TRIGGERS = [
  `create trigger audit_events_unchanged before update on audit_events
     begin select raise(abort, 'the audit trail is never changed'); end`,
  `create trigger audit_events_kept before delete on audit_events when not exists (${REMOVABLE})
     begin select raise(abort, '${REFUSAL}'); end`,
  // REPLACE removes the row that is in its way without a word to the trigger before.
  `create trigger audit_events_new before insert on audit_events
     when exists (select 1 from audit_events where id = new.id) or exists (select 1 from audit_events where sequence = new.sequence)
     begin select raise(abort, 'the audit trail is never changed'); end`,
  `create trigger audit_chain_kept before delete on audit_chain begin select raise(abort, '${REFUSAL}'); end`,
];

const POSTGRES_TRIGGERS = [
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
