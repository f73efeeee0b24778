// Makes keys of each kind, and plans which keys are waiting, active, retired or done at a given time.

import { randomBytes } from 'node:crypto';
import { exportJWK, generateKeyPair } from 'jose';
import type { JWK } from 'oidc-provider';
import { digest } from '#shared/crypto/digest.ts';
import { KEY_KINDS, type KeyKind, type ServiceKey } from '#store/oidc/service-keys.ts';

/** JWS algorithms of ID tokens. The first one is for clients that name none (OpenID Connect Core, section 15.1). */
export const ID_TOKEN_ALGORITHMS = ['RS256', 'ES256', 'EdDSA'] as const;

export interface ProviderKeys {
  /** Private JWKs. The first one of each algorithm signs. */
  signing: JWK[];
  /** Secrets for cookies. The first one signs; all of them verify. */
  cookies: string[];
}

/** Seconds after which every instance has surely noticed a new key. */
const NOTICED_WITHIN = 5;

/** Maximum seconds of an ID token (`config/service/service-schema.ts`). `MARGIN` is for clocks that differ by up to an hour. */
const LONGEST_ID_TOKEN = 86_400;
const MARGIN = 3600;

export interface KeyTimes {
  /** Seconds that relying parties may keep the key set. */
  cachedFor: number;
  /** Maximum seconds of a sign-in session. Its cookie, and ID tokens sent as hints, can be that old. */
  session: number;
  /** Seconds that the cookie of a known browser lasts. */
  deviceCookie: number;
}

/**
 * `waiting`: published, but not used yet. `active`: signs. `retired`: only verifies older signatures. `done`: signed nothing that is still
 * valid.
 */
type KeyState = 'waiting' | 'active' | 'retired' | 'done';

export interface PlannedKey extends ServiceKey {
  state: KeyState;
  /** When the key stops being needed, in seconds since 1970; undefined while it has no successor. */
  neededUntil?: number;
}

/** Returns each key with its state at the time `now` (seconds since 1970), sorted by kind and then newest first. */
export function planKeys(
  keys: readonly ServiceKey[],
  now: number,
  { session, deviceCookie }: Pick<KeyTimes, 'session' | 'deviceCookie'>,
): PlannedKey[] {
  return KEY_KINDS.flatMap((kind) => {
    const own = keys.filter((key) => key.kind === kind);
    // No key may be due yet if this machine's clock is behind. Then the first one is active.
    const active = Math.max(
      0,
      own.findLastIndex(({ activeAt }) => activeAt <= now),
    );
    return own
      .map((key, index): PlannedKey => {
        const successor = own[index + 1];
        const longest = Math.max(LONGEST_ID_TOKEN, session, kind === 'cookies' ? deviceCookie : 0);
        const neededUntil = successor && successor.activeAt + longest + MARGIN;
        const state = index > active ? 'waiting' : index === active ? 'active' : ended(neededUntil, now);
        return { ...key, state, ...(neededUntil !== undefined && { neededUntil }) };
      })
      .reverse();
  });
}

function ended(neededUntil: number | undefined, now: number): 'retired' | 'done' {
  return neededUntil !== undefined && neededUntil <= now ? 'done' : 'retired';
}

/** When a key that is made now may be used, in seconds since 1970. By then no relying party uses a cached key set without it. */
export function usableFrom(now: number, { cachedFor }: Pick<KeyTimes, 'cachedFor'>): number {
  return now + cachedFor + NOTICED_WITHIN;
}

/** Makes a new key of a kind. `material` is in plain text. */
export async function newKey(kind: KeyKind): Promise<{ id: string; kind: KeyKind; material: string }> {
  if (kind === 'cookies') {
    return { id: randomBytes(12).toString('base64url'), kind, material: randomBytes(32).toString('base64url') };
  }
  const { privateKey } = await generateKeyPair(kind, { extractable: true });
  const jwk = await exportJWK(privateKey);
  const id = digest(String(jwk.n ?? jwk.x)).slice(0, 16);
  return { id, kind, material: JSON.stringify({ ...jwk, kid: id, alg: kind, use: 'sig' }) };
}

/** The keys for the provider, without those that are done. The active key of each algorithm comes first. */
export function providerKeys(planned: readonly PlannedKey[]): ProviderKeys {
  const rank = ({ state }: PlannedKey) => (state === 'active' ? 0 : 1);
  const inUse = planned.filter(({ state }) => state !== 'done').sort((one, other) => rank(one) - rank(other));
  return {
    signing: inUse.filter(({ kind }) => kind !== 'cookies').map(({ material }) => JSON.parse(material) as JWK),
    cookies: inUse.filter(({ kind }) => kind === 'cookies').map(({ material }) => material),
  };
}
