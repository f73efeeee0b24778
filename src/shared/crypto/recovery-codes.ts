// Recovery codes: their form, how people may type them, and what is stored of them (OWASP ASVS 5 section 6.5).

import { randomBytes } from 'node:crypto';
import { digest } from './digest.ts';

/** How many are made at a time. */
export const RECOVERY_CODES = 8;

// Crockford's base 32: without I, L, O and U, which are misread.
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
// 120 bits: from 112 on, a plain digest of a code cannot be guessed back (ASVS 5, 6.5.2).
const LENGTH = 24;
const GROUP = 6;

/** New codes, as they are shown: `7K2QXM-90TRVA-HJ4C8D-WZ1N5E`. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: RECOVERY_CODES }, newRecoveryCode);
}

/** Whether what was typed has the form of a recovery code, however grouped and in whatever case. */
export function isRecoveryCode(typed: string): boolean {
  return new RegExp(`^[${ALPHABET}]{${LENGTH}}$`).test(normalized(typed));
}

/** Returns what is stored for a code. It depends on the account, so that equal codes are not equal rows. */
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
