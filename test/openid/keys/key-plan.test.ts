// SEC-25: which key signs, which is published and which is done with, at any time. The clock is an argument.

import { describe, expect, it } from '@jest/globals';
import { newKey, planKeys, providerKeys, usableFrom } from '#openid/keys/service-keys.ts';
import type { KeyKind, ServiceKey } from '#store/oidc/service-keys.ts';

const DAY = 86_400;
const TIMES = { cachedFor: 3600, session: 12 * 3600, deviceCookie: 90 * 86_400 };

const key = (id: string, activeAt: number, kind: KeyKind = 'ES256'): ServiceKey => ({
  id,
  kind,
  material: JSON.stringify({ kid: id }),
  createdAt: activeAt,
  activeAt,
});
const statesAt = (now: number, keys: ServiceKey[], times = TIMES) =>
  Object.fromEntries(planKeys(keys, now, times).map(({ id, state }) => [id, state]));

describe('SEC-25 the life of a key', () => {
  const rotated = usableFrom(1000, TIMES);
  const pair = [key('old', 0), key('new', rotated)];

  it('it waits for as long as relying parties keep the key set, and then signs', () => {
    expect(rotated).toBeGreaterThan(1000 + TIMES.cachedFor);
    expect(statesAt(rotated - 1, pair)).toEqual({ old: 'active', new: 'waiting' });
    expect(statesAt(rotated, pair)).toEqual({ old: 'retired', new: 'active' });
  });

  it('it is kept until the last token it signed has expired, and a session that holds one has ended', () => {
    expect(statesAt(rotated + DAY, pair)['old']).toBe('retired');
    expect(statesAt(rotated + DAY + 3600, pair)['old']).toBe('done');
    const long = { ...TIMES, session: 30 * DAY };
    expect(statesAt(rotated + 30 * DAY, pair, long)['old']).toBe('retired');
    expect(statesAt(rotated + 31 * DAY, pair, long)['old']).toBe('done');
  });

  it('SEC-59 a cookie key is kept as long as a browser stays known', () => {
    const cookies = pair.map((one) => ({ ...one, kind: 'cookies' as const }));
    expect(statesAt(rotated + 90 * DAY, cookies)['old']).toBe('retired');
    expect(statesAt(rotated + 91 * DAY, cookies)['old']).toBe('done');
  });

  it('after several rotations one signs, whatever the others are', () => {
    const keys = [key('a', 0), key('b', 10), key('c', 20), key('d', 30)];
    expect(statesAt(20, keys)).toEqual({ a: 'retired', b: 'retired', c: 'active', d: 'waiting' });
    expect(statesAt(10 * DAY, keys)).toEqual({ a: 'done', b: 'done', c: 'done', d: 'active' });
  });

  it('a clock that is behind uses the first key rather than none', () => {
    expect(statesAt(-5, [key('only', 0)])).toEqual({ only: 'active' });
  });

  it('the provider gets the active key of each algorithm first, and never one that is done with', () => {
    const keys = [key('a', 0), key('b', 10), key('c', 2 * DAY), key('ed', 0, 'EdDSA')];
    const order = (now: number) => providerKeys(planKeys(keys, now, TIMES)).signing.map(({ kid }) => kid);
    expect(order(15)).toEqual(['b', 'ed', 'c', 'a']);
    expect(order(2 * DAY)).toEqual(['c', 'ed', 'b']);
  });

  it('each kind is made as its algorithm wants it', async () => {
    const made = await Promise.all((['RS256', 'ES256', 'EdDSA'] as const).map(newKey));
    expect(made.map(({ material }) => JSON.parse(material))).toMatchObject([
      { kty: 'RSA', alg: 'RS256', use: 'sig' },
      { kty: 'EC', crv: 'P-256', alg: 'ES256', use: 'sig' },
      { kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', use: 'sig' },
    ]);
    expect(Buffer.from(String(JSON.parse(made[0]?.material ?? '').n), 'base64url')).toHaveLength(256);
    expect(Buffer.from((await newKey('cookies')).material, 'base64url')).toHaveLength(32);
  });
});
