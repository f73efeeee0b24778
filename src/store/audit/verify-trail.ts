// Verifies the audit trail of a database: its chain from the last clean-up to the head, and the records outside the chain.

import type { Seals } from '#shared/crypto/seals.ts';
import { type Database, isPostgres } from '#store/database/connection.ts';
import { type ChainHead, headText, sealedCleanUp } from './audit-chain.ts';
import { type ChainEnds, readChain, readEnds, readOutside } from './chain-reader.ts';
import { type ChainFault, type FollowedChain, followChain, missing, nameOf } from './verify-chain.ts';

export interface VerifiedTrail extends FollowedChain {
  /** The last record that a clean-up removed. */
  pruned: ChainHead;
}

/** Verifies one state of the trail, whatever is added meanwhile. `known` is a head that was kept elsewhere. */
export function verifyTrail(database: Database, seals: Seals, known?: ChainHead): Promise<VerifiedTrail> {
  return database.transaction(
    async (transaction) => {
      const ends = await readEnds(transaction);
      if (!ends) throw new Error('the row of the table audit_chain is gone: nobody knows where the chain ends');
      const chain = await followChain(readChain(transaction), { start: ends.pruned, seals, known });
      const faults = [
        ...cleanUpFaults(ends, seals, known),
        ...chain.faults,
        ...endFaults(chain, ends, known),
        ...(await readOutside(transaction)).map((row) => ({
          ...nameOf(row),
          problem: 'inserted: it is not in the chain',
        })),
      ];
      const matched = chain.matched || (known !== undefined && headText(known) === headText(ends.pruned));
      return { ...chain, matched, faults, pruned: ends.pruned };
    },
    isPostgres(database) ? { isolationLevel: 'repeatable read', readOnly: true } : {},
  );
}

/**
 * Seals the place of the last clean-up again, with the current secret. The old seal must be valid. Only this seal proves that a clean-up
 * removed the earlier records, and without the old secret it could not be checked. The records after it prove one another.
 */
export async function resealCleanUp(database: Database, seals: Seals): Promise<void> {
  const { pruned, prunedSeal } = (await readEnds(database)) ?? {};
  if (!pruned || !prunedSeal || seals.check(sealedCleanUp(pruned), prunedSeal) !== 'valid') return;
  await database('audit_chain')
    .where({ pruned_seal: prunedSeal })
    .update({ pruned_seal: seals.seal(sealedCleanUp(pruned)) });
}

/** Checks the place of the last clean-up. Its record is removed, so only its own seal can prove it. */
function cleanUpFaults({ pruned, prunedSeal }: ChainEnds, seals: Seals, known: ChainHead | undefined): ChainFault[] {
  const { sequence } = pruned;
  if (known?.sequence === sequence && known.digest !== pruned.digest) {
    return [
      { sequence, problem: 'another record than the one whose digest was kept elsewhere was removed by the clean-up' },
    ];
  }
  if (sequence === 0 || !seals.available) return [];
  const state = prunedSeal === null ? 'unsealed' : seals.check(sealedCleanUp(pruned), prunedSeal);
  if (state === 'valid' || known?.sequence === sequence) return [];
  const problem = `records up to this one are gone, and no clean-up of the service has sealed that (${state === 'wrong' ? 'wrong seal' : state})`;
  return [{ sequence, problem }];
}

function endFaults({ last }: FollowedChain, { head, pruned }: ChainEnds, known: ChainHead | undefined): ChainFault[] {
  const end = last ?? pruned;
  const ends: ChainFault[] = [];
  if (end.sequence < head.sequence) ends.push(missing(end.sequence + 1, head.sequence));
  else if (headText(end) !== headText(head)) {
    ends.push({ sequence: end.sequence, problem: `the table audit_chain ends with another record: ${headText(head)}` });
  }
  if (known && known.sequence > end.sequence && known.sequence > head.sequence)
    ends.push(missing(end.sequence + 1, known.sequence));
  return ends;
}
