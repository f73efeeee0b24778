// Authorization requests as signed JWTs (RFC 9101, OpenID Connect Core section 6.1): by openid-client, and every bound of plain
// parameters (SEC-01, SEC-03, SEC-06, SEC-43, SEC-44, SEC-58) inside such a request, too.

import { beforeAll, describe, expect, it } from '@jest/globals';
import * as oidc from 'openid-client';
import type { ClientSettings } from '#config/settings.ts';
import { assertion, type ClientKey, newClientKey } from '#support/openid/keys-of-clients.ts';
import { authorizationUrl, CREDENTIALS, signedInPerson } from '#support/openid/relying-party.ts';
import { signingClient } from '#support/openid/request-objects.ts';
import { service, withService } from '#support/openid/with-service.ts';
import { createPerson } from '#support/person.ts';
import { CALLBACK, SECRET, testClients } from '#support/service.ts';

const key = newClientKey('ES256');
const STATE = 's'.repeat(40);
const now = () => Math.floor(Date.now() / 1000);
const signs = signingClient(key, 'signs', STATE);

withService(async () => {
  const clients = await testClients();
  const trusted = clients.find(({ id }) => id === 'trusted') as ClientSettings;
  const signing = {
    ...trusted,
    id: 'signs',
    secretHashes: [],
    jwks: { keys: [key.jwk] },
    refreshTokens: 'always' as const,
  };
  const always = { ...signing, id: 'always', signedRequests: 'required' as const };
  return { clients: [...clients, signing, always] };
});
beforeAll(async () => {
  await signedInPerson(service).signIn(authorizationUrl(service), CREDENTIALS);
});

const requestObject = (claims?: object, header?: object, by?: ClientKey) =>
  signs.requestObject(service, claims, header, by);
const visit = (request: string, outside?: Record<string, string>) => signs.visit(service, request, outside);
const push = (fields: Record<string, string>, client?: string) => signs.push(service, fields, client);
const rows = async () => {
  const [found] = await service.database('oidc_records').count({ count: '*' });
  return Number(found?.['count']);
};
const hidden = (html: string) =>
  Object.fromEntries(
    [...html.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)].map(([, n, v]) => [n, v]),
  );

