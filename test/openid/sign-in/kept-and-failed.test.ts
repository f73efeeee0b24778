// What a sign-in leaves in the browser or the service, each for its time, and what the pages say and log when something fails under them.

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { OWN_CLIENT_ID } from '#config/built-in-clients.ts';
import { keepProof, takeProof } from '#openid/sign-in/account-pages-proof.ts';
import { arrivalCookie } from '#openid/sign-in/arrival.ts';
import { errorHandler, notFound } from '#openid/sign-in/errors.ts';
import { progressOf } from '#openid/sign-in/finish-login.ts';
import { finishedSignIns } from '#openid/sign-in/finished-sign-ins.ts';
import { keptChoices } from '#openid/sign-in/kept-choices.ts';
import type { SignInContext } from '#openid/sign-in/page-context.ts';
import { createPasskeyRegistration } from '#openid/sign-in/passkey/passkey-registration.ts';
import { RETRY_SECONDS } from '#store/database/transient-errors.ts';
import { AlreadyThere } from '#store/oidc/oidc-records.ts';
import { faultyPages } from '#support/openid/faulty-pages.ts';

// SEC-33, SEC-35: what a sign-in leaves in the browser or the service counts for its time, to the second.
describe('what is kept for a sign-in', () => {
  const NOW = 1_800_000_000;
  const site = { secure: true };
  beforeEach(() => {
    jest.useFakeTimers({ now: NOW * 1000 });
  });
  afterEach(() => {
    jest.useRealTimers();
  });
  const passed = (seconds: number) => void jest.setSystemTime((NOW + seconds) * 1000);
  /** A request that sends the cookies which the response set, and their lifetimes. */
  function exchange() {
    const lines: string[] = [];
    const res = {
      locals: {},
      getHeader: () => lines,
      appendHeader: (_name: string, line: string) => lines.push(line),
      setHeader: (_name: string, all: string | string[]) => lines.splice(0, lines.length, ...[all].flat()),
    };
    const req = { headers: {} as { cookie?: string } };
    const send = () => {
      req.headers.cookie = lines.map((line) => line.split(';')[0]).join('; ');
      return req as never;
    };
    const lifetimes = () => lines.map((line) => Number(/Max-Age=(\d+)/i.exec(line)?.[1]));
    const names = () => lines.map((line) => line.split('=')[0]);
    return { res: res as never, send, lifetimes, names };
  }

  it('the arrival by an invitation counts once, for a minute, with any key', async () => {
    const used = new Set<string>();
    const records = {
      insertOnce: async (_model: string, id: string) => {
        if (used.has(id)) throw new AlreadyThere();
        used.add(id);
      },
    } as never;
    const arrivals = (...cookieKeys: string[]) => arrivalCookie({ site, cookieKeys, records });
    const { res, send, lifetimes } = exchange();
    const arrival = { accountId: 'a' } as never;
    arrivals('old').keep(res, arrival);
    expect(lifetimes()).toEqual([60]);
    const req = send();
    passed(60);
    expect(await arrivals('new', 'old').take(req, exchange().res)).toBeUndefined();
    passed(59);
    expect(await arrivals('new').take(req, exchange().res)).toBeUndefined();
    expect(await arrivals('new', 'old').take(req, exchange().res)).toEqual(arrival);
    expect(await arrivals('new', 'old').take(req, exchange().res)).toBeUndefined();
  });

  it('the proof of a password counts for five minutes, once, for the account and at the own pages alone', async () => {
    const kept = new Map<string, { accountId: string; iat: number }>();
    const lifetimes: number[] = [];
    const records = {
      upsert: async (_model: string, id: string, payload: { accountId: string; iat: number }, seconds: number) => {
        kept.set(id, payload);
        lifetimes.push(seconds);
      },
      find: async (_model: string, id: string) => kept.get(id),
      destroy: async (_model: string, id: string) => void kept.delete(id),
    } as never;
    const keep = (client_id: unknown, state: unknown) => keepProof(records, { client_id, state }, 'a');
    for (const [client, state] of [
      ['app', 's'],
      [OWN_CLIENT_ID, undefined],
      [OWN_CLIENT_ID, 's'],
      [OWN_CLIENT_ID, 't'],
    ])
      await keep(client, state);
    expect([...kept.keys(), ...lifetimes]).toEqual(['s', 't', 300, 300]);
    expect([await takeProof(records, 's', 'b'), await takeProof(records, 'x', 'a')]).toEqual([undefined, undefined]);
    passed(300);
    expect([await takeProof(records, 's', 'a'), await takeProof(records, 's', 'a')]).toEqual([NOW, undefined]);
    passed(301);
    expect(await takeProof(records, 't', 'a')).toBeUndefined();
  });

  it('the outcome of a sign-in is kept for twelve hours, and the choices of a browser for ninety days', () => {
    const finished = exchange();
    finishedSignIns({ issuer: 'https://connect.example' } as never, ['key']).keep(finished.res, 'uid', {} as never);
    const chosen = exchange();
    keptChoices(site, ['key']).change(chosen.send(), chosen.res, { login: 'a@clinic.example' });
    expect([finished.lifetimes(), chosen.lifetimes()]).toEqual([[43_200], [90 * 86_400]]);
    expect([finished.names(), chosen.names()]).toEqual([['__Secure-hygie_finished'], ['__Host-hygie_kept']]);
  });

  it('a browser waits five minutes for a new passkey, of the algorithms and kind that the service takes', () => {
    const challenges = { make: (purpose: string) => `for ${purpose}` } as never;
    const relyingParty = { id: 'connect.example', name: 'Hygie', origin: 'https://connect.example' };
    const registration = createPasskeyRegistration({ relyingParty, challenges } as never);
    const account = { id: 'a', name: 'Ada', email: 'ada@clinic.example' };
    const others = [{ credentialId: 'c', transports: ['usb'] }] as never;
    expect(registration.optionsFor({ account, sessionId: 's', userHandle: 'h' }, others)).toEqual({
      challenge: 'for new passkey s a h',
      rp: { id: 'connect.example', name: 'Hygie' },
      user: { id: 'h', name: 'ada@clinic.example', displayName: 'Ada' },
      pubKeyCredParams: [-7, -8, -257].map((alg) => ({ alg, type: 'public-key' })),
      excludeCredentials: [{ id: 'c', transports: ['usb'], type: 'public-key' }],
      authenticatorSelection: { requireResidentKey: true, residentKey: 'required', userVerification: 'required' },
      attestation: 'none',
      timeout: 300_000,
    });
  });
});

