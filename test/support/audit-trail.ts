// Empties the audit trail of a test's database, which refuses it to everybody else.

import { CHAIN_START } from '../../src/store/audit/audit-chain.ts';
import type { Database } from '../../src/store/database/connection.ts';

/** As a clean-up that removes everything, and a chain that begins anew. */
export async function emptyAuditTrail(database: Database): Promise<void> {
  const chain = database('audit_chain');
  await chain.clone().update({ pruned_sequence: Number.MAX_SAFE_INTEGER, pruned_before: Number.MAX_SAFE_INTEGER });
  await database('audit_events').delete();
  const { sequence, digest } = CHAIN_START;
  const pruned = { pruned_sequence: sequence, pruned_digest: digest, pruned_seal: null, pruned_before: 0 };
  await chain.clone().update({ ...CHAIN_START, ...pruned });
}
