// Keys that a client publishes (private_key_jwt): the last good ones outlive an address that fails, but not their withdrawal.

import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { createClientKeySets } from '#openid/clients/client-key-sets.ts';

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
