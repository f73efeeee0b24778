// Owns time-based one-time passwords: RFC 6238 as every authenticator app has it (SHA-1, 30 seconds, six digits).
// Does not own which codes were used already (`src/store/accounts/second-factors.ts`).

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { encodeBase32 } from './base32.ts';

/** RFC 4226 section 4 recommends 160 bits. */
const SECRET_BYTES = 20;
const STEP_SECONDS = 30;
const DIGITS = 6;

/** A new secret. */
export function newTotpSecret(): Buffer {
  return randomBytes(SECRET_BYTES);
}

/** Number of the time step that `seconds` since the epoch lie in (RFC 6238 section 4.2). */
export function stepAt(seconds: number): number {
  return Math.floor(seconds / STEP_SECONDS);
}

/** The code of a time step: six digits (RFC 4226 section 5.3). */
export function totp(secret: Buffer, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', secret).update(counter).digest();
  const offset = mac.readUInt8(mac.length - 1) & 0xf;
  const number = (mac.readUInt32BE(offset) & 0x7fffffff) % 10 ** DIGITS;
  return String(number).padStart(DIGITS, '0');
}

/**
 * The time step whose code was typed, at `seconds` since the epoch; undefined when it is none of the present one, the one
 * before (typing takes time) and the one after (clocks differ): RFC 6238 section 5.2. In constant time.
 */
export function stepOfCode(secret: Buffer, code: string, seconds: number): number | undefined {
  const now = stepAt(seconds);
  const typed = Buffer.from(code);
  let found: number | undefined;
  for (const step of [now - 1, now, now + 1]) {
    const expected = Buffer.from(totp(secret, step));
    if (expected.length === typed.length && timingSafeEqual(expected, typed)) found = step;
  }
  return found;
}

/**
 * The address that an authenticator app takes as a QR code
 * (https://github.com/google/google-authenticator/wiki/Key-Uri-Format).
 */
export function totpAddress(secret: Buffer, { issuer, account }: { issuer: string; account: string }): string {
  const [service, person] = [inAddress(issuer), inAddress(account)];
  const parameters = {
    secret: encodeBase32(secret),
    issuer: service,
    algorithm: 'SHA1',
    digits: DIGITS,
    period: STEP_SECONDS,
  };
  // Not URLSearchParams: apps show its `+` for a space as it is.
  const query = Object.entries(parameters).map(([name, value]) => `${name}=${value}`);
  return `otpauth://totp/${service}:${person}?${query.join('&')}`;
}

/** Of a name, as many characters as an app shows; a QR code of all that a name may hold would be too large to be made. */
const LONGEST_NAME = 60;

// A colon divides the two, and apps do not agree on how one within a name is written.
function inAddress(name: string): string {
  const shown = [...name.toWellFormed().replaceAll(':', ' ')].slice(0, LONGEST_NAME).join('');
  return encodeURIComponent(shown);
}
