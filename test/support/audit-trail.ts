// Does to the audit trail of a test's database what it refuses to everybody but the clean-up.

import type { AuditTrail } from '#shared/audit/events.ts';
import { CHAIN_START } from '#store/audit/audit-chain.ts';
import type { AuditRecord } from '#store/audit/audit-events.ts';
import type { Database } from '#store/database/connection.ts';

/** So many records, a millisecond apart from `at` (milliseconds since the epoch) on. */
export const records = (count: number, at = Date.now()): AuditRecord[] =>
  Array.from({ length: count }, (_, place) => ({
    time: new Date(at + place).toISOString(),
    event: 'token.issued',
    outcome: 'success',
    actor: 'client:app',
    details: { scope: 'openid', place: `${place} – é` },
  }));

/** As a clean-up that removes everything, and a chain that begins anew. */
export async function emptyAuditTrail(database: Database): Promise<void> {
  const chain = database('audit_chain');
  await chain.clone().update({ pruned_sequence: Number.MAX_SAFE_INTEGER, pruned_before: Number.MAX_SAFE_INTEGER });
  await database('audit_events').delete();
  const { sequence, digest } = CHAIN_START;
  const pruned = { pruned_sequence: sequence, pruned_digest: digest, pruned_seal: null, pruned_before: 0 };
  await chain.clone().update({ ...CHAIN_START, ...pruned });
}

/** What somebody can do who owns the database: nothing of the schema stops him. */
export async function withoutTriggers(database: Database, work: () => Promise<unknown>): Promise<void> {
  if (database.client.config.client === 'pg') {
    await database.raw('alter table audit_events disable trigger user');
    await work();
    await database.raw('alter table audit_events enable trigger user');
    return;
  }
  const triggers: { name: string; sql: string }[] = await database('sqlite_master').where({ type: 'trigger' });
  for (const { name } of triggers) await database.raw(`drop trigger ${name}`);
  await work();
  for (const { sql } of triggers) await database.raw(sql);
}

/** A trail that keeps nothing, for parts that run without a service around them. */
export const NO_AUDIT: AuditTrail = { record: async () => {}, note: () => {} };
