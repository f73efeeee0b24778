// SEC-39, SEC-66: the check of a password at a sign-in and the change of one, case by case: what is asked, counted, recorded and answered.

import { beforeEach, describe, expect, it } from '@jest/globals';
import { createAuthenticate, createStillRight } from '#openid/sign-in/login/authenticate.ts';
import { createChangePassword } from '#openid/sign-in/new-password/new-password.ts';
import { digest } from '#shared/crypto/digest.ts';
import { TooManyHashes } from '#shared/crypto/secret-hash.ts';
import { queueKeyOf } from '#shared/fair-queue.ts';

const ADDRESS = '192.0.2.1';
const EMAIL = 'zoe@clinic.example';
const GOOD = 'four unrelated words here';
const active = { id: 'a', email: EMAIL, name: 'Zoé Martin', status: 'active' };
const GOOD_ONE = { account: active, passwordHash: 'h' };
const OF_ANOTHER = { account: { ...active, id: 'b' }, passwordHash: 'h' };
const DISABLED = { account: { ...active, status: 'disabled' }, passwordHash: 'h' };

let calls: unknown[][];
const forgetCalls = () => {
  calls = [];
};
const called = (...call: unknown[]) => void calls.push(call);

describe('a password at a sign-in', () => {
  beforeEach(forgetCalls);
  const authenticate = (found: object | undefined, { matches = true, cheap = false } = {}) => {
    const accounts = {
      findByEmail: async (login: string) => {
        called('find', login);
        return found;
      },
      renewPasswordHash: async (...given: unknown[]) => called('renew', ...given),
    };
    const hashing = {
      verifyPassword: async (...given: unknown[]) => {
        called('verify', ...given);
        return matches;
      },
      needsRehash: () => cheap,
      hashPassword: async (password: string) => `new hash of ${password}`,
    };
    return createAuthenticate(accounts as never, hashing as never)('ZOE', 'secret', 'queue' as never);
  };
  const asked = (...hashes: string[]) => [
    ['find', 'ZOE'],
    ['verify', 'secret', hashes, 'queue'],
  ];

  it.each([
    ['nobody has', undefined, {}, { refused: 'no-account' }, []],
    ['nobody has, whatever matches', undefined, { matches: false }, { refused: 'no-account' }, []],
    ['has no password', { account: active }, {}, { refused: 'no-password', accountId: 'a' }, []],
    ['has another password', GOOD_ONE, { matches: false }, { refused: 'password', accountId: 'a' }, ['h']],
    ['is disabled, with another', DISABLED, { matches: false }, { refused: 'password', accountId: 'a' }, ['h']],
    ['is disabled', DISABLED, {}, { refused: 'disabled', accountId: 'a' }, ['h']],
  ])('of an account that %s is refused after the same work', async (_, found, how, result, hashes) => {
    expect(await authenticate(found, how)).toEqual(result);
    expect(calls).toEqual(asked(...hashes));
  });

  it('that is right tells whose it is, and of what time', async () => {
    const since = Math.floor(Date.now() / 1000) + 5;
    const account = { ...active, sessionsNotBefore: since, passwordChangeRequired: true };
    expect(await authenticate({ account, passwordHash: 'h' })).toEqual({
      accountId: 'a',
      email: EMAIL,
      signedInAt: since,
      passwordChangeRequired: true,
      passwordHashDigest: digest('h'),
    });
    expect(calls).toEqual(asked('h'));
    const { email: _, ...without } = active;
    expect(await authenticate({ account: without, passwordHash: 'h' })).toMatchObject({ email: 'a' });
  });

  it('SEC-40 whose hash is cheaper than those of today gets a new one, which counts from then on', async () => {
    expect(await authenticate(GOOD_ONE, { cheap: true })).toMatchObject({
      accountId: 'a',
      passwordHashDigest: digest('new hash of secret'),
    });
    expect(calls).toEqual([...asked('h'), ['renew', 'a', 'h', 'new hash of secret']]);
  });

  it.each([
    ['as it was', active, GOOD_ONE, true],
    ['with another password', active, { account: active, passwordHash: 'i' }, false],
    ['without a password', active, { account: active }, false],
    ['disabled', active, DISABLED, false],
    ['of somebody else by now', active, OF_ANOTHER, false],
    ['gone', undefined, undefined, false],
  ])('still is right for an account %s: %#', async (_, account, found, isRight) => {
    const asked: string[] = [];
    const accounts = {
      find: async (id: string) => {
        asked.push(id);
        return account;
      },
      findByEmail: async (email: string) => {
        asked.push(email);
        return found;
      },
    };
    expect(await createStillRight(accounts as never)('a', digest('h'))).toBe(isRight);
    expect(asked).toEqual(['a', account ? EMAIL : '']);
  });
});

