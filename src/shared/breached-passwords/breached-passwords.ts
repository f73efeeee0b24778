// Checks passwords against the list of breached and common ones (SEC-66; NIST SP 800-63B-4 section 3.1.1.2, OWASP ASVS 5 6.2.4 and 6.2.12).
// README.md names the source of the list.

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';

/** Minimum length of a password on the list. The list needs no shorter ones, because they are refused for their length. */
export const LEAST_LISTED = 12;
/** Bytes of each SHA-256 that the list holds. With 100,000 entries, one good password in 43,000 is mistaken for a listed one. */
export const DIGEST_BYTES = 4;
export const LIST = new URL('./list.bin', import.meta.url);

/** Returns a password in the form in which the list holds it. */
export function listed(password: string): string {
  return password.normalize('NFC').toLowerCase();
}

/** Returns the digest of a password, as the list has it. */
export function listDigest(password: string): Buffer {
  return createHash('sha256').update(listed(password)).digest().subarray(0, DIGEST_BYTES);
}

/**
 * Checks whether one of these passwords is on the list, in upper or lower case. The list is read from its file each time and not kept in
 * memory, because passwords are rarely set.
 */
export async function isBreached(passwords: readonly string[]): Promise<boolean> {
  const wanted = passwords.filter((password) => [...password].length >= LEAST_LISTED).map(listDigest);
  if (wanted.length === 0) return false;
  const list = await readFile(LIST);
  return wanted.some((digest) => contains(list, digest));
}

function contains(list: Buffer, digest: Buffer): boolean {
  let low = 0;
  let high = list.length / DIGEST_BYTES;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const order = list.compare(digest, 0, DIGEST_BYTES, middle * DIGEST_BYTES, (middle + 1) * DIGEST_BYTES);
    if (order === 0) return true;
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return false;
}
