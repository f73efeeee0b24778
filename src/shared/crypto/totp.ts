// Time-based one-time passwords (RFC 6238) in the form of every authenticator app: SHA-1, 30 seconds, six digits.

import { randomBytes } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';

/** Bytes of a secret: 160 bits, as RFC 4226 section 4 recommends. */
const SECRET_BYTES = 20;
const STEP_SECONDS = 30;

/** Makes a new secret. */
export function newTotpSecret(): Buffer {
  return randomBytes(SECRET_BYTES);
}

/** Returns the secret in base 32 (RFC 4648 section 6), upper case and unpadded, as people type it into an app. */
export function base32(secret: Buffer): string {
  return secretOf(secret).base32;
}

/** Returns the number of the time step at `seconds` since the epoch (RFC 6238 section 4.2). */
export function stepAt(seconds: number): number {
  return Math.floor(seconds / STEP_SECONDS);
}

/** Returns the code of a time step: six digits (RFC 4226 section 5.3). */
export function totp(secret: Buffer, step: number): string {
  return TOTP.generate({ secret: secretOf(secret), timestamp: step * STEP_SECONDS * 1000 });
}

/**
 * Finds the time step of the typed code, at `seconds` since the epoch, in constant time. It accepts the present step, the one before
 * (typing takes time) and the one after (clocks differ): RFC 6238 section 5.2. Any other code gives undefined.
 */
export function stepOfCode(secret: Buffer, code: string, seconds: number): number | undefined {
  // The form is checked first, because the library throws an error if the code has characters of more than one byte.
  if (!/^\d{6}$/.test(code)) return undefined;
  const delta = TOTP.validate({ token: code, secret: secretOf(secret), timestamp: seconds * 1000, window: 1 });
  return delta === null ? undefined : stepAt(seconds) + delta;
}

/** Makes the address that an authenticator app reads as a QR code (https://github.com/google/google-authenticator/wiki/Key-Uri-Format). */
export function totpAddress(secret: Buffer, { issuer, account }: { issuer: string; account: string }): string {
  return new TOTP({ issuer: inAddress(issuer), label: inAddress(account), secret: secretOf(secret) }).toString();
}

function secretOf(bytes: Buffer): Secret {
  return Secret.fromHex(bytes.toString('hex'));
}

/**
 * Maximum characters of a name that an app shows. A longer name is cut, because a QR code of the longest possible name would be too large
 * to be made.
 */
const LONGEST_NAME = 60;

// A colon divides issuer and account. Apps do not agree on the spelling of a colon within a name, so it becomes a blank.
function inAddress(name: string): string {
  return [...name.toWellFormed().replaceAll(':', ' ')].slice(0, LONGEST_NAME).join('');
}
