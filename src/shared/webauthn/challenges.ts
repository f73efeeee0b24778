// WebAuthn challenges that carry a MAC, by which the service recognises its own challenges. So showing a page stores nothing, and strangers
// may request pages as often as they like (SEC-58). The caller stores only the challenges that were used.

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** Seconds in which a response must come. The time is long, because a page that offers passkeys by autofill stays open for a while. */
export const CHALLENGE_LIFETIME = 600;

const NONCE_BYTES = 16;
const TIME_BYTES = 6;
const MAC_BYTES = 32;

export interface Challenges {
  /** Makes a challenge in base64url. `purpose` names the page and its user. */
  make(purpose: string): string;
  /** Checks that the challenge was made for this purpose, and has not expired. */
  isValid(challenge: string, purpose: string): boolean;
}

/**
 * Makes challenges. Each consists of 128 random bits, the time of its expiry in seconds, and an HMAC of both and of the purpose. The first
 * of `keys` signs new challenges. A challenge is valid if any of the keys signed it.
 */
export function createChallenges(keys: readonly string[], now = () => Math.floor(Date.now() / 1000)): Challenges {
  const macOf = (key: string, head: Uint8Array, purpose: string) =>
    createHmac('sha256', key).update('passkey challenge\n').update(head).update(purpose).digest();
  return {
    make: (purpose) => {
      const head = Buffer.alloc(NONCE_BYTES + TIME_BYTES);
      randomBytes(NONCE_BYTES).copy(head);
      head.writeUIntBE(now() + CHALLENGE_LIFETIME, NONCE_BYTES, TIME_BYTES);
      return Buffer.concat([head, macOf(keys[0] ?? '', head, purpose)]).toString('base64url');
    },
    isValid: (challenge, purpose) => {
      const bytes = Buffer.from(challenge, 'base64url');
      if (bytes.length !== NONCE_BYTES + TIME_BYTES + MAC_BYTES) return false;
      // The decoder passes over other letters. With them, a challenge that was used would look like a new one.
      if (bytes.toString('base64url') !== challenge) return false;
      const [head, mac] = [bytes.subarray(0, -MAC_BYTES), bytes.subarray(-MAC_BYTES)];
      if (!keys.some((key) => timingSafeEqual(mac, macOf(key, head, purpose)))) return false;
      return head.readUIntBE(NONCE_BYTES, TIME_BYTES) >= now();
    },
  };
}
