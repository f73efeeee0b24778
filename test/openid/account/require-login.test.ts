// SEC-33: which pages of an account ask for a fresh login or one of their own, and what is said of a sign-in to them that was refused.

import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import express from 'express';
import { accountRouter } from '#openid/account/router.ts';
import {
  ANEW,
  FRESH,
  OWN_ACCOUNT,
  requireLogin,
  SIGNED_IN,
  signInCallback,
} from '#openid/account/sign-in/require-login.ts';
import { createSite } from '#web/site.ts';

const NOW = 1_800_000_000;
const ISSUER = 'https://connect.example/base';

describe('the login that a page demands', () => {
  beforeEach(() => void jest.useFakeTimers({ now: NOW * 1000, doNotFake: ['nextTick'] }));
  afterEach(() => void jest.useRealTimers());

  const site = {
    ...createSite({ issuer: ISSUER, branding: { name: 'Hygie', colour: '#0b5f6b' } }),
    people: [{ login: 'known@demo.example' }],
  };
  const person = { id: 'a', language: 'en' };
  const options = (account: object | undefined, more: object = {}) => {
    const begun: object[] = [];
    const added: object[] = [];
    return {
      begun,
      added,
      options: {
        site,
        isShared: (id: string) => id === 'shared',
        signIn: {
          account: async () => account,
          begin: (demand: object) => {
            begun.push(demand);
            return { location: '/to-sign-in', pending: { state: 's' } };
          },
        },
        pending: { add: (_req: unknown, _res: unknown, one: object) => void added.push(one) },
        ...more,
      } as never,
    };
  };
  const ask = async (
    demand: Parameters<typeof requireLogin>[2],
    { account = person as object | null, session = {} as object, query = {}, method = 'GET' } = {},
    page: Parameters<typeof requireLogin>[1] = 'email',
  ) => {
    const { begun, added, options: all } = options(account ?? undefined);
    const told: unknown[] = [];
    const res = {
      locals: {} as Record<string, unknown>,
      redirect: (status: number, to: string) => void told.push([status, to]),
      status: (status: number) => {
        told.push(status);
        return res;
      },
      type: () => res,
      send: () => res,
      getHeader: () => undefined,
      setHeader: () => {},
    };
    const req = { url: '/account/email', method, session, query, headers: {} };
    await requireLogin(all, page, demand)(req as never, res as never, () => void told.push('next'));
    return { told, begun, added, let: res.locals['account'], session: req.session };
  };
  const loginAt = (ago?: number, madeFor?: string) => ({
    account: {
      signedIn: { accountId: 'a', ...(ago !== undefined && { authTime: NOW - ago }) },
      ...(madeFor && { madeFor }),
    },
  });

  it('says what it demands of a login', () => {
    expect([SIGNED_IN, OWN_ACCOUNT, FRESH, ANEW]).toEqual([
      { own: false, fresh: false, anew: false },
      { own: true, fresh: false, anew: false },
      { own: true, fresh: true, anew: false },
      { own: true, fresh: true, anew: true },
    ]);
  });

  it.each([
    ['that wants a person', SIGNED_IN, loginAt(), true],
    ['that wants a person of their own', OWN_ACCOUNT, loginAt(), true],
    ['that wants a fresh login, of another application', FRESH, loginAt(), false],
    ['that wants a fresh login, of ten minutes ago', FRESH, loginAt(600), true],
    ['that wants a fresh login, of more', FRESH, loginAt(601), false],
    ['that wants its own login', ANEW, loginAt(0, 'email'), true],
    ['that wants its own login, of another page', ANEW, loginAt(0, 'security'), false],
    ['that wants its own login, which is old', ANEW, loginAt(601, 'email'), false],
  ])('%s', async (_, demand, session, isLet) => {
    const asked = await ask(demand, { session });
    expect([asked.told, asked.let]).toEqual(isLet ? [['next'], person] : [[[303, '/to-sign-in']], undefined]);
    const { fresh, anew } = demand;
    const begun = { language: anew ? 'fr' : 'en', fresh, anew, loginHint: undefined };
    expect([asked.begun, asked.added]).toEqual(isLet ? [[], []] : [[begun], [{ state: 's', page: 'email' }]]);
  });

  it('that was signed in for is shown once', async () => {
    const session = loginAt(0, 'email');
    await ask(ANEW, { session });
    expect(session).toEqual(loginAt(0));
    expect((await ask(ANEW, { session })).told).toEqual([[303, '/to-sign-in']]);
  });

  it('sends who is no longer signed in to sign in, and forgets them; a fictional person may be named', async () => {
    const { told, begun, session } = await ask(SIGNED_IN, { account: null, session: loginAt(0) });
    expect([told, session]).toEqual([[[303, '/to-sign-in']], {}]);
    expect(begun).toEqual([{ language: 'fr', fresh: false, anew: false, loginHint: undefined }]);
    const hinted = (login_hint: unknown) => ask(SIGNED_IN, { account: null, query: { login_hint } });
    expect((await hinted('known@demo.example')).begun).toMatchObject([{ loginHint: 'known@demo.example' }]);
    expect((await hinted('anybody@clinic.example')).begun).toMatchObject([{ loginHint: undefined }]);
  });

  it.each([
    ['of any page is said to have had no effect', 'deletion', null, true],
    ['of a password is said so if the login is old', 'password', person, true],
    ['that renews the session is not, because it may have been sent twice', 'password', null, undefined],
    ['that renews the session is not, for the other sessions', 'otherSessions', null, undefined],
    ['that only confirms is not', 'savedCodes', null, undefined],
  ] as const)('a form without a login %s', async (_, page, account, unsent) => {
    const { added } = await ask(FRESH, { account, session: loginAt(601), method: 'POST' }, page);
    expect(added).toEqual([{ state: 's', page, ...(unsent && { unsent }) }]);
  });

  it('is refused to a person whom everybody shares, where it is theirs', async () => {
    const shared = { account: { id: 'shared' }, session: loginAt(0) };
    expect((await ask(OWN_ACCOUNT, shared)).told).toEqual([403]);
    expect((await ask(FRESH, shared)).told).toEqual([403]);
    expect((await ask(SIGNED_IN, shared)).told).toEqual(['next']);
  });

  it.each([
    ['access_denied', 403, undefined],
    ...['invalid_request', 'unauthorized_client', 'unsupported_response_type', 'invalid_scope', 'server_error'].map(
      (code) => [code, 400, code] as const,
    ),
    ...['temporarily_unavailable', 'interaction_required', 'login_required', 'consent_required'].map(
      (code) => [code, 400, code] as const,
    ),
    ['evil', 400, 'unknown'],
    [['a', 'b'], 400, 'unknown'],
  ])('is told of a refusal by %j: %i, and the log %j', async (error, status, logged) => {
    const warned: unknown[][] = [];
    const pending = { take: () => ({ page: 'security' }) };
    const { options: all } = options(undefined, {
      pending,
      log: { warn: (...line: unknown[]) => void warned.push(line) },
    });
    const told: unknown[] = [];
    const res = {
      status: (given: number) => {
        told.push(given);
        return res;
      },
      type: () => res,
      send: (page: unknown) => void told.push(String(page).includes('href="/base/account/security"')),
      getHeader: () => undefined,
    };
    const req = { url: '/account/signed-in', query: { state: 's', error }, headers: {}, session: {} };
    await signInCallback(all)(req as never, res as never, () => {});
    expect([told, warned]).toEqual([
      [status, true],
      logged ? [[{ error: logged }, 'the sign-in to an account was refused']] : [],
    ]);
  });
});

