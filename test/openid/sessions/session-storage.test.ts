// Sessions as they are stored: when, for how long, with which device, and what a grant of a parallel request becomes.

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Provider } from 'oidc-provider';
import { endedSessions } from '#openid/sessions/session-ended-meanwhile.ts';
import { sessionAdapter } from '#openid/sessions/session-storage.ts';

const NOW = 1_000_000;
const PERSON = { uid: 'u', accountId: 'person', exp: NOW + 100 };

describe('the storage of sessions', () => {
  /** What was asked of the records below. */
  let done: unknown[][];
  let ctx: Record<string, unknown> | undefined;
  /** The payload that is stored, and what a change of it answers. */
  let stored: object | undefined;
  let replaced: () => boolean;
  let ended: object | undefined;
  /** The id that the session has when it is read again. */
  let renamedBy: string;

  beforeEach(() => {
    jest.useFakeTimers({ now: NOW * 1000 });
    [done, stored, replaced, ended] = [[], undefined, () => true, undefined];
    renamedBy = 'x';
    ctx = undefined;
    jest.spyOn(Provider, 'ctx', 'get').mockImplementation(() => ctx as never);
  });
  afterEach(() => {
    jest.useRealTimers();
    jest.restoreAllMocks();
  });

  function adapter() {
    const doing =
      (name: string, result: () => unknown = () => undefined) =>
      async (...args: unknown[]) => {
        done.push([name, ...args]);
        return result();
      };
    const records = {
      readSession: async (by: object) =>
        stored && { payload: JSON.stringify(stored), id: 'uid' in by ? renamedBy : 'x' },
      read: doing('read'),
      insertOnce: doing('insert'),
      replace: doing('replace', () => replaced()),
      destroySession: doing('destroy session', () => ended),
      destroy: doing('destroy record'),
      destroyByGrant: doing('destroy by grant'),
    };
    return sessionAdapter({ destroy: doing('destroy') } as never, records as never, 600);
  }
  /** A request with these fields of the library. */
  const request = (oidc: object = {}) => {
    const headers: Record<string, unknown> = {};
    ctx = {
      req: { headers: { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' } },
      res: { getHeader: (name: string) => headers[name], setHeader: () => {}, removeHeader: () => {} },
      oidc: { session: {}, entities: {}, provider: { Grant: {} }, ...oidc },
    };
  };

  it('end at their time, and none is found that is not there', async () => {
    const found = async (exp: unknown) => {
      stored = { ...PERSON, exp };
      return adapter().find('s');
    };
    expect([await found(NOW - 1), await found(NOW)]).toEqual([undefined, undefined]);
    expect(await found(NOW + 1)).toEqual({ ...PERSON, exp: NOW + 1, jti: 's' });
    stored = undefined;
    expect(await adapter().find('s')).toBeUndefined();
  });

  it('are stored for as long as their tokens live, unless nobody is signed in', async () => {
    await adapter().upsert('s', PERSON as never, 100);
    request();
    await adapter().upsert('s', PERSON as never, undefined as never);
    await adapter().upsert('s', { uid: 'u', exp: NOW + 9 } as never, 100);
    expect(done).toEqual([
      ['insert', 'Session', 's', PERSON, 700],
      ['insert', 'Session', 's', PERSON, 600],
    ]);
  });

  it('have the device of the sign-in, and keep it', async () => {
    const device = 'Chrome, Windows';
    const base = { ...PERSON, exp: NOW + 50, device };
    const save = async (oidc: object, before?: object) => {
      request(oidc);
      stored = before;
      const storage = adapter();
      done = [];
      if (before) await storage.find('s');
      await storage.upsert('s', PERSON as never, 100);
      return done.map(([name, ...args]) => [name, args.find((arg) => Object.hasOwn(Object(arg), 'uid'))]);
    };
    const here = { ...PERSON, device: 'Firefox, Linux' };
    expect(await save({ result: { login: {} } })).toEqual([['insert', here]]);
    expect(await save({ result: { login: {} } }, base)).toEqual([['replace', here]]);
    expect(await save({ result: {} })).toEqual([['insert', PERSON]]);
    expect(await save({}, base)).toEqual([['replace', { ...PERSON, device }]]);
    // Another session than the one that was read.
    expect(await save({}, { ...base, uid: 'other' })).toEqual([['insert', PERSON]]);
  });

  it('get a new id where the library gives one, and are not stored again after their end', async () => {
    const before = { ...PERSON, exp: NOW + 50 };
    const save = async (oidc: object) => {
      request({ session: { uid: 'u', ...oidc }, route: 'userinfo' });
      stored = before;
      const storage = adapter();
      await storage.find('s');
      await storage.upsert('new', PERSON as never, 100);
      return ctx?.['oidc'];
    };
    const read = { payload: JSON.stringify(before), id: 'x' };
    await save({});
    await save({ oldId: 's' });
    expect(done).toEqual([
      ['replace', 'Session', read, undefined, PERSON, 700],
      ['replace', 'Session', read, 'new', PERSON, 700],
    ]);
    replaced = () => {
      stored = undefined;
      return false;
    };
    expect(await save({})).toMatchObject({ session: { destroyed: true } });
  });

  it('leave the cookie of the browser where nobody is signed in, or another answer sets it', async () => {
    const cookies = async (payload: object) => {
      const headers: Record<string, unknown> = { 'set-cookie': ['_session=x', 'other=y'] };
      request();
      Object.assign(ctx ?? {}, {
        res: {
          getHeader: (name: string) => headers[name],
          setHeader: (name: string, value: unknown) => void Object.assign(headers, { [name]: value }),
        },
      });
      const storage = adapter();
      await endedSessions({ cookieName: () => '_session' } as never)(ctx as never, async () => {
        stored = { ...PERSON, exp: NOW + 50 };
        await storage.find('s');
        await storage.upsert('s', payload as never, 100);
      });
      return headers['set-cookie'];
    };
    expect([await cookies(PERSON), await cookies({ uid: 'u' })]).toEqual([['_session=x', 'other=y'], ['other=y']]);
    renamedBy = 'another';
    const tries = [false, true];
    replaced = () => tries.shift() ?? true;
    expect(await cookies(PERSON)).toEqual(['other=y']);
  });

  it('the question before a sign-out opens with the cookie of the session alone', async () => {
    const state = { secret: 'csrf', clientId: 'app' };
    await adapter().upsert('s', { ...PERSON, state } as never, 100);
    const [, , , payload] = done[0] ?? [];
    const kept = payload as { state: { secret: string; sealed: string } };
    expect(Object.keys(kept.state)).toEqual(['secret', 'sealed']);
    expect(JSON.stringify(kept)).not.toContain('csrf');
    expect([kept.state.secret === kept.state.sealed, kept.state.secret.length]).toEqual([false, 43]);
    stored = kept;
    expect(await adapter().find('s')).toEqual({ ...PERSON, jti: 's', state });
    expect(await adapter().find('other')).toEqual({ ...PERSON, jti: 'other' });
    stored = { ...PERSON, state: { secret: 'of an older release' } };
    expect(await adapter().find('s')).toEqual({ ...stored, jti: 's' });
  });

  it('are destroyed by their public identifier, with what a request in between added', async () => {
    await adapter().destroy('s');
    request({ session: {} });
    await adapter().destroy('s');
    request({ session: { uid: 'u' } });
    await adapter().destroy('s');
    const two = [
      ['destroy', 's'],
      ['destroy', 's'],
    ];
    expect(done).toEqual([...two, ['destroy session', 'u']]);
    // It is to get a new id, which `upsert` gives it.
    request({ session: { uid: 'u', oldId: 's' } });
    done = [];
    await adapter().destroy('s');
    expect(done).toEqual([]);
    await adapter().destroy('another');
    expect(done).toEqual([['destroy session', 'u']]);
    done = [];
    ended = { ...PERSON, authorizations: { app: { grantId: 'g', sid: '1' }, late: { grantId: 'late', sid: '2' } } };
    const Client = { find: async () => undefined };
    const authorizations = { app: { grantId: 'g', sid: '1' } };
    request({ session: { uid: 'u', authorizations }, provider: { Client, Grant: {} } });
    await adapter().destroy('s');
    expect(done[0]).toEqual(['destroy session', 'u']);
    expect(done.slice(1).map(([name, , id]) => [name, id])).toEqual([
      ...[
        ['destroy record', 'late'],
        ['destroy by grant', 'late'],
        ['destroy by grant', 'late'],
      ],
      ['destroy by grant', 'late'],
    ]);
  });

  it('a code of a parallel request moves to the grant of the session', async () => {
    const parallel = async (
      own: string | undefined,
      shared: string | undefined,
      { withCode = true, grantId = own } = {},
    ) => {
      const authorizations = (id: string | undefined, sid: string) => ({ app: { grantId: id, sid } });
      const code = { grantId: own, sid: 'mine', save: async () => void done.push(['code saved']) };
      const grant = {
        jti: grantId,
        getOIDCScope: () => 'openid',
        getOIDCClaims: () => [],
        destroy: async () => void done.push(['grant ended']),
      };
      request({
        client: { clientId: 'app' },
        session: { uid: 'u' },
        entities: { Grant: grant, ...(withCode && { AuthorizationCode: code }) },
      });
      stored = PERSON;
      const storage = adapter();
      await storage.find('s');
      // The other request stores its grant between the two.
      const theirs = { ...PERSON, authorizations: authorizations(shared, 'theirs') };
      replaced = () => {
        const last = stored === theirs;
        stored = theirs;
        return last;
      };
      done = [];
      await storage.upsert('s', { ...PERSON, authorizations: authorizations(own, 'mine') } as never, 100);
      const { grantId: id, sid } = code;
      return [id, sid, ...done.map(([name]) => name).filter((name) => name !== 'replace')];
    };
    expect(await parallel('g', 'g')).toEqual(['g', 'mine']);
    expect(await parallel(undefined, 'shared')).toEqual([undefined, 'mine']);
    expect(await parallel('own', undefined)).toEqual(['own', 'mine']);
    expect(await parallel('own', 'shared')).toEqual(['shared', 'theirs', 'read', 'grant ended', 'code saved']);
    expect(await parallel('own', 'shared', { grantId: 'shared' })).toEqual(['shared', 'theirs', 'code saved']);
    expect(await parallel('own', 'shared', { withCode: false })).toEqual(['own', 'mine', 'read', 'grant ended']);
  });
});
