// Recovery codes: their form, the accepted spellings, and their stored form (OWASP ASVS 5 section 6.5).

import { randomBytes } from 'node:crypto';
import { digest } from './digest.ts';

/** Number of codes that are made at a time. */
export const RECOVERY_CODES = 8;

// Crockford's base 32. It has no I, L, O and U, because people misread these letters.
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
// 80 bits: few enough to type without a mistake, and too many to find a code from its plain digest (decision 8).
const LENGTH = 16;
const GROUP = 4;
/** Length of the codes of earlier releases, which people may still have. */
const EARLIER_LENGTH = 24;

/** Makes new codes in the form in which people see them: `7K2Q-90TR-HJ4C-WZ1N`. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: RECOVERY_CODES }, newRecoveryCode);
}

/** Checks whether the typed text has the form of a recovery code, in any grouping and case. */
export function isRecoveryCode(typed: string): boolean {
  const text = normalized(typed);
  return [LENGTH, EARLIER_LENGTH].includes(text.length) && new RegExp(`^[${ALPHABET}]+$`).test(text);
}

/** Returns the digest to store for a code. It depends on the account, so that the same code of two accounts has two different digests. */
export function recoveryCodeDigest(accountId: string, code: string): string {
  return digest(`recovery code ${accountId} ${normalized(code)}`);
}

function newRecoveryCode(): string {
  const characters = [...randomBytes(LENGTH)].map((byte) => ALPHABET[byte & 31]).join('');
  return (characters.match(new RegExp(`.{${GROUP}}`, 'g')) ?? []).join('-');
}

function normalized(typed: string): string {
  const misread: Record<string, string> = { O: '0', I: '1', L: '1' };
  return typed
    .toUpperCase()
    .replace(/[\s\-–—]/g, '')
    .replace(/[OIL]/g, (letter) => misread[letter] ?? letter);
}
