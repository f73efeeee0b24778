// fhir-stu3, HTTP: "429 + throttled and Retry-After", SEC-76, SEC-39 for tokens: how many requests a client may make over
// time, what one person may have of them, and how many tokens that do not hold may come from one address.

import { afterAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Introspection } from '#directory/middleware/authenticate.ts';
import type { RateRules } from '#directory/middleware/limit-requests.ts';
import { edition } from '#support/directory/edition.ts';
import { ask } from '#support/directory/exporting.ts';
import { scanSnapshot } from '#support/directory/scan-snapshot.ts';
import { type RunningDirectory, startDirectory } from '#support/directory/service.ts';

describe('rate limit', () => {
  /** Milliseconds; the tests move it. */
  let clock = 0;
  let address = '192.0.2.1';
  /** Tokens that were looked up. */
  let lookedUp: string[] = [];
  let valid = (token: string) => !token.startsWith('guess');

  const rates: RateRules = {
    ofClient: (client) =>
      client === 'free'
        ? { perSecond: 0, burst: 1 }
        : client === 'own'
          ? { perSecond: 1, burst: 2 }
          : client === 'busy'
            ? { perSecond: 200, burst: 200 }
            : { perSecond: 10, burst: 5 },
    ofServiceAccount: () => ({ perSecond: 1, burst: 3 }),
    addressOf: () => address,
  };

  let people = 0;
  /** The client of a token stands before its hyphen; `-of-NAME` is a person's, `-in-GRANT` a visitor's, and others are of a new person at each request. */
  const introspect = async (token: string): Promise<Introspection> => {
    lookedUp.push(token);
    const clientId = token.split('-')[0] ?? '';
    if (!valid(token)) return { active: false, reason: 'unknown' };
    const accountId = /-of-(\w+)/.exec(token)?.[1] ?? `person-${people++}`;
    const visitor = /-in-(\w+)/.exec(token)?.[1];
    const person = !token.endsWith('-itself') && { accountId, ...(visitor && { visitor }) };
    return { active: true, ...person, clientId, scopes: new Set(['PRACTITIONER_READ', 'ORGANIZATION_READ']) };
  };

  /** Nobody changes it. */
  const SNAPSHOT = scanSnapshot('one', edition());
  let directory: RunningDirectory | undefined;
  beforeEach(async () => {
    await directory?.stop();
    directory = await startDirectory(SNAPSHOT, { introspect, rates });
    clock = 1_000_000;
    jest.spyOn(Date, 'now').mockImplementation(() => clock);
    address = '192.0.2.1';
    lookedUp = [];
    valid = (token) => !token.startsWith('guess');
  });
  afterAll(async () => {
    jest.restoreAllMocks();
    await directory?.stop();
  });

  const status = async (token: string) => (await ask(`${directory?.address}/Practitioner/prat-1`, { token })).status;
  const statuses = async (count: number, token: string) => {
    const all = [];
    for (let number = 0; number < count; number++) all.push(await status(token));
    return all;
  };
  const times = (count: number, value: number) => Array<number>(count).fill(value);

  describe('requests over time', () => {
    it('of a client itself are counted apart from those of its people', async () => {
      expect(await statuses(4, 'portal-itself')).toEqual([...times(3, 200), 429]);
      expect(await statuses(5, 'portal-a')).toEqual(times(5, 200));
    });

    it('all users of a client together; another client is not hurt by its burst', async () => {
      expect(await statuses(3, 'portal-a')).toEqual(times(3, 200));
      expect(await statuses(3, 'portal-b')).toEqual([200, 200, 429]);
      expect(await statuses(5, 'hospital-a')).toEqual(times(5, 200));
    });

    it('perSecond 0 is no limit', async () => {
      expect(await statuses(30, 'free-a')).toEqual(times(30, 200));
    });

    it('what is refused for other reasons counts too, what needs no token does not', async () => {
      for (let count = 0; count < 5; count++)
        expect((await ask(`${directory?.address}/Practitioner?nme=x`, { token: 'portal-a' })).status).toBe(400);
      expect(await status('portal-a')).toBe(429);
      for (let count = 0; count < 20; count++) expect((await fetch(`${directory?.address}/metadata`)).status).toBe(200);
    });
  });

  describe('SEC-76 a person within the budget of a client', () => {
    const count = (all: readonly number[], wanted: number) => all.filter((one) => one === wanted).length;
    /** So many connections of one person, each asking so often. */
    const flood = async (connections: number, requests: number, name: string) =>
      (await Promise.all(times(connections, 0).map(() => statuses(requests, `busy-of-${name}`)))).flat();

    it('SEC-76 beside 64 connections of one person, ten others see no 429; the client keeps its budget', async () => {
      const others = Array.from({ length: 10 }, (_, number) => statuses(8, `busy-of-other${number}`));
      const [greedy, ...modest] = await Promise.all([flood(64, 5, 'greedy'), ...others]);
      expect(modest.flat()).toEqual(times(80, 200));
      expect(count(greedy, 200)).toBeGreaterThanOrEqual(60);
      expect(count(greedy, 200)).toBeLessThanOrEqual(100);
      expect(count(greedy, 429)).toBe(320 - count(greedy, 200));
    });

    it('SEC-77 visitors of a sandbox who are the same person have a share each', async () => {
      expect(await statuses(5, 'portal-of-alice-in-first')).toContain(429);
      expect(await status('portal-of-alice-in-second')).toBe(200);
    });

    it('SEC-76 one greedy person has half, and what is refused is not counted', async () => {
      expect(count(await flood(64, 5, 'greedy'), 200)).toBe(100);
      expect(count(await flood(64, 1, 'greedy'), 200)).toBe(0);
      expect(count(await flood(1, 60, 'second'), 200)).toBe(50);
      // Each next one has half of what is left, so that there is something for newcomers.
      expect(count(await flood(1, 60, 'third'), 200)).toBe(25);
      expect(await statuses(1, 'busy-of-newcomer')).toEqual([200]);
      clock += 1000;
      expect(count(await flood(64, 5, 'greedy'), 200)).toBe(100);
    });

    it('SEC-76 four greedy ones have a fifth each, and a fifth remains', async () => {
      const had: Record<string, number> = { a: 0, b: 0, c: 0, d: 0 };
      for (let round = 0; round < 60; round++)
        for (const name of Object.keys(had))
          had[name] = (had[name] ?? 0) + count(await statuses(1, `busy-of-${name}`), 200);
      expect(had).toEqual({ a: 40, b: 40, c: 40, d: 40 });
      expect(await statuses(20, 'busy-of-newcomer')).toEqual(times(20, 200));
    });

    it('SEC-76 the answer names the share; whoever is the only one of a small budget is heard', async () => {
      expect(await statuses(3, 'portal-of-a')).toEqual([200, 200, 200]);
      const refused = await ask(`${directory?.address}/Practitioner/prat-1`, { token: 'portal-of-a' });
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
      expect(await refused.text()).toContain(
        'One person may use as many of the 5 requests of this client as are left for all others: try again in 1 s.',
      );
      expect(await statuses(3, 'portal-of-b')).toEqual([200, 429, 429]);
      expect(await statuses(2, 'own-of-a')).toEqual([200, 429]);
    });

    it('SEC-76 a clock that is set back begins a new window', async () => {
      await flood(1, 101, 'greedy');
      clock -= 3_600_000;
      expect(await statuses(1, 'busy-of-greedy')).toEqual([200]);
    });
  });

  describe('SEC-54 what is open to everybody', () => {
    const open = async (path: string) =>
      (await ask(`${directory?.address}/${path}`, { headers: { authorization: '' }, method: 'HEAD' })).status;
    const xml = [
      'SearchParameter/Organization-near?_format=xml',
      'SearchParameter?_count=1&_pretty=true',
      'CodeSystem?_elements=url',
    ];

    it('is written anew 600 times a minute for one address; JSON as it is stored is free', async () => {
      const all: number[] = [];
      for (let round = 0; round < 20; round++)
        // Nearly all of them the cheapest.
        all.push(...(await Promise.all(Array.from({ length: 30 }, (_, at) => open(xml[at] ?? xml[0] ?? '')))));
      expect(all).toEqual(times(600, 200));
      for (const path of [...xml, 'metadata?_format=xml', '?_pretty=true'])
        expect([path, await open(path)]).toEqual([path, 429]);
      for (const path of ['metadata', '', 'CodeSystem', 'SearchParameter/Organization-near'])
        expect([path, await open(path)]).toEqual([path, 200]);
      // A client has its own rate.
      const path = `${directory?.address}/Practitioner/prat-1?_format=xml`;
      expect((await ask(path, { token: 'portal-a' })).status).toBe(200);
      address = '192.0.2.2';
      expect(await open(xml[0] ?? '')).toBe(200);
      address = '192.0.2.1';
      clock += 60_000;
      expect(await open(xml[0] ?? '')).toBe(200);
    });
  });

  describe('SEC-39 guessing tokens', () => {
    const guess = async (count: number) => {
      const all = [];
      for (let number = 0; number < count; number++) all.push(await status(`guess-${number}`));
      return all;
    };

    it('is slow: beyond so many wrong ones, nothing from the address is looked up for 40 s', async () => {
      expect(await guess(200)).toEqual(times(200, 401));
      lookedUp = [];
      expect(await guess(10)).toEqual(times(10, 429));
      // Even one that would hold, so that a guess tells nothing.
      expect(await status('hospital-new')).toBe(429);
      expect(lookedUp).toEqual([]);
      clock += 40_000;
      expect(await guess(1)).toEqual([401]);
    });

    it('hurts neither other addresses nor those behind the same one whose tokens held before', async () => {
      expect(await status('portal-a')).toBe(200);
      expect((await guess(201)).at(-1)).toBe(429);
      expect(await status('portal-a')).toBe(200);
      address = '192.0.2.2';
      expect(await status('hospital-new')).toBe(200);
    });

    it('a token that held and does no more: 401 at once', async () => {
      expect(await status('portal-a')).toBe(200);
      await guess(201);
      valid = () => false;
      expect(await status('portal-a')).toBe(401);
    });

    it('an IPv6 network of 64 bits is one address', async () => {
      address = '2001:db8:1:2::1';
      await guess(200);
      address = '2001:db8:1:2:ffff::7';
      expect(await status('guess-x')).toBe(429);
      address = '2001:db8:1:3::1';
      expect(await status('guess-x')).toBe(401);
    });
  });
});
