// SEC-33, SEC-55, SEC-56: how parallel changes of a session are merged and saved, and what of it is shown.

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { describeSession } from '#openid/sessions/account-sessions.ts';
import { mergeSession, type SessionPayload, saveSession, signedInBetween } from '#openid/sessions/save-session.ts';
import { cookieSettings, sessionCookieOptions } from '#openid/sessions/session-cookie.ts';

const NOW = Date.parse('2026-11-28T12:00:00Z') / 1000;

describe('rules of sessions', () => {
  beforeEach(() => void jest.useFakeTimers({ now: NOW * 1000 }));
  afterEach(() => void jest.useRealTimers());

  describe('a merge', () => {
    /** A session with these clients and their grants: `a1` is the client a with the grant 1. */
    const of = (clients = '', more: object = {}): SessionPayload => {
      const pairs = clients.split(' ').filter(Boolean);
      const authorizations = pairs.map(([client, grantId]) => [client, { grantId, sid: `sid ${grantId}`, ...more }]);
      return { exp: 1, ...(pairs.length > 0 && { authorizations: Object.fromEntries(authorizations) }) };
    };
    const LASTING = { persistsLogout: true };
    it.each<[what: string, ...states: [SessionPayload, SessionPayload, SessionPayload, SessionPayload]]>([
      ['nothing', { exp: 5 }, { exp: 5 }, { exp: 5 }, { exp: 5 }],
      ['own fields', { exp: 5, a: 1, b: 1 }, { exp: 5, a: 2 }, { exp: 5, a: 3, b: 1, c: 9 }, { exp: 5, a: 2, c: 9 }],
      ['fields that others changed', { exp: 5, a: 1 }, { exp: 5, a: 1 }, { exp: 5, a: 3 }, { exp: 5, a: 3 }],
      ['an own end, also an earlier one', { exp: 5 }, { exp: 4 }, { exp: 5 }, { exp: 4 }],
      ['the later of two ends', { exp: 5 }, { exp: 6 }, { exp: 9 }, { exp: 9 }],
      ['the later of two ends, the own one', { exp: 5 }, { exp: 9 }, { exp: 6 }, { exp: 9 }],
      ['a client that each side added', of(), of('a1'), of('b2'), of('a1 b2')],
      ['a client that this side removed', of('a1 b2'), of('b2'), of('a1 b2'), of('b2')],
      ['a client that the other side removed', of('a1'), of('a1'), of(), of()],
      ['a client with a new grant that the other side removed', of('a1'), of('a2'), of(), of('a2')],
      ['grants of both sides: the stored one stays', of(), of('a1', LASTING), of('a2'), of('a2', LASTING)],
      ['a grant that this side replaced', of('a1'), of('a2'), of('a1'), of('a2')],
      ['no client any more', of('a1'), of(), of('a1'), of()],
    ])('of %s', (_what, base, mine, theirs, merged) => {
      expect(mergeSession(base, mine, theirs)).toEqual(merged);
    });

    it('a sign-in lies between two states if one of its fields differs', () => {
      const state = { accountId: 'a', loginTs: 1, acr: 'x', amr: ['pwd'], exp: 1 };
      const differs = (more: object) => signedInBetween(state, { ...state, ...more });
      expect([{}, { exp: 2 }, { accountId: 'b' }, { loginTs: 2 }, { acr: 'y' }, { amr: ['otp'] }].map(differs)).toEqual(
        [...[false, false, true, true, true, true]],
      );
    });
  });

  describe('a saved session', () => {
    type Stored = { id: string; payload: string } | undefined;
    /** Saves a session that was read in this state; the database then holds these, one after the other. */
    const saved = async (
      base: object,
      mine: object,
      { newId, later = [] }: { newId?: string; later?: Stored[] } = {},
    ) => {
      const written: unknown[] = [];
      const left = [...later];
      const records = {
        replace: async (...args: unknown[]) => {
          written.push(args);
          return left.length === 0;
        },
        readSession: async () => left.shift(),
      };
      const read = { id: 'old', payload: JSON.stringify({ uid: 'u', ...base }) };
      const change = { payload: { uid: 'u', ...mine } as never, expiresIn: 100, ...(newId !== undefined && { newId }) };
      const result = await saveSession(records as never, read as never, change);
      return { result, written: written.map((args) => (args as unknown[]).slice(2)) };
    };

    it('is not written where only its end moved by less than a minute, and is not near', async () => {
      const moved = async (before: number, after: number, more = {}) =>
        (await saved({ exp: before }, { exp: after, ...more })).written.length;
      const far = NOW + 1000;
      expect([
        await moved(far, far),
        await moved(far, far + 59),
        await moved(far, far + 60),
        await moved(far, far - 60),
        await moved(NOW + 61, NOW + 62),
        await moved(NOW + 60, NOW + 61),
        await moved(NOW + 60, NOW + 60),
        await moved(far, far, { a: 1 }),
      ]).toEqual([0, 0, 1, 1, 0, 1, 0, 1]);
      expect((await saved({ exp: far }, { exp: far }, { newId: 'new' })).written).toEqual([
        ['new', { uid: 'u', exp: far }, 100],
      ]);
      expect((await saved({ exp: far }, { exp: far + 1 })).result).toEqual({
        outcome: 'saved',
        session: { uid: 'u', exp: far },
      });
    });

    it('is merged with what others stored, under their id, and is gone where they ended it', async () => {
      const other = { id: 'theirs', payload: JSON.stringify({ uid: 'u', exp: NOW + 500, b: 2 }) };
      const merged = { uid: 'u', exp: NOW + 500, a: 1, b: 2 };
      expect(await saved({ exp: NOW }, { exp: NOW + 200, a: 1 }, { later: [other] })).toEqual({
        result: { outcome: 'renamed', session: merged },
        written: [
          [undefined, { uid: 'u', exp: NOW + 200, a: 1 }, 100],
          [undefined, merged, 400],
        ],
      });
      const same = { ...other, id: 'old' };
      const again = await saved({ exp: NOW }, { exp: NOW + 200, a: 1 }, { newId: 'new', later: [same] });
      expect([again.result, again.written[1]]).toEqual([{ outcome: 'saved', session: merged }, ['new', merged, 400]]);
      expect((await saved({ exp: NOW }, { exp: NOW, a: 1 }, { later: [undefined] })).result).toEqual({
        outcome: 'ended',
      });
      // Somebody else signed in with the former id.
      const signedIn = await saved({ exp: NOW }, { exp: NOW, accountId: 'a' }, { newId: 'new', later: [other] });
      expect([signedIn.result, signedIn.written.length]).toEqual([{ outcome: 'ended' }, 1]);
    });
  });

  it('what is shown of a session: its device, its methods, its applications, and when it was used', () => {
    const limits = { session: 1000, sessionIdle: 100 };
    const session = (exp: number, more: object = {}) =>
      describeSession({ uid: 'u', loginTs: NOW - 500, exp, ...more }, limits);
    expect(
      session(NOW + 40, { amr: ['pwd'], device: 'Firefox', authorizations: { app: {}, 'hygie-account': {}, b: {} } }),
    ).toEqual({
      uid: 'u',
      signedInAt: NOW - 500,
      methods: ['pwd'],
      clients: ['app', 'b'],
      device: 'Firefox',
      used: { at: NOW - 60, orLater: false },
    });
    expect(session(NOW + 499)).toEqual({
      uid: 'u',
      signedInAt: NOW - 500,
      methods: [],
      clients: [],
      used: { at: NOW, orLater: false },
    });
    expect([session(NOW + 500).used, session(NOW - 450).used]).toEqual([
      { at: NOW, orLater: true },
      { at: NOW - 500, orLater: false },
    ]);
  });

  it('SEC-35 cookies are signed, for this host, and secure where the issuer is', () => {
    const options = (secure: boolean) => ({ signed: true, httpOnly: true, sameSite: 'lax', secure, overwrite: true });
    expect([sessionCookieOptions('https://c.example'), sessionCookieOptions('http://c.example')]).toEqual([
      options(true),
      options(false),
    ]);
    expect(cookieSettings('https://c.example')).toEqual({
      names: {
        session: '__Host-hygie_session',
        interaction: '__Secure-hygie_interaction',
        resume: '__Secure-hygie_resume',
      },
      long: options(true),
      short: options(true),
    });
  });
});
