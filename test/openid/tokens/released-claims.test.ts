// Specification 2.2, OpenID Connect Core 5.1: all claims of a person, whole; and which of them are left when scopes are taken away.

import { describe, expect, it } from '@jest/globals';
import { claimsConfiguration, claimsOf, namesOf } from '#openid/tokens/claims.ts';
import { requestedClaims } from '#openid/tokens/claims-parameter.ts';
import { claimsLeft, refuseWithoutScope, withoutWithdrawnScopes } from '#openid/tokens/find-account.ts';
import type { Account } from '#store/accounts/account-row.ts';

const NS = 'https://hygie.example';
const account: Account = {
  id: 'person',
  email: 'zoe@n.example',
  emailVerified: true,
  name: 'Zoé Martin',
  nickname: 'Zo',
  picture: 'https://n.example/z.png',
  profile: 'https://n.example/z',
  language: 'fr',
  practitioners: ['P1', 'P2'],
  workspaces: ['F1', 'F2'],
  currentWorkspace: 'F2',
  status: 'active',
  hasPassword: true,
  passwordChangeRequired: false,
  createdAt: 0,
  updatedAt: 1_700_000_000,
};

describe('claims of a person', () => {
  const settings = { namespace: NS, directory: { url: 'https://c.example/directory/v2' } };
  const release = { applicationName: 'App', emailGranted: true, names: { given: 'Zoé', family: 'Martin' } };
  const more = { initials: 'https://c.example/picture/x', updatedAt: 'iso8601' } as const;

  it('are all there, of whom everything is known', () => {
    expect(claimsOf(account, { ...release, ...more }, settings)).toEqual({
      sub: 'person',
      [`${NS}/applicationName`]: 'App',
      [`${NS}/userInfo`]: {
        uuid: 'person',
        apiUrl: 'https://c.example/directory/v2',
        currentWorkspaceId: 'Organization/F2',
        identities: ['Practitioner/P1', 'Practitioner/P2'],
      },
      email: 'zoe@n.example',
      email_verified: true,
      name: 'Zoé Martin',
      given_name: 'Zoé',
      family_name: 'Martin',
      nickname: 'Zo',
      preferred_username: 'zoe@n.example',
      profile: 'https://n.example/z',
      locale: 'fr',
      picture: 'https://n.example/z.png',
      updated_at: '2023-11-14T22:13:20.000Z',
      fhirUser: 'https://c.example/directory/v2/Practitioner/P1',
    });
  });

  it('are those that stand in for others, or none, of whom little is known', () => {
    const {
      email: _email,
      nickname: _nickname,
      picture: _picture,
      profile: _profile,
      language: _language,
      ...rest
    } = account;
    const { currentWorkspace: _current, ...bare } = { ...rest, practitioners: [] };
    expect(
      claimsOf(bare, { ...release, ...more, names: {}, emailGranted: false, updatedAt: 'epoch' }, settings),
    ).toEqual({
      sub: 'person',
      [`${NS}/applicationName`]: 'App',
      [`${NS}/userInfo`]: { uuid: 'person', apiUrl: 'https://c.example/directory/v2', identities: [] },
      name: 'Zoé Martin',
      nickname: 'Zoé Martin',
      preferred_username: 'person',
      picture: 'https://c.example/picture/x',
      updated_at: 1_700_000_000,
    });
  });

  it('have the names of the account, or else those of the directory', async () => {
    const asked: unknown[] = [];
    const inDirectory = async (ids: readonly string[]) => {
      asked.push(ids);
      return ids[0] === 'P1' ? { given: 'Z.', family: 'M.' } : undefined;
    };
    const of = (changes: Partial<Account>) => namesOf({ ...account, ...changes }, inDirectory);
    expect([await of({ given: 'A' }), await of({ family: 'B' })]).toMatchObject([{ given: 'A' }, { family: 'B' }]);
    expect([await of({}), await of({ practitioners: ['P9'] }), await of({ practitioners: [] })]).toEqual([
      { given: 'Z.', family: 'M.' },
      {},
      {},
    ]);
    expect(asked).toEqual([['P1', 'P2'], ['P9']]);
  });

  it('are named in discovery with those of every ID token', () => {
    expect(claimsConfiguration(NS)).toEqual({
      openid: ['sub', `${NS}/applicationName`, `${NS}/userInfo`, 'at_hash'],
      email: ['email', 'email_verified'],
      profile: [
        ...['name', 'given_name', 'family_name', 'nickname', 'preferred_username'],
        ...['profile', 'picture', 'locale', 'updated_at'],
      ],
      fhirUser: ['fhirUser'],
      amr: null,
      aud: null,
      exp: null,
      iat: null,
      nonce: null,
      at_hash: null,
    });
  });
});