it('a page of a sign-in that fails says so with the id of the request, and the log has the cause', async () => {
  const { ask, logged, options } = faultyPages();
  const handler = errorHandler(options as never);
  expect(await ask(handler, new Error('broken'))).toMatchObject({
    status: 500,
    html: expect.stringContaining('request-1'),
  });
  expect(logged).toEqual([[{ err: new Error('broken'), reference: 'request-1' }, 'a sign-in page failed']]);
  const away = Object.assign(new Error('away'), { code: 'ECONNREFUSED' });
  expect(await ask(handler, away)).toMatchObject({ status: 503, retryAfter: String(RETRY_SECONDS) });
  expect((await ask(notFound(options as never))).status).toBe(404);
});

describe('SEC-70 the progress of a sign-in', () => {
  afterEach(() => void jest.useRealTimers());

  /** What is left of a progress that began at second 1000, `age` seconds later. */
  async function left(age: number, more: object = {}, stillRight = true) {
    jest.useFakeTimers({ now: (1000 + age) * 1000 });
    const progress = { uid: 'one', accountId: 'me', email: '', methods: ['password'], signedInAt: 1000, ...more };
    const session = { progress };
    const found = await progressOf({
      req: { session },
      interaction: { uid: 'one', prompt: 'login' },
      secondFactors: { kinds: async () => [] },
      stillRight: async () => stillRight,
    } as unknown as SignInContext);
    expect(session.progress).toBe(found);
    return found === progress;
  }

  it('with the proposal of an app holds for ten minutes', async () => {
    expect(await left(600, { proposal: 'app' })).toBe(true);
    expect(await left(601, { proposal: 'app' })).toBe(false);
  });

  it('without one holds as long as the interaction, unless the password was changed or the second factor removed', async () => {
    expect(await left(601)).toBe(true);
    expect(await left(0, {}, false)).toBe(false);
    expect(await left(0, { methods: ['password', 'otp'] })).toBe(false);
  });
});