describe('RFC 9101 signed requests', () => {
  const client = async () => {
    const jwk = key.privateKey.export({ format: 'jwk' }) as JsonWebKey;
    const signing = await crypto.subtle.importKey('jwk', jwk, { name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign']);
    const pair = { key: signing, kid: key.jwk['kid'] ?? '' };
    const found = await oidc.discovery(new URL(service.issuer), 'signs', undefined, oidc.PrivateKeyJwt(pair), {
      execute: [oidc.allowInsecureRequests],
    });
    return { found, pair };
  };

  it.each(['in the address', 'pushed (RFC 9126)'])('openid-client signs a person in by one %s', async (how) => {
    const { found, pair } = await client();
    const verifier = oidc.randomPKCECodeVerifier();
    const parameters = {
      redirect_uri: CALLBACK,
      scope: 'openid email',
      state: STATE,
      nonce: 'n-0S6_WzA2Mj',
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    };
    const signed = await oidc.buildAuthorizationUrlWithJAR(found, parameters, pair);
    const url = how.startsWith('pushed') ? await oidc.buildAuthorizationUrlWithPAR(found, signed.searchParams) : signed;
    const back = await createPerson(service.issuer).signIn(url, CREDENTIALS);
    const tokens = await oidc.authorizationCodeGrant(found, back, {
      expectedState: STATE,
      expectedNonce: parameters.nonce,
      pkceCodeVerifier: verifier,
    });
    expect(tokens.claims()).toMatchObject({ aud: 'signs', nonce: parameters.nonce });
  });

  it('6.3: what stands beside it counts for nothing', async () => {
    const { left } = await visit(requestObject(), { state: 'x'.repeat(40), scope: 'nonsense', prompt: 'none' });
    expect(left?.searchParams.get('state')).toBe(STATE);
    expect(left?.searchParams.has('code')).toBe(true);
    // Not even what is missing inside.
    const without = await visit(requestObject({ redirect_uri: undefined }));
    expect([without.left, without.status]).toEqual([undefined, 400]);
  });

  it('6.3: a scope beside it adds nothing, not even refresh tokens of a client that always gets them', async () => {
    const given = async (scope: string, outside: string) => {
      const { left } = await visit(requestObject({ scope }), { scope: outside });
      const code = left?.searchParams.get('code') ?? '';
      const fields = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK };
      const body = new URLSearchParams({ ...assertion(key, 'signs', service.issuer), ...fields });
      return (await fetch(`${service.issuer}/oauth/token`, { method: 'POST', body })).json();
    };
    expect(await given('openid', 'openid offline_access')).toMatchObject({ scope: 'openid' });
    expect(await given('openid offline_access', 'openid')).toHaveProperty('refresh_token');
  });

  it('an empty one is none', async () => {
    expect((await visit('', { state: STATE })).left?.searchParams.has('code')).toBe(true);
    const fields = { response_type: 'code', redirect_uri: CALLBACK, scope: 'openid', state: STATE };
    expect((await push({ ...fields, request: '' })).status).toBe(201);
  });

  it('OpenID Connect Core 6.1: a refused one still says how, and with which state, the answer is sent', async () => {
    const unsigned = { alg: 'none', kid: undefined };
    const claims = { iss: 'server', client_id: 'server', response_mode: 'form_post' };
    for (const header of [unsigned, {}]) {
      const { html, left } = await visit(requestObject(claims, header), { client_id: 'server' });
      expect(left).toBeUndefined();
      expect(html).toContain(`action="${CALLBACK}"`);
      expect(hidden(html)).toMatchObject({ error: 'invalid_request_object', state: STATE, iss: service.issuer });
    }
    const { left } = await visit(requestObject({ ...claims, response_mode: 'query' }, unsigned), {
      client_id: 'server',
    });
    expect(Object.fromEntries(left?.searchParams ?? [])).toMatchObject({
      error: 'invalid_request_object',
      state: STATE,
    });
  });

  it.each<[what: string, request: () => string, reason: RegExp]>([
    ['unsigned', () => requestObject({}, { alg: 'none', kid: undefined }), /has to be signed/],
    ['signed by a shared secret', () => requestObject({}, { alg: 'HS256' }), /has to be signed/],
    ['signed by another key', () => requestObject({}, {}, newClientKey()), /of no key that is registered/],
    [
      'signed by another key under the kid of ours',
      () => requestObject({}, { kid: key.jwk['kid'] }, newClientKey()),
      /no key/,
    ],
    ['for another server', () => requestObject({ aud: 'https://elsewhere.example' }), /aud of the request object/],
    ['without aud', () => requestObject({ aud: undefined }), /aud of the request object/],
    ['of another issuer', () => requestObject({ iss: 'server' }), /iss of the request object/],
    ['expired', () => requestObject({ exp: now() - 60 }), /expired/],
    ['of a time to come', () => requestObject({ nbf: now() + 60 }), /time to come/],
    ['of another type', () => requestObject({}, { typ: 'logout+jwt' }), /typ of the request object/],
    ['with a time that is a text', () => requestObject({ exp: 'soon' }), /another type/],
    ['for another client', () => requestObject({ client_id: 'server' }), /client_id/],
    ['that holds another', () => requestObject({ request: 'a.b.c' }), /must not contain request/],
    ['that names an address', () => requestObject({ request_uri: 'https://a.example/r' }), /must not contain request/],
    ['that is none', () => 'nonsense', /one signed JWT/],
    ['that is encrypted', () => 'a.b.c.d.e', /one signed JWT/],
  ])('one %s is refused, at both endpoints', async (_what, request, reason) => {
    const { left } = await visit(request());
    expect(left?.searchParams.get('error')).toMatch(/^invalid_request(_object)?$/);
    expect(left?.searchParams.get('error_description')).toMatch(reason);
    expect(left?.searchParams.has('code')).toBe(false);
    const pushed = await push({ request: request() });
    expect(pushed).toMatchObject({ status: 400, body: { error_description: expect.stringMatching(reason) } });
  });

  it('of a client without a registered key, one is refused, whoever signed it', async () => {
    const { left } = await visit(requestObject({ iss: 'server', client_id: 'server' }), { client_id: 'server' });
    expect(left?.searchParams.get('error_description')).toContain('this client has no key');
  });

  it('6.3: a client with signedRequests: required sends nothing else, pushed or not', async () => {
    const plain = { client_id: 'always', scope: 'openid' };
    const { left } = await signedInPerson(service).visit(authorizationUrl(service, plain));
    expect(left?.searchParams.get('error_description')).toMatch(/request objects that it signs/);
    const fields = { response_type: 'code', redirect_uri: CALLBACK, scope: 'openid', state: STATE };
    expect((await push(fields, 'always')).status).toBe(400);
    const request = requestObject({ iss: 'always', client_id: 'always' });
    expect((await visit(request, { client_id: 'always' })).left?.searchParams.has('code')).toBe(true);
    expect((await push({ request }, 'always')).status).toBe(201);
  });

  it('10.8: one is no client assertion, though it has all that an assertion needs', async () => {
    const claims = { sub: 'signs', jti: 'a-request' };
    for (const header of [{}, { typ: undefined }]) {
      const { client_assertion_type } = assertion(key, 'signs', service.issuer);
      const fields = { client_id: 'signs', client_assertion_type, token: 'x' };
      const body = new URLSearchParams({ ...fields, client_assertion: requestObject(claims, header) });
      expect((await fetch(`${service.issuer}/oauth/introspect`, { method: 'POST', body })).status).toBe(401);
    }
    expect((await visit(requestObject(claims))).left?.searchParams.has('code')).toBe(true);
  });

  it('SEC-47 nothing is fetched for a request_uri', async () => {
    const url = authorizationUrl(service, { client_id: 'signs', scope: 'openid', request_uri: 'https://a.example/r' });
    const { left } = await signedInPerson(service).visit(url);
    expect(left?.searchParams.get('error')).toBe('request_uri_not_supported');
  });
});

describe('inside a request object', () => {
  it.each([
    `${CALLBACK}/x`,
    CALLBACK.toUpperCase(),
    `${CALLBACK}?a=b`,
    'https://evil.example/',
    [CALLBACK, CALLBACK],
    {},
  ])('SEC-01 the callback %j is refused on a page', async (redirect_uri) => {
    const { left, status } = await visit(requestObject({ redirect_uri }), { redirect_uri: 'https://evil.example/' });
    expect([left, status]).toEqual([undefined, 400]);
  });

  it('SEC-58 state: 2,048 characters, and a page beyond that, whatever else is wrong, signed or not', async () => {
    const good = await visit(requestObject({ state: 's'.repeat(2048) }));
    expect(good.left?.searchParams.get('state')).toHaveLength(2048);
    const before = await rows();
    for (const header of [{}, { alg: 'none' }]) {
      for (const more of [{}, { prompt: 'nonsense' }, { response_mode: 'form_post' }, { client_id: 'server' }]) {
        const { left, status, html } = await visit(requestObject({ state: 's'.repeat(2049), ...more }, header));
        expect([left, status]).toEqual([undefined, 400]);
        expect(html).toContain('state has 2049 characters: 2048 at most');
      }
    }
    const pushed = await push({ request: requestObject({ state: 's'.repeat(2049) }) });
    expect(pushed).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
    expect(await rows()).toBe(before);
  });

  it.each([
    ['nonce', 512],
    ['login_hint', 512],
    ['ui_locales', 256],
    ['acr_values', 512],
    ['claims', 4096],
  ])('SEC-58 %s: %i characters', async (name, most) => {
    const value = (length: number) =>
      name === 'claims' ? { userinfo: { ['c'.repeat(length - 22)]: null } } : 'x'.repeat(length);
    const reason = `${name} has ${most + 1} characters: ${most} at most`;
    const { left } = await visit(requestObject({ [name]: value(most + 1) }));
    expect(Object.fromEntries(left?.searchParams ?? [])).toMatchObject({ error_description: reason, state: STATE });
    expect((await push({ request: requestObject({ [name]: value(most + 1) }) })).body['error_description']).toBe(
      reason,
    );
    expect((await push({ request: requestObject({ [name]: value(most) }) })).status).toBe(201);
  });

  it('SEC-58 8,192 characters in all', async () => {
    const refused = await push({ request: requestObject({ more: 'x'.repeat(6000) }) });
    expect(refused).toMatchObject({ status: 413, body: { error_description: expect.stringMatching(/8192 at most/) } });
    expect((await visit(requestObject({ more: 'x'.repeat(6000) }))).status).toBe(414);
  });

  it.each<[what: string, claims: object]>([
    ['nested claims', { claims: { id_token: { acr: { value: JSON.parse(`${'['.repeat(20)}${']'.repeat(20)}`) } } } }],
    ['deeply nested members', { x: JSON.parse(`${'['.repeat(2500)}${']'.repeat(2500)}`) }],
    ['a scope that is no text', { scope: { toString: 1 } }],
    ['a state that is no text', { state: { toString: null, valueOf: null } }],
    ['claims as a list', { claims: [] }],
    ['claims that are no JSON', { claims: '{' }],
  ])('SEC-44 %s: a 4xx, signed or not', async (_what, claims) => {
    for (const header of [{}, { alg: 'none' }]) {
      const { left, status } = await visit(requestObject(claims, header));
      expect([left?.searchParams.get('error')?.startsWith('invalid_request') ?? true, status < 500]).toEqual([
        true,
        true,
      ]);
      expect(left?.searchParams.has('code') ?? false).toBe(false);
      expect((await push({ request: requestObject(claims, header) })).status).toBe(400);
    }
  });

  it.each<[line: string, claims: { response_type?: string; [name: string]: unknown }, error: string]>([
    ['SEC-03 no state', { state: undefined }, 'invalid_request'],
    ['SEC-03 no scope', { scope: undefined }, 'invalid_request'],
    ['SEC-04 another response_type', { response_type: 'token' }, 'unsupported_response_type'],
    ['SEC-06 a response_mode that is not for servers', { response_mode: 'fragment' }, 'invalid_request'],
    ['SEC-07 a plain challenge', { code_challenge: 'c'.repeat(43), code_challenge_method: 'plain' }, 'invalid_request'],
    ['SEC-43 two states', { state: [STATE, STATE] }, 'invalid_request'],
    ['SEC-52 another version', { version: '9.0.0' }, 'invalid_request'],
    [
      'a scope that the client has not',
      { scope: 'openid PRACTITIONER_READ unknown', prompt: 'what' },
      'invalid_request',
    ],
  ])('%s is refused', async (_line, claims, error) => {
    const { left } = await visit(requestObject(claims), { response_type: claims.response_type ?? 'code' });
    expect(left?.searchParams.get('error') ?? new URLSearchParams(left?.hash.slice(1)).get('error')).toBe(error);
    expect(left?.href).not.toContain('code=');
    expect((await push({ request: requestObject(claims) })).body['error']).toBe(error);
  });

  it('SEC-46 a pushed one is good once, and no longer than it is good itself', async () => {
    const { body } = await push({ request: requestObject({ exp: now() + 30 }) });
    expect(Number(body['expires_in'])).toBeLessThanOrEqual(30);
    const url = `${service.issuer}/authorize?${new URLSearchParams({ client_id: 'signs', request_uri: body['request_uri'] ?? '' })}`;
    expect((await signedInPerson(service).visit(url)).left?.searchParams.has('code')).toBe(true);
    expect((await signedInPerson(service).visit(url)).left).toBeUndefined();
    // Within the tolerated skew, but nothing could be done with it.
    expect((await push({ request: requestObject({ exp: now() - 5 }) })).body['error']).toBe('invalid_request_object');
  });

  it('SEC-46 nobody pushes one for another client', async () => {
    const fields = { client_id: 'server', client_secret: SECRET, request: requestObject() };
    const answer = await fetch(`${service.issuer}/oauth/par`, { method: 'POST', body: new URLSearchParams(fields) });
    expect(answer.status).toBe(400);
  });
});
