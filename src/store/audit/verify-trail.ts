// Verifies the audit trail of a database: its chain from the last clean-up to the head, and the records outside the chain. Also verifies a
// chain that comes from a file. Reports every record at which the chain is broken (SEC-67).

import type { Seals } from '#shared/crypto/seals.ts';
import { present } from '#shared/present.ts';
import { type Database, isPostgres } from '#store/database/connection.ts';
import {
  type ChainEnds,
  type ChainedRow,
  type ChainHead,
  headText,
  nextDigest,
  readChain,
  readEnds,
  readOutside,
  sealedCleanUp,
  sealedRecord,
} from './audit-chain.ts';

export interface VerifiedTrail extends FollowedChain {
  /** The last record that a clean-up removed. */
  pruned: ChainHead;
}

/**
 * Verifies the trail as it is at one moment, whatever is added meanwhile. `known` is a head of the chain that was kept outside the
 * database.
 */
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
        ...(await readOutside(transaction)).map((row) => faultOf(row, 'inserted: it is not in the chain')),
      ];
      const matched = chain.matched || (known !== undefined && headText(known) === headText(ends.pruned));
      return { ...chain, matched, faults, pruned: ends.pruned };
    },
    isPostgres(database) ? { isolationLevel: 'repeatable read', readOnly: true } : {},
  );
}

/**
 * Checks that a clean-up of the service removed the records that are missing at the beginning. They no longer exist, so only the seal of
 * the clean-up can prove that.
 */
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

/**
 * A fault of one record, with the number of the record in the chain, its id in the table, its time and its event, as far as they are known.
 */
export interface ChainFault {
  sequence?: number;
  id?: number;
  time?: string;
  event?: string;
  problem: string;
}

export interface FollowedChain {
  faults: ChainFault[];
  records: number;
  /** The first and the last record. */
  first?: ChainHead;
  last?: ChainHead;
  /**
   * Number of records with a valid seal, of records before the first seal, and of records with a seal that no available secret can check.
   */
  sealed: number;
  unsealed: number;
  unchecked: number;
  /** Time of the last record before the first seal. */
  unsealedUntil?: string;
  /** True if the chain contains the record of the head that was kept elsewhere. */
  matched: boolean;
}

interface FollowOptions {
  /**
   * Number and digest of the record before the first one. If `start` is undefined, as for an exported file, the first record is trusted.
   */
  start?: ChainHead | undefined;
  seals: Seals;
  /** A head of the chain that was kept elsewhere. If the chain contains it, the records up to it need no seal. */
  known?: ChainHead | undefined;
}

/** Consecutive records without a valid seal. Nothing proves that the service wrote them. */
interface Span {
  from: ChainedRow;
  to: ChainedRow;
  problem: string;
}

/** Verifies the records of a chain in the order in which `rows` yields them. Memory grows with the number of faults, not of records. */
export async function followChain(
  rows: AsyncIterable<ChainedRow[]>,
  { start, seals, known }: FollowOptions,
): Promise<FollowedChain> {
  const chain: FollowedChain = { faults: [], records: 0, sealed: 0, unsealed: 0, unchecked: 0, matched: false };
  const { faults } = chain;
  const spans: Span[] = [];
  let before: ChainHead | undefined = start;
  let idBefore = 0;
  // Number of the first record with a seal that was made with an available secret. The digest of this record covers all records before it.
  // So the earlier records are proved as well, even if their own seals were made with a secret that is no longer set.
  let firstValid = Number.NEGATIVE_INFINITY;

  const follow = (row: ChainedRow) => {
    const { sequence, digest, id } = row;
    faults.push(...linkFaults(before, row));
    if (id !== undefined && id < idBefore)
      faults.push(faultOf(row, 'moved: its id is lower than that of the record before'));
    if (id !== undefined) idBefore = id;
    if (before && sequence <= before.sequence) return;
    if (known?.sequence === sequence) {
      chain.matched = known.digest === digest;
      if (!chain.matched) faults.push(faultOf(row, REWRITTEN));
    }
    checkSeal(row);
    before = { sequence, digest };
    chain.first ??= before;
    chain.last = before;
    chain.records += 1;
  };

  const checkSeal = (row: ChainedRow) => {
    if (row.seal === null) {
      if (chain.sealed + chain.unchecked > 0) notVouched(row, UNSEALED);
      else {
        chain.unsealed += 1;
        chain.unsealedUntil = timeOf(row.at_ms);
      }
      return;
    }
    const state = seals.available ? seals.check(sealedRecord(row), row.seal) : 'unchecked';
    if (state === 'valid') {
      chain.sealed += 1;
      if (firstValid < 0) firstValid = row.sequence;
    }
    if (state === 'wrong') faults.push(faultOf(row, WRONG_SEAL));
    if (state === 'unchecked' || state === 'unknown key') chain.unchecked += 1;
    if (state === 'unknown key') notVouched(row, OTHER_KEY);
  };
  const notVouched = (row: ChainedRow, problem: string) => {
    const span = spans.at(-1);
    if (span?.problem === problem && span.to.sequence === row.sequence - 1) span.to = row;
    else spans.push({ from: row, to: row, problem });
  };

  for await (const some of rows) for (const row of some) follow(row);

  for (const { from, to, problem } of spans) {
    if (chain.matched && known && to.sequence <= known.sequence) continue;
    if (problem === OTHER_KEY && to.sequence < firstValid) continue;
    faults.push(faultOf(from, `${problem} (up to record ${to.sequence})`));
  }
  return chain;
}

/** Checks that a record follows the one before: by its number, and by its digest. Without `before`, nothing is checked. */
function linkFaults(before: ChainHead | undefined, row: ChainedRow): ChainFault[] {
  if (!before) return [];
  const expected = before.sequence + 1;
  if (row.sequence > expected) return [missing(expected, row.sequence - 1, row)];
  if (row.sequence < expected) return [faultOf(row, 'inserted: there is another record with its number')];
  return nextDigest(before, row) === row.digest ? [] : [faultOf(row, CHANGED)];
}

const REWRITTEN = 'another record than the one whose digest was kept elsewhere: rewritten';
const WRONG_SEAL = 'its seal is wrong: the service did not write its digest';
const UNSEALED =
  'has no seal, though records before it have one: written without HYGIE_KEY_SECRET, or not by the service';
const OTHER_KEY =
  'sealed with a key that is not set: HYGIE_KEY_SECRET_OLD, or a head from before the change of the secret (--head), shows more';
const CHANGED =
  'changed: its content does not give its digest (or the record before it was changed, and its digest made anew)';

type Named = Pick<ChainedRow, 'at_ms' | 'event'> & Partial<ChainedRow>;

/**
 * Returns the fault that the records with the numbers `from` to `to` are missing. `row` is the record after the gap; if it is undefined,
 * the end of the chain is missing.
 */
export function missing(from: number, to: number, row?: ChainedRow): ChainFault {
  const problem = from === to ? 'missing' : `missing, and all up to ${to}`;
  if (!row) return { sequence: from, problem: `${problem}: the end is cut off` };
  // An exported record has no id.
  const next = row.id === undefined ? 'the record of' : `id ${row.id},`;
  return { sequence: from, problem: `${problem} (before ${next} ${timeOf(row.at_ms)})` };
}

/** Returns a fault with what identifies its record. */
export function faultOf({ sequence, id, at_ms, event }: Named, problem: string): ChainFault {
  return { ...present({ sequence, id }), time: timeOf(at_ms), event, problem };
}

// Returns the time as text. Somebody may have changed the record so that the number is no valid date; then the text is the number itself.
function timeOf(ms: number): string {
  return Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : String(ms);
}
