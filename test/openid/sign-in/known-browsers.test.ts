// SEC-59: browsers that an account has signed in with before, by their cookies and from outside.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { createDeviceCookies, DEVICE_COOKIE_LIFETIME } from '#openid/sign-in/device-cookies.ts';
import { openAccounts } from '#store/accounts/accounts.ts';
import { anyText } from '#support/any-text.ts';
import { openedForAll } from '#support/opened.ts';
import { authorizationUrl, CREDENTIALS } from '#support/openid/relying-party.ts';
import { startSecondInstance } from '#support/openid/second-instance.ts';
import { createPerson, type Person, type Visit } from '#support/person.ts';
import { startService } from '#support/service.ts';

// SEC-59: what strangers do to an account or from their network, and what it does to others; in the whole service, two instances.

describe('SEC-59 guesses and known browsers', () => {
  const service = openedForAll(() => {
    const limits = {
      accountFailures: 4,
      addressFailures: 5,
      networkFailures: 12,
      failureWindow: 900,
      sessionsPerAccount: 0,
      serviceAccountTokens: 120,
    };
    return startService({ adjust: (settings) => ({ ...settings, proxies: 1, limits }) });
  });
  const second = openedForAll(() => startSecondInstance(service));
  beforeEach(() => service.database('rate_limits').delete());
  afterEach(async () => {
    await service.database('accounts').update({ sessions_not_before: null });
  });

  /** A browser at an address, whose requests go to the first instance, to the second, or to each in turn. */
  const browserAt = (address: string, instance: 'first' | 'second' | 'both' = 'both'): Person => {
    let turn = instance === 'second' ? 1 : 0;
    return createPerson(service.issuer, (url, { method, body, headers }) => {
      if (instance === 'both') turn += 1;
      const init = { ...(method && { method }), ...(body && { body: String(body) }) };
      const forwarded = { ...headers, 'x-forwarded-for': address };
      const form = { 'content-type': 'application/x-www-form-urlencoded' };
      return turn % 2
        ? second.send(url, { ...init, headers: forwarded })
        : fetch(url, { ...init, redirect: 'manual', headers: { ...form, ...forwarded } });
    });
  };
  /** Types login and password, after a new authorization request that does not use the session. */
  const enter = async (person: Person, credentials = CREDENTIALS): Promise<Visit> => {
    const page = await person.visit(authorizationUrl(service, { prompt: 'login' }));
    return person.press(page, 'sign-in', credentials);
  };
  const isIn = (visit: Visit) => visit.left !== undefined || visit.html.includes('id="allow"');
  const wrong = { ...CREDENTIALS, password: 'not the password' };

  it('wrong passwords of strangers keep out browsers that the account does not know, and no other', async () => {
    const known = browserAt('198.51.100.7');
    expect(isIn(await enter(known))).toBe(true);
    const guesses = await Promise.all(
      Array.from({ length: 8 }, (_, n) => enter(browserAt(`10.${n}.0.1`, n % 2 ? 'first' : 'second'), wrong)),
    );
    expect(guesses.map(({ status }) => status).sort()).toEqual([422, 422, 422, 422, 429, 429, 429, 429]);
    const unknown = await enter(browserAt('198.51.100.8'));
    expect(unknown.status).toBe(429);
    expect(unknown.html).toContain('sur lequel vous avez déjà ouvert ce compte');
    for (let time = 0; time < 5; time += 1) expect(isIn(await enter(known))).toBe(true);
    expect((await enter(browserAt('198.51.100.8'))).status).toBe(429);
  });

  it('a known browser that fails too often is one of the unknown; a new password ends what it was', async () => {
    const known = browserAt('198.51.100.7');
    await enter(known);
    for (let guess = 0; guess < 8; guess += 1) expect((await enter(known, wrong)).status).toBe(422);
    expect((await enter(known)).status).toBe(429);

    await service.database('rate_limits').delete();
    expect(isIn(await enter(known))).toBe(true);
    for (let n = 0; n < 4; n += 1) await enter(browserAt(`10.${n}.0.1`), wrong);
    expect(isIn(await enter(known))).toBe(true);
    const me = await openAccounts(service.database).findByEmail(CREDENTIALS.login);
    await service
      .database('accounts')
      .where({ id: me?.account.id })
      .update({ sessions_not_before: Math.floor(Date.now() / 1000) + 1 });
    expect((await enter(known)).status).toBe(429);
  });
});