describe('claims that are asked for one by one', () => {
  const { limit, scopeOf, missing } = requestedClaims(NS);
  const limited = (claims: object, scope = 'openid email') => {
    const params: Record<string, string> = {};
    limit({ oidc: { params } } as never, claims as never, { scope } as never);
    return JSON.parse(params['claims'] ?? '');
  };

  it('are left out where they are of a scope that the client has not, or in every ID token', () => {
    const wanted = { email: null, name: { essential: true }, nonce: null, acr: null, other: null, sub: null };
    expect(limited({ id_token: wanted, userinfo: { given_name: null, email: null }, more: null })).toEqual({
      id_token: { email: null, acr: null, other: null, sub: null },
      userinfo: { email: null },
      more: {},
    });
    expect(['email', 'updated_at', 'sub', 'sid', 'auth_time', 'acr', 'amr', 'iss', 'x'].map(scopeOf)).toEqual([
      ...['email', 'profile', undefined, undefined, undefined, undefined, undefined, undefined, undefined],
    ]);
  });

  it.each([
    [{ id_token: { email: true } }, 'claims.id_token.email should be null or an object'],
    [{ userinfo: { name: [] } }, 'claims.userinfo.name should be null or an object'],
    [{ id_token: { ['x'.repeat(61)]: '' } }, `claims.id_token.${'x'.repeat(60)} should be null or an object`],
    [{ a: { b: { c: { d: { e: { f: { g: { h: {} } } } } } } } }, 'claims is nested more than 8 levels deep'],
  ])('%j is refused', (claims, error_description) => {
    expect(() => limited(claims)).toThrow(expect.objectContaining({ error: 'invalid_request', error_description }));
  });

  it('are nested eight levels at most', () => {
    const eight = { a: { b: { c: { d: { e: { f: { g: {} } } } } } } };
    expect(limited(eight)).toEqual(eight);
  });

  it('are missing in a grant that has others', () => {
    const grant = { getOIDCClaimsEncountered: () => ['email'] } as never;
    const ctx = { oidc: { requestParamClaims: new Set(['email', 'name', 'acr']) } } as never;
    expect([missing(ctx, grant), missing(ctx, undefined)]).toEqual([['name'], ['email', 'name']]);
  });
});

describe('SEC-20 scopes that the operator took from a client', () => {
  const clients = { find: (id: string) => (id === 'app' ? ({ scopes: ['openid', 'email'] } as never) : undefined) };
  it('are no longer in a grant, nor their claims in an answer', async () => {
    const found = async (grant: object | undefined) =>
      withoutWithdrawnScopes({ find: async () => grant } as never, clients).find('x');
    expect([
      await found({ clientId: 'app', openid: { scope: 'openid profile email', claims: ['a'] } }),
      await found({ clientId: 'gone', openid: { scope: 'openid' } }),
      await found({ clientId: 'app', openid: {} }),
      await found({ clientId: 'app' }),
      await found(undefined),
    ]).toEqual([
      { clientId: 'app', openid: { scope: 'openid email', claims: ['a'] } },
      { clientId: 'gone', openid: { scope: '' } },
      { clientId: 'app', openid: {} },
      { clientId: 'app' },
      undefined,
    ]);
    const scopes: Record<string, string> = { email: 'email', name: 'profile' };
    expect(claimsLeft({ sub: 1, email: 2, name: 3 }, ['email'], (claim) => scopes[claim])).toEqual({
      sub: 1,
      email: 2,
    });
  });

  it('leave a refresh no scope: it is refused', () => {
    const refused = (more: object, left = '') =>
      refuseWithoutScope({
        oidc: {
          route: 'token',
          params: {},
          requestParamScopes: new Set(['profile']),
          entities: { Grant: { getOIDCScopeFiltered: () => left }, RefreshToken: { scopes: new Set(['a', 'b']) } },
          ...more,
        },
      } as never);
    const refusal = (scope: string) =>
      expect.objectContaining({
        error: 'invalid_scope',
        scope,
        error_description: 'this client may no longer ask for any of these scopes',
      });
    expect(() => refused({})).toThrow(refusal('a b'));
    expect(() => refused({ params: { scope: 'profile' } })).toThrow(refusal('profile'));
    for (const fine of [{ route: 'userinfo' }, { entities: {} }]) refused(fine);
    refused({}, 'a');
  });
});
