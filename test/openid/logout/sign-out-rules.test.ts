// SEC-37, SEC-38: which hint ends a session without a question, and how a logout token is queued and made.

import { describe, expect, it } from '@jest/globals';
import { exportJWK, generateKeyPair, jwtVerify, SignJWT } from 'jose';
import { logoutToken, queueLogoutTokens } from '#openid/logout/backchannel-logout.ts';
import { signOutByHint } from '#openid/logout/sign-out-without-question.ts';

describe('a sign-out', () => {
  /** A request to sign out, and what became of it. */
  function request(oidc: object = {}, more: object = {}) {
    const done: unknown[] = [];
    const note =
      (name: string) =>
      (...args: unknown[]) =>
        void done.push([name, ...args]);
    const provider = {
      cookieName: (name: string) => `the ${name}`,
      emit: (event: string) => void done.push(event),
      Client: { find: async () => undefined },
    };
    const session = {
      uid: 'u',
      accountId: 'person',
      loginTs: 100,
      authorizations: { app: { sid: 's' } },
      destroy: async () => void done.push('destroyed'),
    };
    const records = {
      findSession: async () => undefined,
      destroySession: async (uid: string) => void done.push(['ended', uid]),
    };
    const ctx = {
      status: 200,
      type: '',
      body: undefined as unknown,
      redirect: note('to'),
      cookies: { set: note('cookie') },
      req: { headers: {} },
      oidc: {
        session,
        provider,
        issuer: 'https://c.example',
        route: 'end_session',
        client: { clientId: 'app' },
        params: { post_logout_redirect_uri: 'https://a.example/bye?x=1', state: 's' },
        entities: { IdTokenHint: { payload: { sub: 'person', sid: 's', iat: 100 } } },
        ...oidc,
      },
      ...more,
    };
    return { ctx, done, byHint: () => signOutByHint(ctx as never, records as never, { signed: true }) };
  }

  const hint = (payload: object) => ({
    entities: { IdTokenHint: { payload: { sub: 'person', iat: 100, ...payload } } },
  });
  it.each<[what: string, oidc: object, ends: boolean]>([
    ['without an address', { params: {} }, false],
    ['without a session', { session: undefined }, false],
    ['without a hint', { entities: {} }, false],
    ['without a client', { client: undefined }, false],
    ['of another person', hint({ sub: 'other', sid: 's' }), false],
    ['of nobody', hint({ sub: undefined, sid: 's' }), false],
    ['of another session', hint({ sid: 't' }), false],
    ['of this sign-in, without a session in it', hint({}), true],
    ['of an earlier sign-in, without a session in it', hint({ iat: 99 }), false],
    ['of an application that was left', { ...hint({ sid: 's' }), client: { clientId: 'b' } }, false],
  ])('%s ends it or not', async (_what, oidc, ends) => {
    const { done, byHint } = request(oidc);
    expect([await byHint(), done.length > 0]).toEqual([ends, ends]);
  });
});

it('SEC-38 a request of the library that is no logout token goes out', async () => {
  let reached = 0;
  const send = async () => new Response(String(++reached));
  const reach = queueLogoutTokens(send as never, async () => {});
  for (const body of [new URLSearchParams({ other: 'x' }), 'logout_token=x'])
    expect((await reach('https://a.example', { method: 'POST', body } as never)).status).toBe(200);
  expect(reached).toBe(2);
});

it('SEC-38 a logout token is made when it is sent, of the type that the client wants, or nobody is there any more', async () => {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
  const signing = [{ ...(await exportJWK(privateKey)), kid: 'k' }];
  const reach = queueLogoutTokens(fetch, async () => {});
  const client = (backchannelLogoutUri: string | undefined) => ({
    backchannelLogoutUri,
    backchannelLogout: async (sub: string, sid: string) => {
      const token = await new SignJWT({ sub, sid })
        .setProtectedHeader({ alg: 'ES256', kid: 'k', typ: 'logout+jwt' })
        .sign(privateKey);
      await reach('https://a.example', { method: 'POST', body: new URLSearchParams({ logout_token: token }) });
    },
  });
  const of = (found: object | undefined, { type = '', had = false, attempts = 1, keys = signing } = {}) =>
    logoutToken(
      { Client: { find: async () => found } } as never,
      { find: () => ({ logoutTokenType: type }) as never, hadLogoutAddress: () => had },
      keys as never,
      { clientId: 'app', accountId: 'person', sid: 's', attempts } as never,
    );
  const url = 'https://a.example/logout';
  for (const [type, typ] of [
    ['', 'logout+jwt'],
    ['JWT', 'JWT'],
  ] as const) {
    const made = await of(client(url), { type });
    expect(made?.url).toBe(url);
    const { payload, protectedHeader } = await jwtVerify(made?.token ?? '', publicKey);
    expect([payload, protectedHeader]).toEqual([
      { sub: 'person', sid: 's' },
      { alg: 'ES256', kid: 'k', typ },
    ]);
  }
  await expect(of(client(url), { type: 'JWT', keys: [] })).rejects.toThrow(
    'the key k of a logout token is none of those in force',
  );
  expect([await of(client(undefined)), await of(undefined)]).toEqual([undefined, undefined]);
  const lost = 'the client has no backchannelLogoutUrl any more';
  await expect(of(client(undefined), { had: true })).rejects.toThrow(lost);
  await expect(of(client(undefined), { attempts: 2 })).rejects.toThrow(lost);
  await expect(of(undefined, { had: true })).rejects.toThrow('clients.yaml has no such client any more');
});