// SEC-59: which browsers are known to an account, and what their cookie holds.
describe('SEC-59 a known browser', () => {
  const HTTPS = { path: '/connect/interaction', secure: true };
  const ADA = 'ada@clinic.example';
  const NOW = Math.floor(Date.now() / 1000);

  /** A browser, with what `Set-Cookie` left in it. */
  function browser() {
    const lines: string[] = [];
    const jar = { cookie: 'hygie_language=fr' };
    return {
      lines,
      jar,
      req: { headers: jar } as unknown as IncomingMessage,
      res: {
        appendHeader: (_name: string, line: string) => {
          lines.push(line);
          jar.cookie = `hygie_language=fr; ${line.split(';', 1)[0]}; other=x`;
        },
      } as unknown as ServerResponse,
    };
  }

  function cookies(keys: readonly string[] = ['key'], since: Record<string, number | undefined> = {}) {
    return createDeviceCookies({ ...HTTPS, keys, notBefore: async (login) => (login in since ? since[login] : 0) });
  }

  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('is known to the account that signed in there, however the login is typed, and to no other', async () => {
    const { remember, deviceOf } = cookies();
    const { req, res } = browser();
    expect(await deviceOf(req, ADA)).toBeUndefined();
    remember(req, res, { login: ADA, signedInAt: NOW });
    const device = await deviceOf(req, ` ${ADA.toUpperCase()}`);
    expect(device).toMatch(/^[\w-]{22}$/);
    expect(await deviceOf(req, ADA)).toBe(device);
    expect(await deviceOf(req, 'bob@clinic.example')).toBeUndefined();
  });

  it('SEC-33 has a cookie that scripts cannot read, for the sign-in pages alone; it names nobody', () => {
    const { remember } = cookies();
    const { req, res, lines } = browser();
    remember(req, res, { login: ADA, signedInAt: NOW });
    expect(lines[0]).toMatch(
      /^__Secure-hygie_devices=[\w~-]+; Path=\/connect\/interaction; Max-Age=7776000; HttpOnly; SameSite=Lax; Secure$/,
    );
    expect(Buffer.from(lines[0] ?? '', 'base64').toString()).not.toContain('ada');
  });

  it('knows five accounts; the one that signed in least lately is forgotten', async () => {
    const { remember, deviceOf } = cookies();
    const { req, res, jar } = browser();
    const logins = Array.from({ length: 7 }, (_, n) => `person-${n}@clinic.example`);
    for (const login of [...logins.slice(0, 5), logins[0] ?? '', ...logins.slice(5)]) {
      remember(req, res, { login, signedInAt: NOW });
    }
    const known = await Promise.all(logins.map(async (login) => (await deviceOf(req, login)) !== undefined));
    expect(known).toEqual([true, false, false, true, true, true, true]);
    expect(jar.cookie.length).toBeLessThan(600);
  });

  it('is another one after each sign-in, so that its failures are counted anew', async () => {
    const { remember, deviceOf } = cookies();
    const { req, res } = browser();
    remember(req, res, { login: ADA, signedInAt: NOW });
    const first = await deviceOf(req, ADA);
    remember(req, res, { login: ADA, signedInAt: NOW });
    expect(await deviceOf(req, ADA)).not.toBe(first);
  });

  it('stays known when the keys are rotated, until the key that signed is gone', async () => {
    const { req, res } = browser();
    cookies(['old']).remember(req, res, { login: ADA, signedInAt: NOW });
    expect(await cookies(['new', 'old']).deviceOf(req, ADA)).toBeDefined();
    expect(await cookies(['new']).deviceOf(req, ADA)).toBeUndefined();
  });

  it('is unknown once its sign-in no longer counts, the account is gone, or ninety days are over', async () => {
    const { req, res } = browser();
    cookies().remember(req, res, { login: ADA, signedInAt: NOW });
    expect(await cookies(['key'], { [ADA]: NOW }).deviceOf(req, ADA)).toBeDefined();
    expect(await cookies(['key'], { [ADA]: NOW + 1 }).deviceOf(req, ADA)).toBeUndefined();
    expect(await cookies(['key'], { [ADA]: undefined }).deviceOf(req, ADA)).toBeUndefined();
    // The clock was ahead at the sign-in, and the limit was lowered since.
    jest.spyOn(Date, 'now').mockReturnValue((NOW - 2 * 86_400) * 1000);
    expect(await cookies(['key'], { [ADA]: NOW - 3 * 86_400 }).deviceOf(req, ADA)).toBeUndefined();
    jest.spyOn(Date, 'now').mockReturnValue((NOW + DEVICE_COOKIE_LIFETIME + 1) * 1000);
    expect(await cookies().deviceOf(req, ADA)).toBeUndefined();
  });

  it('cannot be made up, nor taken over from another account, another time or another nonce', async () => {
    const { remember, deviceOf } = cookies();
    const { req, res, jar } = browser();
    remember(req, res, { login: ADA, signedInAt: NOW });
    const real = /devices=([^;]+)/.exec(jar.cookie)?.[1] ?? '';
    await fc.assert(
      fc.asyncProperty(fc.nat(real.length - 1), fc.constantFrom(...'Aa0~.-_'), async (place, character) => {
        fc.pre(real[place] !== character);
        jar.cookie = `__Secure-hygie_devices=${real.slice(0, place)}${character}${real.slice(place + 1)}`;
        expect(await deviceOf(req, ADA)).toBeUndefined();
      }),
    );
    await fc.assert(
      fc.asyncProperty(anyText({ maxLength: 300 }), async (value) => {
        jar.cookie = `__Secure-hygie_devices=${value}`;
        expect(await deviceOf(req, ADA)).toBeUndefined();
      }),
    );
  });

  it('an account is looked for only where the cookie fits: the time of an answer says nothing of other logins', async () => {
    const asked: string[] = [];
    const notBefore = async (login: string) => {
      asked.push(login);
      return 0;
    };
    const { remember, deviceOf } = createDeviceCookies({ ...HTTPS, keys: ['key'], notBefore });
    const { req, res } = browser();
    remember(req, res, { login: ADA, signedInAt: NOW });
    await deviceOf(req, 'bob@clinic.example');
    await deviceOf(req, 'nobody@clinic.example');
    expect(asked).toEqual([]);
    await deviceOf(req, ADA);
    expect(asked).toEqual([ADA]);
  });
});
