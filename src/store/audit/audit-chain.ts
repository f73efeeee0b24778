// The hash chain of the audit trail (SEC-67). The digest of each record covers its content and the previous digest. So no record can be
// changed, removed, inserted or moved without changing all later ones. Seals show that the service computed the digests.

import { hash } from 'node:crypto';

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

/** A place in the chain: the number of a record, 1 for the first one, and its digest. Its text form is `12345:DIGEST`. */
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