describe('the login of a form', () => {
  const after: (() => void)[] = [];
  afterEach(() => {
    for (const step of after.splice(0)) step();
  });

  it('SEC-55 that ends while the form arrives opens nothing, however slowly the browser sends it', async () => {
    let lookedUp = () => {};
    const first = new Promise<void>((resolve) => (lookedUp = resolve));
    let account: object | undefined = { id: 'a', language: 'en' };
    const options = {
      site: createSite({ issuer: ISSUER, branding: { name: 'Hygie', colour: '#0b5f6b' } }),
      isShared: () => false,
      signIn: {
        account: async () => {
          lookedUp();
          return account;
        },
        begin: () => ({ location: '/to-sign-in', pending: {} }),
      },
      pending: { add: () => {} },
      session: (req: object, _res: unknown, next: () => void) => {
        const authTime = Math.floor(Date.now() / 1000);
        Object.assign(req, { session: { account: { signedIn: { accountId: 'a', authTime } } } });
        next();
      },
      log: { error: () => {} },
    };
    const server = createServer(express().use(accountRouter(options as never))).listen(0, '127.0.0.1');
    await once(server, 'listening');
    after.push(
      () => server.closeAllConnections(),
      () => server.close(),
    );
    const { port } = server.address() as AddressInfo;
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const slow = request({ host: '127.0.0.1', port, method: 'POST', path: '/passkeys', headers });
    slow.write('csrf=');
    await first;
    account = undefined;
    slow.end('x&passkey=x');
    const [answer] = await once(slow, 'response');
    expect([answer.statusCode, answer.headers.location]).toEqual([303, '/to-sign-in']);
  });
});
