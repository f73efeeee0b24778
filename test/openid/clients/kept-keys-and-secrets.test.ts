// What the service remembers about the proofs of clients: the keys that they publish, and wrong guesses at their secrets.

import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { ClientSettings } from '#config/settings.ts';
import { createClientKeySets } from '#openid/clients/client-key-sets.ts';
import { createClientThrottle, createSecretCheck } from '#openid/clients/client-secret-check.ts';
import { newClientSecret } from '#shared/crypto/client-secret.ts';
import { createSecretHashing, hashSecret } from '#shared/crypto/secret-hash.ts';

// Keys that a client publishes (private_key_jwt): the last good ones outlive an address that fails, but not their withdrawal.
describe('keys that a client publishes', () => {
  const URL_OF_KEYS = 'https://c.example/jwks';
  const KEY = { kty: 'EC', crv: 'P-256', x: 'x', y: 'y' };
  const GOOD = JSON.stringify({ keys: [KEY] });

  afterEach(() => {
    jest.restoreAllMocks();
  });

  /** Reads the key set when it is due each time; the clock goes on by two minutes before. */
  function reading() {
    let answer = GOOD;
    let now = Date.now();
    const keySets = createClientKeySets(async () => new Response(answer));
    return async (next: string) => {
      answer = next;
      now += 120_000;
      jest.spyOn(Date, 'now').mockReturnValue(now);
      keySets.withReading({ client_id: 'c', jwks_uri: URL_OF_KEYS });
      return (await keySets.fetch(URL_OF_KEYS)).text();
    };
  }

  describe('SEC-64 a jwksUrl that never gave keys', () => {
    const keys = () => new Response(GOOD);
    it.each<[what: string, answer: () => Response]>([
      [
        'is silent, too long, blocked or away',
        () => {
          throw new Error('the timeout');
        },
      ],
      ['answers 500', () => new Response('{}', { status: 500 })],
      ['redirects', () => new Response(null, { status: 302, headers: { location: 'http://127.0.0.1/' } })],
      ['answers with a page', () => new Response('<!doctype html>')],
      ['answers with a private key', () => new Response('{"keys":[{"d":"d"}]}')],
    ])(
      'that %s is asked once for all requests, and again after 5, 10, 20, 40, 60 and 60 seconds',
      async (_what, answer) => {
        let [asked, now, give] = [0, Date.now(), answer];
        jest.spyOn(Date, 'now').mockImplementation(() => now);
        const keySets = createClientKeySets(async () => {
          asked += 1;
          return give();
        });
        const twenty = async () => {
          keySets.withReading({ client_id: 'c', jwks_uri: URL_OF_KEYS });
          const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => keySets.fetch(URL_OF_KEYS)));
          return outcomes.filter(({ status }) => status === 'fulfilled').length;
        };
        expect([await twenty(), asked]).toEqual([0, 1]);
        for (const [index, pause] of [5, 10, 20, 40, 60, 60].entries()) {
          now += (pause - 1) * 1000;
          expect([await twenty(), asked]).toEqual([0, index + 1]);
          now += 1000;
          expect([await twenty(), asked]).toEqual([0, index + 2]);
        }
        give = keys;
        now += 60_000;
        expect([await twenty(), asked]).toEqual([20, 8]);
        // It begins anew.
        give = answer;
        now += 601_000;
        expect([await twenty(), asked]).toEqual([0, 9]);
        now += 5000;
        expect([await twenty(), asked]).toEqual([0, 10]);
      },
    );
  });

  describe('private_key_jwt: jwksUrl answers 200', () => {
    it.each([
      '<!doctype html><h1>Maintenance</h1>',
      '',
      'null',
      '[]',
      '{"keys":{}}',
      '{"keys":[null]}',
      '{"keys":["a"]}',
    ])('with %j, which is no key set: the last keys are good until they are ten minutes old', async (page) => {
      const read = reading();
      expect(await read(GOOD)).toBe(GOOD);
      for (let times = 0; times < 4; times += 1) expect(await read(page)).toBe(GOOD);
      await expect(read(page)).rejects.toThrow();
      expect(await read(GOOD)).toBe(GOOD);
    });

    it('with another key set: the last keys are replaced', async () => {
      const read = reading();
      await read(GOOD);
      const none = JSON.stringify({ keys: [] });
      expect(await read(none)).toBe(none);
      expect(await read('<!doctype html>')).toBe(none);
    });

    it.each([[[{ ...KEY, d: 'd' }]], [[null, { kty: 'oct', k: 'k' }]]])('with a private key: %j', async (keys) => {
      const read = reading();
      await read(GOOD);
      await expect(read(JSON.stringify({ keys }))).rejects.toThrow('private key');
      await expect(read('<!doctype html>')).rejects.toThrow();
    });
  });
});

// SEC-15, SEC-59: guesses at client secrets are limited by network, and hold up nobody else, after a restart neither.
const CHEAP = { log2N: 4, r: 1, p: 1 };
const LIMITS = { accountFailures: 1, addressFailures: 5, networkFailures: 20, failureWindow: 60 };
const CLIENT_NETWORK = '192.0.2.1';
const LATER = { later: 'limit', seconds: 60 };

