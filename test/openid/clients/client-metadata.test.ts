// What the library is told of a client (OpenID Connect Dynamic Client Registration 1.0, section 2), setting by setting.

import { describe, expect, it } from '@jest/globals';
import type { ClientSettings } from '#config/settings.ts';
import { clientMetadata } from '#openid/clients/client-registry.ts';

describe('metadata of a client', () => {
  const PAGE: ClientSettings = {
    id: 'a',
    name: 'A',
    type: 'browser',
    secretHashes: [],
    callbackUrls: ['https://a.example/cb'],
    logoutUrls: ['https://a.example/'],
    scopes: ['openid', 'email'],
    consent: 'ask' as ClientSettings['consent'],
    serviceAccount: false,
  };
  const PLAIN = {
    client_id: 'a',
    client_name: 'A',
    application_type: 'web',
    token_endpoint_auth_method: 'none',
    redirect_uris: ['https://a.example/cb'],
    post_logout_redirect_uris: ['https://a.example/'],
    response_types: ['code'],
    grant_types: ['authorization_code'],
    scope: 'openid email',
  };
  /** With more settings than those of the page. */
  const of = (more: Partial<ClientSettings> = {}) => clientMetadata({ ...PAGE, ...more });

  it('of a page has these members', () => {
    const { ...all } = of();
    expect(all).toMatchObject(PLAIN);
    expect(Object.keys(all).filter((name) => !(name in PLAIN))).toHaveLength(1);
  });

  const SECRET = { token_endpoint_auth_method: 'client_secret_basic', client_secret: 'kept as a hash' };
  const KEYS = { keys: [{ kty: 'EC', crv: 'P-256', x: 'x', y: 'y' }] };
  const ALGORITHMS = ['id_token', 'authorization', 'introspection'].map((what) => [
    `${what}_signed_response_alg`,
    'ES256',
  ]);
  const PRIVATE_KEY = { token_endpoint_auth_method: 'private_key_jwt' };
  const NO_CALLBACK = { ...SECRET, redirect_uris: [], response_types: [] };
  const MACHINE = { type: 'server', callbackUrls: [], scopes: ['offline_access'], serviceAccount: true } as const;
  const BY_SESSION = { backchannel_logout_session_required: true };
  const TOLD = { backchannelLogoutUrl: 'https://a.example/l' };
  it.each<[what: string, settings: Partial<ClientSettings>, members: object, absent?: string[]]>([
    ['a native application', { type: 'native' }, { application_type: 'native' }],
    ['a server', { type: 'server' }, SECRET],
    ['an api', { type: 'api', callbackUrls: [] }, { ...NO_CALLBACK, grant_types: [] }],
    [
      'a server with keys at an address',
      { type: 'server', jwksUrl: 'https://a.example/k' },
      { ...PRIVATE_KEY, jwks_uri: 'https://a.example/k' },
      ['client_secret', 'jwks'],
    ],
    [
      'a server with keys',
      { type: 'server', jwks: KEYS as never },
      { ...PRIVATE_KEY, jwks: KEYS },
      ['client_secret', 'jwks_uri'],
    ],
    [
      'refresh tokens',
      { scopes: ['openid', 'offline_access'] },
      { scope: 'openid offline_access', grant_types: ['authorization_code', 'refresh_token'] },
    ],
    ['a client for itself', MACHINE, { ...NO_CALLBACK, grant_types: ['client_credentials'] }],
    [
      'a server for itself as well',
      { type: 'server', serviceAccount: true },
      { ...SECRET, grant_types: ['authorization_code', 'client_credentials'] },
    ],
    ['a page, which is nobody by itself', { serviceAccount: true }, { grant_types: ['authorization_code'] }],
    ['pushed requests', { par: 'required' }, { require_pushed_authorization_requests: true }],
    ['proofs', { dpop: 'required' }, { dpop_bound_access_tokens: true }],
    ['signed requests', { signedRequests: 'required' }, { require_signed_request_object: true }],
    ['a home page', { homeUrl: 'https://a.example/' }, { client_uri: 'https://a.example/' }],
    ['logout tokens', TOLD, { backchannel_logout_uri: TOLD.backchannelLogoutUrl, ...BY_SESSION }],
    [
      'logout tokens without a session',
      { ...TOLD, backchannelLogoutSession: false },
      { backchannel_logout_session_required: false },
    ],
    ['an algorithm', { idTokenAlgorithm: 'ES256' }, Object.fromEntries(ALGORITHMS)],
  ])('of %s', (_what, settings, members, absent = []) => {
    const metadata = of(settings);
    expect(metadata).toMatchObject(members);
    for (const name of absent) expect(metadata).not.toHaveProperty(name);
  });

  it.each<[Partial<ClientSettings>, Partial<ClientSettings>, unknown]>([
    [{ refreshTokens: 'always' }, { refreshTokens: 'consent' }, 'always'],
    [{ authenticationClaims: true }, {}, true],
    [{ assertionAudience: 'token-endpoint' }, { assertionAudience: 'issuer' as never }, 'token-endpoint'],
    [{ pkce: 'required' }, { pkce: 'optional' as never }, 'required'],
    [{ workspace: 'ask' }, {}, 'ask'],
    [{ secondFactor: 'required' as never }, {}, 'required'],
    [{ profile: 'fapi2' as never }, {}, 'fapi2'],
  ])('with %j has a member of the service, and with %j none', (settings, without, value) => {
    const added = (more: Partial<ClientSettings>) => {
      const plain = of();
      return Object.entries(of(more))
        .filter(([name]) => !(name in plain))
        .map(([, one]) => one);
    };
    expect(added(settings)).toEqual([value]);
    expect(added(without)).toEqual([]);
  });
});
