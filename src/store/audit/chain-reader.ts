// Reads the chain of the audit trail in order, for `audit verify` and `audit export`.

import type { Database } from '#store/database/connection.ts';
import type { ChainedContent, ChainHead } from './audit-chain.ts';

/** A record of the chain as it is stored. */
export interface ChainedRow extends ChainedContent, ChainHead {
  /** Absent in an exported file. */
  id?: number;
  seal: string | null;
}

/** Facts about the chain besides its records. */
export interface ChainEnds {
  head: ChainHead;
  /** The last record that was removed for its age; `CHAIN_START` if none was. */
  pruned: ChainHead;
  prunedSeal: string | null;
}

/** A record outside the chain. The service never writes one. */
interface OutsideRow {
  id: number;
  at_ms: number;
  event: string;
}

const ROWS_AT_ONCE = 2000;

/** Reads the ends of the chain; undefined if their row is gone. */
export async function readEnds(database: Database): Promise<ChainEnds | undefined> {
  const row = await database('audit_chain').where({ id: 1 }).first();
  return (
    row && {
      head: { sequence: Number(row.sequence), digest: row.digest },
      pruned: { sequence: Number(row.pruned_sequence), digest: row.pruned_digest },
      prunedSeal: row.pruned_seal,
    }
  );
}

/** Reads the records after the one with this number, in the order of the chain, a few at a time. */
export async function* readChain(database: Database, after = 0): AsyncGenerator<ChainedRow[]> {
  // Records with the same number are in the order of their ids. A table that lost its index may have a number twice.
  let [sequence, id] = [after, Number.MAX_SAFE_INTEGER];
  for (;;) {
    const rows = await database('audit_events')
      .whereNotNull('sequence')
      .whereRaw('(sequence > ? or (sequence = ? and id > ?))', [sequence, sequence, id])
      .orderBy('sequence')
      .orderBy('id')
      .limit(ROWS_AT_ONCE);
    if (rows.length === 0) return;
    const chained: ChainedRow[] = rows.map((row) => ({
      ...row,
      id: Number(row.id),
      at_ms: Number(row.at_ms),
      sequence: Number(row.sequence),
    }));
    yield chained;
    ({ sequence, id = 0 } = chained.at(-1) as ChainedRow);
  }
}

/** Reads the records outside the chain, in the order of their ids. */
export async function readOutside(database: Database): Promise<OutsideRow[]> {
  const rows = await database('audit_events').select('id', 'at_ms', 'event').whereNull('sequence').orderBy('id');
  return rows.map(({ id, at_ms, event }) => ({ id: Number(id), at_ms: Number(at_ms), event }));
}
