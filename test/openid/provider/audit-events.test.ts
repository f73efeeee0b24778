// SEC-48: what the audit trail has of each answer of the provider.

import { EventEmitter } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { auditProvider } from '#openid/provider/audit.ts';
import type { AuditEvent } from '#shared/audit/events.ts';

type Middleware = (ctx: never, next: () => Promise<void>) => Promise<void>;

/** A provider that answers nothing by itself, with the middleware that it was given. */
function bareProvider() {
  const middleware: Middleware[] = [];
  const provider = Object.assign(new EventEmitter(), { use: (one: Middleware) => void middleware.push(one) });
  const run = (ctx: object, next: () => void = () => {}) => middleware[0]?.(ctx as never, async () => next());
  return { provider: provider as never, emit: provider.emit.bind(provider), run };
}

describe('SEC-48 what the audit trail has of an answer', () => {
  /** The event of a request with these circumstances, and whether it was written before the answer left. */
  async function noted(
    oidc: object,
    { status = 200, state = {}, refusal, emits = [] as string[] } = {} as Circumstances,
  ) {
    const { provider, emit, run } = bareProvider();
    const events: unknown[] = [];
    auditProvider(provider, {
      record: async (event: AuditEvent) => void events.push(['record', event]),
      note: (event: AuditEvent) => void events.push(['note', event]),
    } as never);
    const ctx = {
      status,
      state,
      req: { ip: '192.0.2.1' },
      oidc: { entities: {}, client: { clientId: 'app' }, ...oidc },
    };
    await run(ctx, () => {
      for (const event of emits) emit(event, ctx);
      if (refusal) emit('grant.error', ctx, refusal);
    });
    return events;
  }
  interface Circumstances {
    status?: number;
    state?: object;
    refusal?: object;
    emits?: string[];
  }
  const written = (how: string) => (event: string, actor: string, account?: string, details?: object) => [
    how,
    { event, actor, account, client: 'app', address: '192.0.2.1', ...(details && { details }) },
  ];
  const [later, atOnce] = [written('note'), written('record')];
  const wrong = { error: 'invalid_grant', error_description: 'a "quoted" reason', error_detail: 'detail' };
  const ofWrong = { error: 'invalid_grant', description: 'a "…" reason', detail: 'detail' };

  it.each<[what: string, oidc: object, circumstances: Circumstances, expected: unknown[]]>([
    [
      'a token that was issued',
      {
        route: 'token',
        params: { grant_type: 'authorization_code' },
        entities: { AccessToken: { scope: 'openid', jkt: 'k', accountId: 'p' } },
      },
      {},
      later('token.issued', 'client:app', 'p', { grant: 'authorization_code', scope: 'openid', bound: 'DPoP' }),
    ],
    [
      'one that was refreshed',
      { route: 'token', params: { grant_type: 'refresh_token' }, entities: { AccessToken: { accountId: 'p' } } },
      {},
      later('token.refreshed', 'client:app', 'p', { grant: 'refresh_token' }),
    ],
    [
      'one of a client for itself',
      {
        route: 'token',
        params: { grant_type: 'client_credentials' },
        entities: { ClientCredentials: { scope: 'email', jkt: 'k' } },
      },
      {},
      later('token.issued', 'client:app', undefined, { grant: 'client_credentials', scope: 'email', bound: 'DPoP' }),
    ],
    ['one that failed', { route: 'token' }, { status: 500 }, []],
    [
      'one that was refused',
      { route: 'token', body: {}, params: { grant_type: 'authorization_code' } },
      { status: 400, state: { presentedBy: 'p' }, refusal: wrong },
      atOnce('token.refused', 'unknown', 'p', { grant: 'authorization_code', ...ofWrong }),
    ],
    [
      'one that was used twice, of a grant that is none',
      { route: 'token', body: {}, params: { grant_type: 'secret' } },
      { status: 400, refusal: { error: 'invalid_grant' }, emits: ['grant.revoked'] },
      atOnce('token.reused', 'unknown', undefined, { grant: 'unknown', error: 'invalid_grant' }),
    ],
    [
      'one without grant_type',
      { route: 'token', body: {}, params: {} },
      { status: 400, refusal: { error: 'invalid_request' } },
      atOnce('token.refused', 'unknown', undefined, { error: 'invalid_request' }),
    ],
    ['a form that never came as a whole', { route: 'token' }, { status: 400, refusal: wrong }, []],
    [
      'a refused request of somebody who is signed in',
      { route: 'authorization', account: { accountId: 'p' } },
      { status: 303, refusal: wrong },
      atOnce('authorization.refused', 'account:p', 'p', ofWrong),
    ],
    [
      'a refused pushed request',
      { route: 'pushed_authorization_request' },
      { status: 400, refusal: wrong },
      atOnce('authorization.refused', 'unknown', undefined, ofWrong),
    ],
    ['a refused request of an unknown client', { route: 'resume', client: undefined }, { refusal: wrong }, []],
    ...[
      'login_required',
      'consent_required',
      'interaction_required',
      'account_selection_required',
      'access_denied',
    ].map((error): [string, object, Circumstances, unknown[]] => [
      error,
      { route: 'resume' },
      { refusal: { error } },
      [],
    ]),
    ['a request that was not refused', { route: 'authorization' }, {}, []],
    [
      'a client that may not introspect',
      { route: 'introspection' },
      { status: 401, refusal: { error: 'invalid_client' } },
      atOnce('client.refused', 'unknown', undefined, { endpoint: 'introspect', error: 'invalid_client' }),
    ],
    [
      'one that has to wait',
      { route: 'revocation' },
      { status: 429, refusal: { error: 'temporarily_unavailable' } },
      atOnce('client.refused', 'unknown', undefined, { endpoint: 'revoke', error: 'temporarily_unavailable' }),
    ],
    ['a malformed request to it', { route: 'revocation' }, { status: 400, refusal: { error: 'invalid_request' } }, []],
    [
      'a token that was revoked',
      { route: 'revocation', entities: { RefreshToken: { clientId: 'app', accountId: 'p', kind: 'RefreshToken' } } },
      {},
      atOnce('token.revoked', 'client:app', 'p', { kind: 'RefreshToken' }),
    ],
    [
      'one of no person',
      { route: 'revocation', entities: { ClientCredentials: { clientId: 'app', kind: 'ClientCredentials' } } },
      {},
      atOnce('token.revoked', 'client:app', undefined, { kind: 'ClientCredentials' }),
    ],
    ['one of another client', { route: 'revocation', entities: { AccessToken: { clientId: 'b' } } }, {}, []],
    ['none', { route: 'revocation' }, {}, []],
    [
      'a sign-out that was confirmed',
      {
        route: 'end_session_confirm',
        params: { logout: 'yes' },
        session: { accountId: 'p', authorizations: { a: {}, b: {} } },
      },
      { emits: ['end_session.success'] },
      atOnce('session.ended', 'account:p', 'p', { applications: ['a', 'b'] }),
    ],
    [
      'a sign-out of one application alone',
      { route: 'end_session_confirm', params: {}, session: { accountId: 'p', authorizations: { a: {} } } },
      { emits: ['end_session.success'] },
      atOnce('session.left', 'account:p', 'p'),
    ],
    [
      'a sign-out by an application',
      { route: 'end_session', params: {}, session: { accountId: 'p', authorizations: { a: {} } } },
      { emits: ['end_session.success'] },
      atOnce('session.ended', 'account:p', 'p', { applications: ['a'], reason: expect.stringMatching(/.{5}/) }),
    ],
    ['a sign-out of nobody', { route: 'end_session', session: {} }, { emits: ['end_session.success'] }, []],
    ['a question', { route: 'end_session', session: { accountId: 'p' } }, {}, []],
    ['userinfo', { route: 'userinfo' }, { refusal: wrong }, []],
  ])('%s', async (_what, oidc, circumstances, expected) => {
    expect(await noted(oidc, circumstances)).toEqual(expected.length > 0 ? [expected] : []);
  });

  it('names all causes of a key set that cannot be read, six at most', async () => {
    const nested = (left: number): object => ({
      message: `cause ${left}`,
      ...(left > 0 && { cause: nested(left - 1) }),
    });
    const refusal = (cause: object) => ({
      error: 'invalid_client',
      cause: { error: 'invalid_client_metadata', ...cause },
    });
    const detail = async (cause: object) => {
      const [[, event] = []] = (await noted({ route: 'introspection' }, { refusal: refusal(cause) })) as [
        string,
        AuditEvent,
      ][];
      return event?.details?.['detail'];
    };
    expect([
      await detail({ error_description: 'no keys', cause: { code: 'ENOTFOUND', cause: { message: '' } } }),
      await detail({ cause: nested(9) }),
    ]).toEqual(['no keys: ENOTFOUND', 'invalid_client_metadata: cause 9: cause 8: cause 7: cause 6: cause 5']);
  });
});
