// SEC-20, SEC-21, SEC-33: the rules of tokens by themselves: how long they live, and what state they are in.

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { ClientSettings } from '#config/settings.ts';
import { signInClaims } from '#openid/tokens/authentication-context.ts';
import { createIntrospection, hasValidSignIn } from '#openid/tokens/introspection.ts';
import { timeToLive } from '#openid/tokens/lifetimes.ts';
import type { Account } from '#store/accounts/account-row.ts';
import type { TokenContext } from '#store/oidc/token-lookup.ts';
import { clientSettings, registryOf } from '#support/openid/client-settings.ts';

const NOW = Date.parse('2026-11-28T12:00:00Z') / 1000;
const account: Account = {
  id: 'person',
  email: 'zoe@n.example',
  emailVerified: true,
  name: 'Zoé Martin',
  practitioners: ['P1', 'P2'],
  workspaces: ['F1'],
  currentWorkspace: 'F1',
  status: 'active',
  hasPassword: true,
  passwordChangeRequired: false,
  createdAt: 0,
  updatedAt: 1_700_000_000,
};

describe('rules of tokens', () => {
  beforeEach(() => void jest.useFakeTimers({ now: NOW * 1000 }));
  afterEach(() => void jest.useRealTimers());

  describe('SEC-33 lifetimes', () => {
    const lifetimes = {
      authorizationCode: 1,
      accessToken: 2,
      idToken: 3,
      interaction: 4,
      session: 100,
      sessionIdle: 30,
      refreshToken: 500,
      refreshTokenIdle: 200,
      refreshTokenGrace: 9,
      grant: 1000,
    };
    const ttl = timeToLive(lifetimes as never) as Record<string, unknown>;
    const of = (model: string, subject: object, of_ = {}) =>
      (ttl[model] as (...args: unknown[]) => number)({}, subject, of_);

    it('are those of the settings', () => {
      expect(ttl).toMatchObject({
        AuthorizationCode: 1,
        AccessToken: 2,
        ClientCredentials: 2,
        IdToken: 3,
        Interaction: 4,
      });
      const grant = (scope: string) => of('Grant', { getOIDCScope: () => scope });
      expect([grant('openid offline_access'), grant('openid'), grant('offline_access2')]).toEqual([1000, 102, 102]);
    });

    it('of sessions and refresh tokens end by idling, and at the absolute limit', () => {
      const session = (ago?: number) => of('Session', { loginTs: ago === undefined ? undefined : NOW - ago });
      expect([session(), session(0), session(70), session(71), session(99), session(100), session(500)]).toEqual([
        ...[30, 30, 30, 29, 1, 1, 1],
      ]);
      const refresh = (ago?: number) => of('RefreshToken', { iiat: ago === undefined ? undefined : NOW - ago });
      expect([refresh(), refresh(0), refresh(300), refresh(301), refresh(499), refresh(500)]).toEqual([
        ...[200, 200, 200, 199, 1, 1],
      ]);
      expect(of('RefreshToken', { iiat: NOW - 400 }, { hygie_profile: 'fapi2' })).toBe(500);
    });
  });

  describe('SEC-20 the state of an access token', () => {
    const context = (more: object = {}, token: object = {}): TokenContext =>
      ({
        model: 'AccessToken',
        expiresAt: NOW + 60,
        consumedAt: null,
        account,
        token: { clientId: 'app', accountId: 'person', scope: 'openid email phone', grantId: 'g', iat: NOW, ...token },
        grant: { content: { clientId: 'app', accountId: 'person' }, expiresAt: NOW + 60 },
        ...more,
      }) as never;
    const state = (found: TokenContext | undefined, ...all: ClientSettings[]) =>
      createIntrospection(
        { findTokenContext: async () => found },
        registryOf(...(all.length > 0 ? all : [clientSettings()])),
      )('t');
    const inactive = (reason: string) => ({ active: false, reason });
    const active = { active: true, accountId: 'person', clientId: 'app', scopes: new Set(['openid', 'email']) };
    const session = (more: object = {}) => ({
      expiresAt: NOW + 60,
      content: { accountId: 'person', authorizations: { app: { grantId: 'g' } } },
      ...more,
    });
    const bound = { expiresWithSession: true };
    const grant = (content: object, expiresAt = NOW + 60) => ({ grant: { content, expiresAt } });

    const of = (more: object) => context({ account: { ...account, ...more } });
    const inSession = (more: object) => context({ session: session(more) }, bound);
    const OWN = { clientId: 'app', accountId: 'person' };
    const OTHER_GRANT = { accountId: 'person', authorizations: { app: { grantId: 'h' } } };
    const SIGNED_OUT = inactive('signed-out');
    it.each<[what: string, TokenContext | undefined, object]>([
      ['a good one', context(), active],
      ['none', undefined, inactive('unknown')],
      ['another kind', context({ model: 'RefreshToken' }), inactive('unknown')],
      ['one at its end', context({ expiresAt: NOW }), inactive('expired')],
      ['one before its end', context({ expiresAt: NOW + 1 }), active],
      ['one whose own end has come', context({}, { exp: NOW }), inactive('expired')],
      ['one without grant', context({ grant: undefined }), inactive('revoked')],
      ['one with an expired grant', context(grant(OWN, NOW)), inactive('revoked')],
      ['one of the grant of another client', context(grant({ ...OWN, clientId: 'b' })), inactive('revoked')],
      ['one of the grant of another person', context(grant({ ...OWN, accountId: 'b' })), inactive('revoked')],
      ['a sign-in before all sessions ended', of({ sessionsNotBefore: NOW + 1 }), SIGNED_OUT],
      ['a sign-in after that', of({ sessionsNotBefore: NOW }), active],
      ['one of a session', context({ session: session() }, bound), active],
      ['one whose session is gone', context({}, bound), SIGNED_OUT],
      ['one that outlives it', context({}), active],
      ['one whose session has ended', inSession({ expiresAt: NOW }), SIGNED_OUT],
      ['one whose session is of another', inSession({ content: { accountId: 'b' } }), SIGNED_OUT],
      ['one whose session has no grant', inSession({ content: { accountId: 'person' } }), SIGNED_OUT],
      ['one whose session has another grant', inSession({ content: OTHER_GRANT }), SIGNED_OUT],
      ['one of a disabled person', of({ status: 'disabled' }), inactive('account')],
      ['one of nobody', context({ account: undefined }), inactive('account')],
      ['one of an unknown client', context(grant({ ...OWN, clientId: 'b' }), { clientId: 'b' }), inactive('client')],
      ['one that is bound', context({}, { jkt: 'key' }), { ...active, boundTo: 'key' }],
    ])('of %s', async (_what, found, expected) => {
      expect(await state(found)).toEqual(expected);
    });

    it('of a client that has to bind it, and of one that everybody shares', async () => {
      const dpop = clientSettings({ dpop: 'required' });
      expect(await state(context(), dpop)).toEqual(inactive('revoked'));
      expect(await state(context({}, { jkt: 'key' }), dpop)).toEqual({ ...active, boundTo: 'key' });
      const found = context();
      const records = { findTokenContext: async () => found };
      const shared = createIntrospection(records, registryOf(clientSettings()), (id) => id === 'person');
      expect(await shared('t')).toEqual({ ...active, visitor: 'g' });
      expect(await createIntrospection(records, registryOf(clientSettings({ scopes: ['email'] })))('t')).toEqual({
        ...active,
        scopes: new Set(['email']),
      });
    });

    it('of a client for itself', async () => {
      const own = (more: object = {}) =>
        ({
          ...context(more),
          model: 'ClientCredentials',
          token: { clientId: 'app', scope: 'email' },
          account: undefined,
        }) as never;
      const reading = clientSettings({ serviceAccount: true, directoryAccess: true });
      expect([
        await state(own(), reading),
        await state(own({ expiresAt: NOW }), reading),
        await state(own(), clientSettings({ directoryAccess: true })),
        await state(own(), clientSettings({ serviceAccount: true })),
        await state(own(), clientSettings({ id: 'other' })),
      ]).toEqual([
        { active: true, clientId: 'app', scopes: new Set(['email']) },
        ...['expired', 'client', 'no-person', 'client'].map(inactive),
      ]);
    });
  });

  it('SEC-55 the sign-in behind a token has a time, by which it holds or not', () => {
    const at = (sessionsNotBefore: number, token: object) =>
      hasValidSignIn({ token: { iat: 1, ...token } as never, account: { ...account, sessionsNotBefore } });
    expect([
      at(5, { authTime: 5 }),
      at(5, { authTime: 4, extra: { auth_time: 9 } }),
      at(5, { extra: { auth_time: 5 } }),
    ]).toEqual([true, false, true]);
    expect([at(1, {}), at(2, {}), hasValidSignIn({ token: {} as never })]).toEqual([true, false, true]);
    const claims = (kind: string, entities: object) => signInClaims({ oidc: { entities } } as never, { kind } as never);
    expect([
      claims('AccessToken', { AuthorizationCode: { authTime: 7 }, RefreshToken: { authTime: 8 } }),
      claims('AccessToken', { RefreshToken: { authTime: 8 } }),
      claims('AccessToken', {}),
      claims('ClientCredentials', { AuthorizationCode: { authTime: 7 } }),
    ]).toEqual([{ auth_time: 7 }, { auth_time: 8 }, undefined, undefined]);
  });
});
