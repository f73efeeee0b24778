// Seals show that a process with a secret of this service wrote a text: a record of the audit trail, a backup, a snapshot of the directory.

import { createHmac, timingSafeEqual } from 'node:crypto';
import { deriveKey } from './encryption.ts';

export interface Seals {
  /** Returns the seal of a text; undefined without a secret. */
  seal(text: string): string | undefined;
  check(text: string, seal: string): 'valid' | 'wrong' | 'unknown key';
  /** True if there is a secret to seal with. */
  available: boolean;
}

// All installations have the same salt, so that an exported file can be verified without the database. That is safe, because secrets are
// long, and each belongs to one installation.
const SALT = Buffer.from('hygie audit seals').toString('base64url');

const opened = new WeakMap<readonly string[], Promise<Seals>>();

/**
 * Returns the object that makes and verifies seals with keys that are derived from these secrets. The keys are derived once for each list
 * of secrets; a process has one list, in its settings.
 */
export function openSeals(secrets: readonly string[]): Promise<Seals> {
  const seals = opened.get(secrets) ?? derive(secrets);
  opened.set(secrets, seals);
  // A failed derivation is forgotten, so that the next caller tries again.
  seals.catch(() => opened.delete(secrets));
  return seals;
}

/**
 * Derives the keys of seals from the operator's secrets. The first key makes new seals; each key can verify those that it has made. A seal
 * is the name of its key and an HMAC-SHA-256, cut to 128 bits (RFC 2104 section 5).
 */
async function derive(secrets: readonly string[]): Promise<Seals> {
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
