// Makes keys of each kind, and plans which keys are waiting, active, retired or done at a given time.

import { randomBytes } from 'node:crypto';
import { exportJWK, generateKeyPair } from 'jose';
import type { JWK } from 'oidc-provider';
import { digest } from '#shared/crypto/digest.ts';
import { KEY_KINDS, type KeyKind, type ServiceKey } from '#store/oidc/service-keys.ts';

/** JWS algorithms of ID tokens. A client uses the first one if its settings name no algorithm (OpenID Connect Core, section 15.1). */
export const ID_TOKEN_ALGORITHMS = ['RS256', 'ES256', 'EdDSA'] as const;

export interface ProviderKeys {
  /** Private JWKs. The first JWK of each algorithm signs. */
  signing: JWK[];
  /** Secrets for cookies. New cookies are signed with the first secret, and each secret can verify cookies. */
  cookies: string[];
}

/** Seconds after which every instance has surely noticed a new key. */
const NOTICED_WITHIN = 5;

/**
 * Maximum lifetime of an ID token in seconds (`config/service/service-schema.ts`). `MARGIN` is added because clocks may differ by up to an
 * hour.
 */
const LONGEST_ID_TOKEN = 86_400;
const MARGIN = 3600;

export interface KeyTimes {
  /** Seconds for which relying parties may cache the key set. */
  cachedFor: number;
  /**
   * Maximum seconds of a sign-in session. A replaced key must verify for that long, because session cookies, and ID tokens that are sent as
   * hints, can be that old.
   */
  session: number;
  /** Lifetime in seconds of the cookie that marks a known browser. */
  deviceCookie: number;
}

/**
 * `waiting`: the key is published, but not used yet. `active`: the key signs. `retired`: the key only verifies what it signed earlier.
 * `done`: nothing that the key signed is valid any more.
 */
type KeyState = 'waiting' | 'active' | 'retired' | 'done';

export interface PlannedKey extends ServiceKey {
  state: KeyState;
  /** Time from which nothing that the key signed is valid, in seconds since 1970; undefined while the key has no successor. */
  neededUntil?: number;
}

/**
 * Returns each key with its state at the time `now` (seconds since 1970). The keys are sorted by kind, and within a kind from the newest to
 * the oldest.
 */
export function planKeys(
  keys: readonly ServiceKey[],
  now: number,
  { session, deviceCookie }: Pick<KeyTimes, 'session' | 'deviceCookie'>,
): PlannedKey[] {
  return KEY_KINDS.flatMap((kind) => {
    const own = keys.filter((key) => key.kind === kind);
    // If this machine's clock is behind, it may be too early for every key. The oldest key is active then.
    const active = Math.max(
      0,
      own.findLastIndex(({ activeAt }) => activeAt <= now),
    );
    return own
      .map((key, index): PlannedKey => {
        const successor = own[index + 1];
        const longest = Math.max(LONGEST_ID_TOKEN, session, kind === 'cookies' ? deviceCookie : 0);
        const neededUntil = successor && successor.activeAt + longest + MARGIN;
        const state = stateOf({ index, active, neededUntil, now });
        return { ...key, state, ...(neededUntil !== undefined && { neededUntil }) };
      })
      .reverse();
  });
}

interface KeyPosition {
  /** Index of the key among the keys of its kind, from the oldest to the newest. `active` is the index of the active key. */
  index: number;
  active: number;
  neededUntil: number | undefined;
  now: number;
}

function stateOf({ index, active, neededUntil, now }: KeyPosition): KeyState {
  if (index > active) return 'waiting';
  if (index === active) return 'active';
  return neededUntil !== undefined && neededUntil <= now ? 'done' : 'retired';
}

/**
 * Returns the time from which a key that is made now may be used, in seconds since 1970. By then, relying parties have replaced every
 * cached key set that lacks the key.
 */
export function usableFrom(now: number, { cachedFor }: Pick<KeyTimes, 'cachedFor'>): number {
  return now + cachedFor + NOTICED_WITHIN;
}

/**
 * Returns the time at which a kind is due for a new key, in seconds since 1970: `rotateAfter` seconds after its newest key. Returns
 * undefined if the kind has no key, or if `rotateAfter` is 0, which means never.
 */
export function nextRotation(plan: readonly PlannedKey[], kind: KeyKind, rotateAfter: number): number | undefined {
  const newest = plan.find((key) => key.kind === kind);
  if (!newest || rotateAfter === 0) return undefined;
  // The earlier of the two times is used, because a clock that was ahead may have set the later one.
  return Math.min(newest.createdAt, newest.activeAt) + rotateAfter;
}

/** Returns the kinds that are due for a new key at the time `now` (seconds since 1970). */
export function dueForRotation(plan: readonly PlannedKey[], rotateAfter: number, now: number): KeyKind[] {
  return KEY_KINDS.filter((kind) => (nextRotation(plan, kind, rotateAfter) ?? Number.POSITIVE_INFINITY) <= now);
}

/** Makes a new key of a kind. The returned `material` is not encrypted. */
export async function newKey(kind: KeyKind): Promise<{ id: string; kind: KeyKind; material: string }> {
  if (kind === 'cookies') {
    return { id: randomBytes(12).toString('base64url'), kind, material: randomBytes(32).toString('base64url') };
  }
  const { privateKey } = await generateKeyPair(kind, { extractable: true });
  const jwk = await exportJWK(privateKey);
  const id = digest(String(jwk.n ?? jwk.x)).slice(0, 16);
  return { id, kind, material: JSON.stringify({ ...jwk, kid: id, alg: kind, use: 'sig' }) };
}

/** Returns the keys for the provider. Keys that are `done` are left out, and the active key of each algorithm comes first. */
export function providerKeys(planned: readonly PlannedKey[]): ProviderKeys {
  const rank = ({ state }: PlannedKey) => (state === 'active' ? 0 : 1);
  const inUse = planned.filter(({ state }) => state !== 'done').sort((one, other) => rank(one) - rank(other));
  return {
    signing: inUse.filter(({ kind }) => kind !== 'cookies').map(({ material }) => JSON.parse(material) as JWK),
    cookies: inUse.filter(({ kind }) => kind === 'cookies').map(({ material }) => material),
  };
}