describe('a new password', () => {
  beforeEach(forgetCalls);
  interface Case {
    found?: object;
    account?: object;
    attempt?: object;
    verify?: () => boolean;
    set?: number | undefined;
    change?: object;
  }
  const OPEN = {
    outcome: 'open',
    known: true,
    succeeded: async () => called('succeeded'),
    untried: async () => called('untried'),
  };
  const change = async ({ account = active, attempt = OPEN, verify = () => true, change = {}, ...more }: Case = {}) => {
    const found = 'found' in more ? more.found : GOOD_ONE;
    const notBefore = 'set' in more ? more.set : 7;
    const changePassword = createChangePassword({
      accounts: {
        find: async (id: string) => (id === 'a' ? account : undefined),
        findByEmail: async (email: string) => (email === EMAIL ? found : undefined),
        setPassword: async (...given: unknown[]) => {
          called('set', ...given);
          return notBefore;
        },
      },
      hashing: {
        verifyPassword: async (...given: unknown[]) => {
          called('verify', ...given);
          return verify();
        },
        hashPassword: async (password: string) => `hash of ${password}`,
      },
      throttle: {
        begin: async (...given: unknown[]) => {
          called('begin', ...given);
          return attempt;
        },
      },
      audit: { record: async (event: unknown) => called('record', event) },
    } as never);
    return changePassword({
      accountId: 'a',
      current: 'the present one',
      chosen: GOOD,
      different: false,
      keep: 'session',
      client: 'app',
      address: ADDRESS,
      about: { device: 'Firefox, Linux' },
      language: 'fr',
      ...change,
    });
  };
  const begun = ['begin', EMAIL, ADDRESS, 'session'];
  const verified = (password: string) => ['verify', password, ['h'], queueKeyOf(ADDRESS)];
  const recorded = (event: string, actor: string, reason?: string) => [
    'record',
    {
      event,
      actor,
      account: 'a',
      client: 'app',
      address: ADDRESS,
      language: 'fr',
      details: { ...(reason && { reason }), device: 'Firefox, Linux' },
    },
  ];
  const set = (own: boolean) => ['set', 'a', `hash of ${GOOD}`, { before: 'h', keep: 'session', own }];
  const done = [['succeeded'], recorded('account.password-changed', 'account:a')];

  it('takes the place of the present one, which has to be right, and ends the other sessions', async () => {
    expect(await change()).toEqual({ notBefore: 7, passwordHashDigest: digest(`hash of ${GOOD}`) });
    expect(calls).toEqual([begun, verified('the present one'), set(true), ...done]);
  });

  it('at a sign-in has to be another one than the present, which is known already', async () => {
    const atSignIn = { change: { current: undefined } };
    expect(await change({ ...atSignIn, verify: () => false })).toMatchObject({ notBefore: 7 });
    expect(calls).toEqual([begun, verified(GOOD), set(false), ...done]);
    calls = [];
    expect(await change(atSignIn)).toEqual({ problem: { kind: 'same' } });
    expect(calls).toEqual([begun, verified(GOOD), ['untried']]);
  });

  const SHORT = { kind: 'too-short', different: false };
  const PAUSE = { seconds: 9, of: 'network' };
  const THROTTLED = [begun, recorded('sign-in.throttled', 'unknown')];
  const VERIFIED = [begun, verified('the present one')];
  const full = () => {
    throw new TooManyHashes('passwords');
  };
  it.each<[string, Case, object, unknown[][]]>([
    ['without an address', { account: { id: 'a' } }, { kind: 'stale' }, []],
    ['of an account that is gone', { found: undefined as never }, { kind: 'stale' }, []],
    ['of somebody else by now', { found: OF_ANOTHER }, { kind: 'stale' }, []],
    ['without a password', { found: { account: active } }, { kind: 'stale' }, []],
    ['that is short', { change: { chosen: 'short' } }, SHORT, []],
    ['that is short, in two ways', { change: { chosen: 'short', different: true } }, { ...SHORT, different: true }, []],
    ['that is typed in two ways', { change: { different: true } }, { kind: 'different' }, []],
    [
      'after too many failures',
      { attempt: { outcome: 'waiting', ...PAUSE } },
      { kind: 'waiting', ...PAUSE },
      THROTTLED,
    ],
    ['while too many wait', { attempt: { outcome: 'busy' } }, { kind: 'busy' }, [begun]],
    ['while too many are checked', { verify: full }, { kind: 'busy' }, [...VERIFIED, ['untried']]],
    [
      'with a wrong present one',
      { verify: () => false },
      { kind: 'wrong' },
      [...VERIFIED, recorded('sign-in.failed', 'unknown', 'password')],
    ],
    [
      'that is the present one, however its accents are made',
      { change: { current: 'une tortue amus\u00e9e', chosen: 'une tortue amuse\u0301e' } },
      { kind: 'same' },
      [begun, verified('une tortue amus\u00e9e'), ['untried']],
    ],
    ['in the moment of another change', { set: undefined }, { kind: 'stale' }, [...VERIFIED, set(true)]],
  ])('%s is refused', async (_, of, problem, expected) => {
    expect(await change(of)).toEqual({ problem });
    expect(calls).toEqual(expected);
  });

  it('that cannot be checked for another reason is an error', async () => {
    const broken = new Error('away');
    const verify = () => {
      throw broken;
    };
    await expect(change({ verify })).rejects.toBe(broken);
    expect(calls).toEqual([begun, verified('the present one')]);
  });
});