/** As after a restart: nothing was verified, nothing was counted. */
async function restarted(limits = LIMITS) {
  const generated = newClientSecret();
  const secretHashes: Record<string, string[]> = {
    generated: [generated.hash],
    chosen: [await hashSecret('right', CHEAP)],
    'chosen-too': [await hashSecret('right', CHEAP)],
  };
  const find = (id: string) => ({ secretHashes: secretHashes[id] ?? [] }) as unknown as ClientSettings;
  return {
    check: createSecretCheck({ find }, createClientThrottle(limits), createSecretHashing()),
    secret: generated.secret,
  };
}

describe('SEC-15 guesses at a client secret', () => {
  it('are counted by client and address, also in parallel, until the window is over', async () => {
    let now = 1_000_000;
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => now);
    const { check } = await restarted();
    const guesses = await Promise.all(Array.from({ length: 30 }, (_, n) => check('chosen', `guess ${n}`, '192.0.2.9')));
    expect(guesses.filter((verdict) => verdict === 'wrong')).toHaveLength(5);
    now += 10_000;
    expect(await check('chosen', 'right', '192.0.2.9')).toEqual({ later: 'limit', seconds: 50 });
    expect(await check('chosen-too', 'right', '192.0.2.9')).toBe('right');
    expect(await check('chosen', 'right', '192.0.2.10')).toBe('right');
    now += 50_001;
    expect(await check('chosen', 'right', '192.0.2.9')).toBe('right');
    clock.mockRestore();
  });

  it('SEC-59 from many addresses of one network add up; a client that was right before goes on there', async () => {
    const { check } = await restarted();
    expect(await check('chosen', 'right', '2001:db8:1:ffff::1')).toBe('right');
    const verdicts = [];
    for (let subnet = 0; subnet < 25; subnet += 1) {
      verdicts.push(await check('chosen', 'wrong', `2001:db8:1:${subnet.toString(16)}::1`));
    }
    expect(verdicts).toEqual([...Array(20).fill('wrong'), ...Array(5).fill(LATER)]);
    expect(await check('chosen', 'right', '2001:db8:1:eeee::1')).toEqual(LATER);
    expect(await check('chosen', 'right', '2001:db8:1:ffff::2')).toBe('right');
    expect(await check('chosen', 'right', '2001:db8:2::1')).toBe('right');
  });

  it('keep a secret that was right before from being looked at, as soon as one of them counts', async () => {
    const { check } = await restarted({ ...LIMITS, addressFailures: 1 });
    const right = () => check('chosen', 'right', '192.0.2.9');
    expect([await right(), await right()]).toEqual(['right', 'right']);
    expect(await check('chosen', 'wrong', '192.0.2.9')).toBe('wrong');
    expect(await right()).toEqual(LATER);
  });

  it('count whatever else is right in between', async () => {
    const { check } = await restarted();
    const guess = (n: number) => check('chosen', `guess ${n}`, '192.0.2.9');
    const right = () => check('chosen', 'right', '192.0.2.9');
    await right();
    const mixed = await Promise.all(Array.from({ length: 40 }, (_, n) => (n % 2 ? right() : guess(n))));
    const later = [];
    for (let n = 40; n < 50; n += 1) later.push(await guess(n), await right());
    expect([...mixed, ...later].filter((verdict) => verdict === 'wrong')).toHaveLength(5);
    expect(await right()).toMatchObject({ later: 'limit' });
  });

  it('are what is counted: a secret that was right before costs no count', async () => {
    const throttle = createClientThrottle(LIMITS);
    const begin = jest.spyOn(throttle, 'begin');
    const hashes = [await hashSecret('right', CHEAP)];
    const find = () => ({ secretHashes: hashes }) as unknown as ClientSettings;
    const check = createSecretCheck({ find }, throttle, createSecretHashing());
    for (let times = 0; times < 5; times += 1) expect(await check('chosen', 'right', '192.0.2.9')).toBe('right');
    expect(begin).toHaveBeenCalledTimes(1);
    expect(await check('chosen', 'right', '192.0.2.10')).toBe('right');
    expect(begin).toHaveBeenCalledTimes(2);
  });

  it('SEC-59 a generated secret is right at once, whatever was sent from the same address', async () => {
    const { check, secret } = await restarted();
    for (let guess = 0; guess < 5; guess += 1)
      expect(await check('generated', `guess ${guess}`, CLIENT_NETWORK)).toBe('wrong');
    expect(await check('generated', 'guess', CLIENT_NETWORK)).toEqual(LATER);
    expect(await check('generated', secret, CLIENT_NETWORK)).toBe('right');
  });
});

it('SEC-59 in a flood of wrong secrets after a restart the requests of real clients all succeed, those of one with a chosen secret too', async () => {
  const { check, secret } = await restarted({ ...LIMITS, addressFailures: 1000, networkFailures: 10_000 });
  const flood = Array.from({ length: 400 }, (_, n) => check('chosen', `guess ${n}`, `2001:db8:1:${n.toString(16)}::1`));
  const real = Array.from({ length: 200 }, (_, n) =>
    n % 2 ? check('generated', secret, CLIENT_NETWORK) : check('chosen', 'right', CLIENT_NETWORK),
  );
  expect(await Promise.all(real)).toEqual(Array(200).fill('right'));
  const busy = (await Promise.all(flood)).filter((verdict) => typeof verdict === 'object');
  expect(busy.length).toBeGreaterThan(300);
  expect(new Set(busy.map((verdict) => JSON.stringify(verdict)))).toEqual(new Set(['{"later":"busy","seconds":1}']));
});
