// Removes old records from the beginning of the chain, and seals the place up to which they were removed.

import { openSeals, type Seals } from '#shared/crypto/seals.ts';
import { type Database, ROWS_AT_ONCE } from '#store/database/connection.ts';
import { type ChainHead, readEnds, sealedCleanUp } from './audit-chain.ts';

/**
 * Removes some of the records that are older than `before` (milliseconds since the epoch), `most` of them if possible. Returns the
 * number of removed records; 0 means that no old record is left. The remaining records can still be verified. For that, a record must
 * stay as long as any record before it in the chain stays.
 */
export async function pruneChain(
  database: Database,
  secrets: readonly string[],
  before: number,
  most = ROWS_AT_ONCE,
): Promise<number> {
  const last = await lastRemovable(database, before, most);
  // Records outside the chain are removed only when the chain has no old records left. Before that, a search for old records outside the
  // chain would also have to read all old records of the chain.
  const outside = last ? [] : await outsideBefore(database, before, most);
  if (!last && outside.length === 0) return 0;
  const { seal } = await openSeals(secrets);
  return database.transaction(async (transaction) => {
    let removed = 0;
    if (last) {
      const place = { pruned_sequence: last.sequence, pruned_digest: last.digest };
      const here = transaction('audit_chain').where('pruned_sequence', '<', last.sequence);
      const changed = await here.update({ ...place, pruned_seal: seal(sealedCleanUp(last)) ?? null });
      // If no row was changed, another instance has removed the same records just now.
      if (changed > 0) removed += await transaction('audit_events').where('sequence', '<=', last.sequence).delete();
    }
    if (outside.length > 0) {
      await transaction('audit_chain').where('pruned_before', '<', before).update({ pruned_before: before });
      removed += await transaction('audit_events')
        .whereIn(
          'id',
          outside.map(({ id }) => id),
        )
        .delete();
    }
    return removed;
  });
}

function outsideBefore(database: Database, before: number, most: number): Promise<{ id: number | string }[]> {
  return database('audit_events').select('id').whereNull('sequence').where('at_ms', '<', before).limit(most);
}

/**
 * Chooses the records that one call removes, about `most` of them. Returns the last of them; undefined if the first record of the chain
 * must stay. The chain can lose only its first records. So a record with a time in the future, because a clock was ahead, is removed
 * together with the old records that follow it.
 */
async function lastRemovable(database: Database, before: number, most: number): Promise<ChainHead | undefined> {
  const now = Date.now();
  const first = () =>
    database('audit_events').select('sequence', 'digest', 'at_ms').whereNotNull('sequence').orderBy('sequence');
  const rows = await first().limit(ROWS_AT_ONCE);
  // Perhaps all records that were read have a time in the future, because a clock was ahead. Then the next record without such a time is
  // read, too. If it is old, it is removed together with all records before it. Otherwise the old records could not be removed before those
  // with a time in the future become old themselves.
  if (rows.length === ROWS_AT_ONCE && rows.every(({ at_ms }) => Number(at_ms) > now)) {
    rows.push(...(await first().where('at_ms', '<=', now).limit(1)));
  }
  let last: ChainHead | undefined;
  for (const [index, { sequence, digest, at_ms }] of rows.entries()) {
    if (last && index >= most) break;
    if (Number(at_ms) < before) last = { sequence: Number(sequence), digest };
    else if (Number(at_ms) <= now) break;
  }
  return last;
}

/**
 * Seals the place of the last clean-up again with the current secret, if the old seal is valid. Only this seal proves that a clean-up
 * removed the earlier records, and it could not be checked once the old secret is gone. The records that remain need no new seals: the
 * digest of each covers those before it, so the next record that is sealed with the current secret proves them, too.
 */
export async function resealCleanUp(database: Database, seals: Seals): Promise<void> {
  const { pruned, prunedSeal } = (await readEnds(database)) ?? {};
  if (!pruned || !prunedSeal || seals.check(sealedCleanUp(pruned), prunedSeal) !== 'valid') return;
  await database('audit_chain')
    .where({ pruned_seal: prunedSeal })
    .update({ pruned_seal: seals.seal(sealedCleanUp(pruned)) });
}
