// The hash chain of the audit trail (SEC-67). The digest of each record covers its content and the previous digest, so that none can be
// changed, removed, inserted or moved without changing all later ones. Seals show that the service computed the digests.

import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import { deriveKey } from '#shared/crypto/encryption.ts';

/** Columns of a record as its digest covers them. `details` is the stored JSON text. */
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

/** The digest of the record that follows `previous`: SHA-256, base64url, of the digest before and the JSON of the columns. */
export function nextDigest(previous: ChainHead, content: ChainedContent): string {
  const { at_ms, event, outcome, actor, account_id, client_id, address, request_id, details } = content;
  const values = [at_ms, event, outcome, actor, account_id, client_id, address, request_id, details];
  return hash('sha256', `${previous.digest}\n${JSON.stringify([previous.sequence + 1, ...values])}`, 'base64url');
}

export function headText({ sequence, digest }: ChainHead): string {
  return `${sequence}:${digest}`;
}

/** The reverse of `headText`; undefined for an invalid text. */
export function parseHead(text: string): ChainHead | undefined {
  const [, sequence, digest] = /^(\d{1,15}):([\w-]{43})$/.exec(text) ?? [];
  return digest === undefined ? undefined : { sequence: Number(sequence), digest };
}

/** Sealed texts: of a record, and of the place up to which a clean-up removed records. */
export const sealedRecord = ({ digest }: ChainHead) => digest;
export const sealedCleanUp = (head: ChainHead) => `clean-up ${headText(head)}`;

export interface Seals {
  /** Undefined without a secret. */
  seal(text: string): string | undefined;
  check(text: string, seal: string): 'valid' | 'wrong' | 'unknown key';
  /** True if there is a secret. */
  available: boolean;
}

// The same everywhere, so that an exported file can be verified without the database. Secrets are long, and each belongs to one
// installation.
const SALT = Buffer.from('hygie audit seals').toString('base64url');

/**
 * Seals are HMAC-SHA-256, cut to 128 bits (RFC 2104 section 5), after the name of their key. Keys are derived from the operator's secrets:
 * the first one seals, all verify.
 */
export async function openSeals(secrets: readonly string[]): Promise<Seals> {
  const keys = await Promise.all(secrets.map((secret) => deriveKey(secret, SALT)));
  const named = new Map(keys.map((key) => [mac(key, 'name').subarray(0, 6).toString('base64url'), key]));
  const [first] = named;
  const sealWith = (name: string, key: Buffer, text: string) =>
    `${name}.${mac(key, text).subarray(0, 16).toString('base64url')}`;
  return {
    seal: (text) => first && sealWith(...first, text),
    check: (text, seal) => {
      const name = seal.split('.', 1)[0] ?? '';
      const key = named.get(name);
      if (!key) return 'unknown key';
      const [expected, given] = [Buffer.from(sealWith(name, key, text)), Buffer.from(seal)];
      return expected.length === given.length && timingSafeEqual(expected, given) ? 'valid' : 'wrong';
    },
    available: first !== undefined,
  };
}

function mac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
