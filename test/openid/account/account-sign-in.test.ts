// SEC-33: the sign-in of a person to their own pages, part by part: the request that is sent, which answers count, and when a session lets the
// person in.

import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { errors } from 'oidc-provider';
import { createAccountSignIn } from '#openid/account/sign-in/account-sign-in.ts';
import { pendingSignIns } from '#openid/account/sign-in/pending-sign-ins.ts';
import { sealedCookie } from '#web/http/cookies.ts';

const NOW = 1_800_000_000;
const ISSUER = 'https://connect.example/base';
const CALLBACK = `${ISSUER}/account/signed-in`;

describe('the sign-in to the own pages', () => {
  beforeEach(() => void jest.useFakeTimers({ now: NOW * 1000, doNotFake: ['nextTick'] }));
  afterEach(() => void jest.useRealTimers());

  describe('its request', () => {
    const { begin } = createAccountSignIn({ provider: { issuer: ISSUER } } as never);
    const usual = {
      client_id: 'hygie-account',
      redirect_uri: CALLBACK,
      response_type: 'code',
      scope: 'openid',
      code_challenge_method: 'S256',
      ui_locales: 'fr',
    };

    it.each([
      [{}, {}],
      [{ fresh: true }, { prompt: 'login' }],
      [{ anew: true }, { anew: '1' }],
      [{ loginHint: 'a@clinic.example' }, { login_hint: 'a@clinic.example' }],
    ])('with %j has %j', (demand, more) => {
      const { location, pending } = begin({
        language: 'fr',
        fresh: false,
        anew: false,
        loginHint: undefined,
        ...demand,
      });
      const { pathname, searchParams } = new URL(location, ISSUER);
      const { state, nonce, verifier } = pending;
      const code_challenge = createHash('sha256').update(verifier).digest('base64url');
      expect([pathname, Object.fromEntries(searchParams)]).toEqual([
        '/base/authorize',
        { ...usual, state, nonce, code_challenge, ...more },
      ]);
      expect(new Set([state, nonce, verifier]).size).toBe(3);
      for (const one of [state, nonce, verifier]) expect(one).toMatch(/^[\w-]{43}$/);
    });
  });

  describe('its answer', () => {
    const pending = { state: 'state', nonce: 'nonce', verifier: 'verifier' };
    const good = {
      clientId: 'hygie-account',
      redirectUri: CALLBACK,
      codeChallenge: createHash('sha256').update('verifier').digest('base64url'),
      nonce: 'nonce',
      isExpired: false,
      accountId: 'a',
      sessionUid: 'session',
      grantId: 'grant',
      authTime: NOW - 10,
    };
    const finish = async (
      code: object | undefined,
      { consume = async () => {}, proof = undefined as object | undefined } = {},
    ) => {
      const asked: unknown[] = [];
      const { finish } = createAccountSignIn({
        provider: { issuer: ISSUER, AuthorizationCode: { find: async () => code && { ...code, consume } } },
        records: {
          find: async (...given: unknown[]) => {
            asked.push(given);
            return proof;
          },
          destroy: async () => {},
        },
      } as never);
      return [await finish('code', pending), asked];
    };
    const signedIn = { accountId: 'a', sessionUid: 'session', grantId: 'grant' };

    it('signs in, and counts as fresh where a password was given for it in that session', async () => {
      expect(await finish(good)).toEqual([signedIn, [['AccountProof', 'state']]]);
      const proofAt = (iat: number, accountId = 'a') => finish(good, { proof: { accountId, iat } });
      expect((await proofAt(NOW - 10))[0]).toEqual({ ...signedIn, authTime: NOW - 10 });
      expect((await proofAt(NOW - 11))[0]).toEqual({ ...signedIn, authTime: NOW - 11 });
      // The session is older than the proof, or the proof is somebody else's.
      expect((await proofAt(NOW - 9))[0]).toEqual(signedIn);
      expect((await proofAt(NOW - 10, 'b'))[0]).toEqual(signedIn);
      const { authTime: _, ...without } = good;
      expect((await finish(without, { proof: { accountId: 'a', iat: NOW } }))[0]).toEqual(signedIn);
    });

    it.each([
      ['is unknown', undefined],
      ['is of another client', { ...good, clientId: 'app' }],
      ['is for another address', { ...good, redirectUri: `${CALLBACK}/` }],
      ['has another challenge', { ...good, codeChallenge: 'verifier' }],
      ['has another nonce', { ...good, nonce: 'other' }],
      ['has expired', { ...good, isExpired: true }],
      ['has no account', { ...good, accountId: undefined }],
      ['has no session', { ...good, sessionUid: undefined }],
      ['has no grant', { ...good, grantId: undefined }],
    ])('does not count where its code %s', async (_, code) => {
      const consume = jest.fn(async () => {});
      expect(await finish(code, { consume })).toEqual([undefined, []]);
      expect(consume).not.toHaveBeenCalled();
    });

    it('counts once; another failure is an error', async () => {
      const taken = async () => Promise.reject(new errors.InvalidGrant('used'));
      expect(await finish(good, { consume: taken })).toEqual([undefined, []]);
      await expect(finish(good, { consume: async () => Promise.reject(new Error('away')) })).rejects.toThrow('away');
    });
  });

  describe('who is in', () => {
    const session = { accountId: 'a', authorizations: { 'hygie-account': { grantId: 'grant' } } };
    const isIn = (
      found: object | undefined,
      { grant = {} as object | null, account = { id: 'a', status: 'active' } as object | null } = {},
    ) =>
      createAccountSignIn({
        provider: { issuer: ISSUER },
        records: {
          findLiveSession: async (uid: string) => (uid === 'session' ? found : undefined),
          find: async (model: string, id: string) =>
            model === 'Grant' && id === 'grant' ? (grant ?? undefined) : undefined,
        },
        accounts: { find: async (id: string) => (id === 'a' ? (account ?? undefined) : undefined) },
      } as never).account({ accountId: 'a', sessionUid: 'session', grantId: 'grant' });

    it.each([
      ['as they signed in', session, {}, true],
      ['after the session', undefined, {}, false],
      ['in the session of somebody else', { ...session, accountId: 'b' }, {}, false],
      ['after a sign-out of these pages', { accountId: 'a', authorizations: {} }, {}, false],
      ['in a session without applications', { accountId: 'a' }, {}, false],
      [
        'after another sign-in to them',
        { ...session, authorizations: { 'hygie-account': { grantId: 'x' } } },
        {},
        false,
      ],
      ['after the grant', session, { grant: null }, false],
      ['once disabled', session, { account: { id: 'a', status: 'disabled' } }, false],
      ['once deleted', session, { account: null }, false],
    ])('%s', async (_, found, more, expected) => {
      expect((await isIn(found, more)) !== undefined).toBe(expected);
    });
  });

  describe('several windows', () => {
    /** A browser that keeps the cookie. */
    function browser() {
      let lines: string[] = [];
      const req = { headers: {} as { cookie?: string } };
      const res = {
        getHeader: () => lines,
        appendHeader: (_: string, line: string) => lines.push(line),
        setHeader: (_: string, all: string | string[]) => {
          lines = [all].flat();
        },
      };
      const keep = () => {
        const [line] = lines;
        if (line !== undefined) req.headers.cookie = line.split(';')[0] ?? '';
        const sent = lines;
        lines = [];
        return sent;
      };
      return { req: req as never, res: res as never, keep };
    }
    const pending = pendingSignIns(sealedCookie('pending', ['key'], true), { base: '/base' }, 600);
    const signInOf = (state: string) => ({ state, nonce: 'n', verifier: 'v', page: 'security' }) as const;

    it('each have their sign-in, the last five of them, for as long as a sign-in may take', () => {
      const { req, res, keep } = browser();
      for (const state of ['1', '2', '3', '4', '5', '6']) {
        pending.add(req, res, signInOf(state));
        expect(keep()).toEqual([expect.stringMatching(/; path=\/base\/account; .*max-age=600(;|$)/i)]);
      }
      expect(pending.take(req, res, '1')).toBeUndefined();
      expect(keep()).toEqual([]);
      expect(pending.take(req, res, '4')).toEqual(signInOf('4'));
      expect(keep()).toHaveLength(1);
      expect([pending.take(req, res, '4'), pending.take(req, res, undefined)]).toEqual([undefined, undefined]);
      jest.setSystemTime((NOW + 599) * 1000);
      expect(pending.take(req, res, '2')).toEqual(signInOf('2'));
      keep();
      // Each answer gives the others their time anew.
      jest.setSystemTime((NOW + 599 + 600) * 1000);
      expect(pending.take(req, res, '3')).toBeUndefined();
    });

    it('the last of them leaves no cookie', () => {
      const { req, res, keep } = browser();
      pending.add(req, res, signInOf('1'));
      keep();
      expect(pending.take(req, res, '1')).toEqual(signInOf('1'));
      expect(keep()).toEqual([expect.stringMatching(/=;.*max-age=0(;|$)/i)]);
    });
  });
});
