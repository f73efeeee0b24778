// SEC-59: which browsers are known to an account, and what their cookie holds.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { createDeviceCookies, DEVICE_COOKIE_LIFETIME } from '#openid/sign-in/browsers/device-cookies.ts';

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

describe('SEC-59 a known browser', () => {
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
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 300 }), async (value) => {
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
