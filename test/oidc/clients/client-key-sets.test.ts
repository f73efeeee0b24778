// Keys that a client publishes (private_key_jwt): the last good ones outlive an address that fails, but not their withdrawal.

import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { createClientKeySets } from '../../../src/oidc/clients/client-key-sets.ts';

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
