// The hash chain of the audit trail (SEC-67). The digest of each record covers its content and the previous digest. So no record can be
// changed, removed, inserted or moved without changing all later ones. Seals show that the service computed the digests. Reads the stored
// chain in order, for `audit verify` and `audit export`.

import { hash } from 'node:crypto';
import type { Database } from '#store/database/connection.ts';

/** The columns of a record that its digest covers. `details` is the stored JSON text. */
export interface ChainedContent {
  at_ms: number;
  event: string;
  outcome: string;
  actor: string;
  account_id: string | null;
  client_id: string | null;
  address: string | null;
  request_id: string | null;
  details: string | null;
}

/** A place in the chain: the number of a record and its digest. The first record has the number 1. As text, a place is `12345:DIGEST`. */
export interface ChainHead {
  sequence: number;
  digest: string;
}

/** The place before the first record. */
export const CHAIN_START: ChainHead = { sequence: 0, digest: hash('sha256', 'hygie audit trail', 'base64url') };

/** Returns the digest of the record that follows `previous`: SHA-256, in base64url, of the previous digest and the JSON of the columns. */
export function nextDigest(previous: ChainHead, content: ChainedContent): string {
  const { at_ms, event, outcome, actor, account_id, client_id, address, request_id, details } = content;
  const values = [at_ms, event, outcome, actor, account_id, client_id, address, request_id, details];
  return hash('sha256', `${previous.digest}\n${JSON.stringify([previous.sequence + 1, ...values])}`, 'base64url');
}

export function headText({ sequence, digest }: ChainHead): string {
  return `${sequence}:${digest}`;
}

/** Parses the text of `headText`; undefined for an invalid text. */
export function parseHead(text: string): ChainHead | undefined {
  const [, sequence, digest] = /^(\d{1,15}):([\w-]{43})$/.exec(text) ?? [];
  return digest === undefined ? undefined : { sequence: Number(sequence), digest };
}

/** The texts that are sealed: one for a record, and one for the place up to which a clean-up removed records. */
export const sealedRecord = ({ digest }: ChainHead) => digest;
export const sealedCleanUp = (head: ChainHead) => `clean-up ${headText(head)}`;

/** A record of the chain as it is stored. */
export interface ChainedRow extends ChainedContent, ChainHead {
  /** Absent in an exported file. */
  id?: number;
  seal: string | null;
}

/** The ends of the chain, which are stored apart from its records. */
export interface ChainEnds {
  head: ChainHead;
  /** The last record that was removed for its age; `CHAIN_START` if no record was. */
  pruned: ChainHead;
  prunedSeal: string | null;
}

/** A record of the table that is not part of the chain. The service never writes such a record. */
interface OutsideRow {
  id: number;
  at_ms: number;
  event: string;
}

const ROWS_AT_ONCE = 2000;

/** Reads the ends of the chain; undefined if the row that holds them is gone. */
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

/** Reads the records after the one with this number, in the order of the chain and in pages. */
export async function* readChain(database: Database, after = 0): AsyncGenerator<ChainedRow[]> {
  // A table that lost its index may have a number twice. So records with the same number are read in the order of their ids.
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
