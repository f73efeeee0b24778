// SEC-25: when keys are made, used and given up, by plan and by several instances.

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type KeyChange, type KeyVault, rotateKeys } from '#openid/keys/key-changes.ts';
import { planKeys, providerKeys } from '#openid/keys/key-plan.ts';
import { type KeyRing, openKeyRing } from '#openid/keys/key-ring.ts';
import { epochSeconds } from '#store/database/connection.ts';
import { type KeyKind, openServiceKeys, type ServiceKey } from '#store/oidc/service-keys.ts';
import { bothEngines } from '#support/both-engines.ts';
import { openTestDatabase, type TestDatabase } from '#support/databases.ts';
import { encryptionWith } from '#support/encryption.ts';

// SEC-25: keys are rotated and removed by schedule, once for all instances; one that cannot read a new key goes on without it.
const DAY = 86_400;
/**
 * What goes on by the real clock: all but the look that each ring takes every second, which here is taken when it is asked for.
 */
const REAL = ['Date', 'hrtime', 'nextTick', 'performance', 'queueMicrotask', 'setImmediate', 'setTimeout'] as const;
const SECRET = 'a secret of the tests that encrypts nothing else';

describe.each(bothEngines('openid/keys/key-ring'))('SEC-25 the keys of several instances on %s', (engine) => {
  let opened: TestDatabase;
  const rings: KeyRing[] = [];
  const changes: KeyChange[] = [];
  const errors: string[] = [];
  beforeEach(async () => {
    jest.useFakeTimers({ doNotFake: [...REAL, 'clearImmediate', 'clearTimeout'] });
    opened = await openTestDatabase(engine);
    changes.length = 0;
    errors.length = 0;
  });
  afterEach(async () => {
    for (const ring of rings.splice(0)) await ring.close();
    await opened.close();
    jest.useRealTimers();
  });

  const vault = (secrets: string[] = [SECRET]): KeyVault => ({
    keys: openServiceKeys(opened.database),
    encryption: encryptionWith(secrets),
    times: { cachedFor: 3600, session: 12 * 3600, deviceCookie: 12 * 3600 },
  });
  const ring = async (secrets?: string[]) => {
    const log = { info: () => {}, warn: () => {}, error: (_about: object, message: string) => errors.push(message) };
    const one = await openKeyRing({
      vault: vault(secrets),
      rotateAfter: 90 * DAY,
      log: log as never,
      changed: (change) => changes.push(change),
    });
    rings.push(one);
    return one;
  };
  const kids = (one: KeyRing) => one.current().signing.map(({ kid }) => kid);
  const age = (seconds: number) =>
    opened.database('service_keys').update({
      created_at: opened.database.raw('created_at - ?', [seconds]),
      active_at: opened.database.raw('active_at - ?', [seconds]),
    });

  it('instances that start at once agree on one key of each kind', async () => {
    const started = await Promise.all([ring(), ring(), ring()]);
    expect(kids(started[0] as KeyRing)).toHaveLength(3);
    for (const one of started) expect(one.current()).toEqual(started[0]?.current());
    expect(changes.map(({ what }) => what)).toEqual(['created', 'created', 'created', 'created']);
  });

  it('keys older than the setting get a successor, made once; young ones none', async () => {
    const [one, other] = [await ring(), await ring()];
    const before = kids(one);
    await age(89 * DAY);
    await Promise.all([one.look(), other.look()]);
    expect(changes.splice(0)).toHaveLength(4);

    const late = await ring();
    await age(2 * DAY);
    const later = await ring();
    const asked = epochSeconds();
    await Promise.all([late.look(), later.look()]);
    expect(changes.map(({ what, kind }) => `${what} ${kind}`).sort()).toEqual(
      ['ES256', 'EdDSA', 'RS256', 'cookies'].map((kind) => `created ${kind}`),
    );
    for (const { activeAt = 0 } of changes) expect(activeAt).toBeGreaterThan(asked + 3600);
    await one.look();
    // The old ones still sign; the new ones are published.
    expect(kids(one)).toEqual(expect.arrayContaining(before));
    expect(kids(one)).toHaveLength(6);
    expect(kids(one).slice(0, 3)).toEqual(before);
  });

  it('a key that waited takes over when its time comes; what is done with is removed', async () => {
    const one = await ring();
    const before = kids(one);
    const seen: number[] = [];
    one.onChange(({ signing, cookies }) => seen.push(signing.length, cookies.length));
    await rotateKeys(vault(), ['RS256', 'cookies']);
    await one.look();
    const [, waitingCookie] = one.current().cookies;
    expect(seen.splice(0)).toEqual([4, 2]);
    await age(3700);
    await one.look();
    expect(kids(one)[0]).not.toBe(before[0]);
    expect(kids(one)).toContain(before[0]);
    expect(one.current().cookies[0]).toBe(waitingCookie);
    expect(seen.splice(0)).toEqual([4, 2]);
    await one.look();
    expect(seen).toEqual([]);

    await age(2 * DAY);
    const next = await ring();
    changes.length = 0;
    await next.look();
    expect(changes.map(({ what, kind }) => `${what} ${kind}`).sort()).toEqual(['removed RS256', 'removed cookies']);
    expect(await openServiceKeys(opened.database).list()).toHaveLength(4);
    expect(kids(next)).not.toContain(before[0]);
  });

  it('a key that is wanted at once is published by every instance before it signs', async () => {
    const rings = [await ring(), await ring()];
    const asked = epochSeconds();
    const [made] = await rotateKeys(vault(), ['RS256'], true);
    expect(made?.activeAt).toBeGreaterThanOrEqual(asked + 3);
    for (const one of rings) {
      await one.look();
      expect(kids(one)).toContain(made?.id);
    }
    await age(3);
    for (const one of rings) {
      await one.look();
      expect(kids(one)[0]).toBe(made?.id);
    }
  });
});

// SEC-25: which key signs, which is published and which is done with, at any time. The clock is an argument.
describe('SEC-25 the life of a key', () => {
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
});
