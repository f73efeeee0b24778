// SEC-33, SEC-55: what ends with a session, and what becomes of a request whose session ended while it ran.

import { describe, expect, it } from '@jest/globals';
import { endLateAuthorizations, endSession, sessionLimit } from '#openid/sessions/end-session.ts';
import { endGrant } from '#openid/sessions/grants.ts';
import type { SessionPayload } from '#openid/sessions/save-session.ts';
import {
  endedSessions,
  hasEnded,
  sendNoSessionCookie,
  sessionEnded,
} from '#openid/sessions/session-ended-meanwhile.ts';
import type { AuditEvent } from '#shared/audit/events.ts';
import { noting } from '#support/noted-calls.ts';

describe('sessions that end', () => {
  describe('the end of a session', () => {
    function world(session: object | undefined) {
      const done: unknown[] = [];
      const note = noting(done);
      const records = {
        findSession: note('find', session),
        destroySession: note('destroy session', session),
        destroy: note('destroy'),
        destroyByGrant: note('by grant'),
      };
      const client = (id: string) => ({
        backchannelLogoutUri: id === 'silent' ? undefined : 'https://a.example',
        backchannelLogout: async (...args: unknown[]) => {
          done.push(['told', id, ...args]);
          if (id === 'broken') throw new Error('no');
        },
      });
      const provider = {
        Client: { find: async (id: string) => (id === 'gone' ? undefined : client(id)) },
        emit: (...args: unknown[]) => void done.push(args),
      };
      return { done, records: records as never, provider: provider as never };
    }
    const ended = (grant: string) => [
      ['destroy', 'Grant', grant],
      ...['AccessToken', 'RefreshToken', 'AuthorizationCode'].map((model) => ['by grant', model, grant]),
    ];

    it('tells its clients and ends its grants, but those that outlive it', async () => {
      const authorizations = {
        app: { grantId: '1', sid: 's1' },
        lasting: { grantId: '2', sid: 's2', persistsLogout: true },
        silent: { grantId: '3', sid: 's3' },
        gone: { sid: 's4' },
        broken: { grantId: '5', sid: 's5' },
      };
      const session = { accountId: 'person', authorizations };
      const { done, records, provider } = world(session);
      expect(await endSession(provider, records, 'uid')).toEqual(session);
      expect(done).toEqual([
        ['find', 'uid'],
        ['told', 'app', 'person', 's1'],
        ...ended('1'),
        ['told', 'lasting', 'person', 's2'],
        ...ended('3'),
        ['told', 'broken', 'person', 's5'],
        ['backchannel.error', undefined, new Error('no'), expect.anything(), 'person', 's5'],
        ...ended('5'),
        ['destroy session', 'uid', undefined],
      ]);
    });

    it('is that of its account alone, and none where there is none', async () => {
      const other = world({ accountId: 'other' });
      expect(await endSession(other.provider, other.records, 'uid', 'person')).toBeUndefined();
      expect(other.done).toEqual([['find', 'uid']]);
      const none = world(undefined);
      expect(await endSession(none.provider, none.records, 'uid')).toBeUndefined();
      expect(none.done).toEqual([
        ['find', 'uid'],
        ['destroy session', 'uid', undefined],
      ]);
    });

    it('of what is known is done already', async () => {
      const { done, records, provider } = world(undefined);
      const authorizations = { a: { grantId: '1', sid: 's' }, b: { grantId: '2', sid: 't' } };
      await endLateAuthorizations(
        provider,
        records,
        { authorizations },
        { a: { grantId: '1', sid: 's' }, b: { grantId: '9', sid: 't' } },
      );
      expect(done).toEqual(ended('2'));
      done.length = 0;
      await endGrant(records, '3');
      expect(done).toEqual(ended('3'));
    });

    it.each([
      [2, ['1']],
      [3, []],
      [0, []],
    ])('comes for the oldest beyond %i', async (limit, gone) => {
      const { done, records, provider } = world(undefined);
      const events: AuditEvent[] = [];
      const shared = (id: string) => id === 'everybody';
      const sessions = ['1', '2', '3'].map((uid) => ({ uid }));
      const run = async (more: object = {}) => {
        const ctx = {
          req: { ip: '192.0.2.1' },
          oidc: { provider, route: 'resume', result: { login: {} }, session: { accountId: 'person' }, ...more },
        };
        const all = { ...(records as object), liveSessionsOf: async () => sessions } as never;
        const audit = { record: async (event: AuditEvent) => void events.push(event) } as never;
        await sessionLimit(all, limit, { audit, isShared: shared })(ctx as never, async () => {});
      };
      await run();
      expect(events).toEqual(
        gone.map(() => ({
          event: 'session.ended',
          actor: 'service',
          account: 'person',
          address: '192.0.2.1',
          details: { reason: expect.any(String) },
        })),
      );
      expect(done.flatMap((one) => ((one as string[])[0] === 'find' ? [(one as string[])[1]] : []))).toEqual(gone);
      done.length = 0;
      for (const other of [
        { route: 'authorization' },
        { result: {} },
        { session: {} },
        { session: { accountId: 'everybody' } },
      ])
        await run(other);
      expect(done).toEqual([]);
    });
  });

  describe('SEC-55 a session that ended while a request ran', () => {
    /** A request with these changes, and what became of it. */
    function request(oidc: object = {}) {
      const done: string[] = [];
      const headers: Record<string, unknown> = {};
      const session = { destroyed: false };
      const ctx = {
        status: 200,
        body: 'answer' as unknown,
        redirect: (address: string) => void done.push(`to ${address}`),
        res: {
          getHeader: (name: string) => headers[name],
          setHeader: (name: string, value: unknown) => void Object.assign(headers, { [name]: value }),
          removeHeader: (name: string) => void delete headers[name],
        },
        oidc: {
          session,
          route: 'authorization',
          client: { clientId: 'app' },
          prompts: new Set(),
          entities: {},
          provider: { Grant: { adapter: { destroy: async (id: string) => void done.push(`grant ${id}`) } } },
          params: { client_id: 'app', state: 's', nonce: undefined },
          urlFor: () => 'https://c.example/authorize',
          ...oidc,
        },
      };
      const end = (before: SessionPayload = {}, after: SessionPayload = {}) =>
        sessionEnded(ctx as never, { before, after });
      const answer = (cookies?: unknown) => {
        if (cookies !== undefined) headers['set-cookie'] = cookies;
        return endedSessions({ cookieName: () => 'sid' } as never)(ctx as never, async () => {});
      };
      return { ctx, done, session, headers, end, answer };
    }
    const code = { AuthorizationCode: { destroy: async () => {} } };
    const grant = (grantId: string) => ({ authorizations: { app: { grantId } } });

    it('discards what it stored, and is noted', async () => {
      const { ctx, done, session, end } = request({ entities: code });
      expect(hasEnded(ctx as never)).toBe(false);
      await end(grant('1'), grant('2'));
      expect([hasEnded(ctx as never), session.destroyed, done]).toEqual([true, true, ['grant 2']]);
      const same = request();
      await same.end(grant('1'), grant('1'));
      await same.end({}, {});
      expect(same.done).toEqual([]);
    });

    it.each<[what: string, oidc: object, refused: boolean]>([
      ['may ask', {}, false],
      ['may not ask', { prompts: new Set(['none']) }, true],
      ['may not ask when it resumes', { route: 'resume', prompts: new Set(['none']) }, true],
      ['is of another endpoint', { route: 'end_session', prompts: new Set(['none']) }, false],
      ['was pushed', { entities: { PushedAuthorizationRequest: {} } }, true],
      ['was pushed before', { entities: { Interaction: { parJti: 'x' } } }, true],
    ])('is refused or not: a request that %s', async (_what, oidc, refused) => {
      const { end } = request(oidc);
      if (!refused) return end();
      await expect(end()).rejects.toMatchObject({
        error: 'login_required',
        error_description: 'the session has ended meanwhile',
      });
    });

    it('sends no cookie of it, and begins a request anew that went on', async () => {
      const untouched = request();
      await untouched.answer('sid=1');
      expect(untouched.headers).toEqual({ 'set-cookie': 'sid=1' });
      const { ctx, done, headers, end, answer } = request({ entities: code });
      await end();
      await answer(['sid=1', 'sid.sig=2', 'sidx=3']);
      expect([ctx.status, ctx.body, done, headers]).toEqual([
        303,
        '',
        ['to https://c.example/authorize?client_id=app&state=s'],
        { 'set-cookie': ['sidx=3'] },
      ]);
      const alone = request({ route: 'end_session' });
      await alone.end();
      await alone.answer('sid=1');
      expect([alone.headers, alone.ctx.status]).toEqual([{}, 200]);
    });

    it.each<[what: string, oidc: object, anew: boolean]>([
      ['waits for the person', { entities: { Interaction: {} } }, true],
      ['has its result', { entities: { Interaction: { result: {} } } }, false],
      ['gave nothing', {}, false],
    ])('begins anew or not: a request that %s', async (_what, oidc, anew) => {
      const { ctx, end, answer } = request(oidc);
      await end();
      await answer();
      expect(ctx.status).toBe(anew ? 303 : 200);
    });

    it('that only has another id keeps its answer', async () => {
      const { ctx, headers, answer } = request({ entities: code });
      sendNoSessionCookie(ctx as never);
      await answer(['sid=1', 'other=2']);
      expect([ctx.status, headers, hasEnded(ctx as never)]).toEqual([200, { 'set-cookie': ['other=2'] }, false]);
    });
  });
});
