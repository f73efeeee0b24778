// SEC-65: `profile: fapi2-message-signing` by openid-client, as it stands in clients.yaml, and what it does not admit (FAPI 2.0
// Message Signing, sections 5.3.1 and 5.4.1).

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as oidc from 'openid-client';
import { stringify } from 'yaml';
import { load } from '#support/config/folder.ts';
import { newClientKey } from '#support/openid/keys-of-clients.ts';
import { authorizationUrl, CREDENTIALS, signedInPerson } from '#support/openid/relying-party.ts';
import { signingClient } from '#support/openid/request-objects.ts';
import { CALLBACK, type RunningService, startService, testClients } from '#support/service.ts';

const key = newClientKey('ES256');
const rsa = newClientKey('RS256');
const { alg: _alg, ...rsaJwk } = rsa.jwk;
const client = signingClient(key, 'fapi', 's'.repeat(30));
const PKCE = { code_challenge: 'c'.repeat(43), code_challenge_method: 'S256' };
const REQUEST = { ...PKCE, response_mode: 'jwt', state: undefined };
const now = () => Math.floor(Date.now() / 1000);

const clientsFile = stringify({
  clients: [
    {
      id: 'fapi',
      name: 'Dossier hospitalier',
      type: 'server',
      profile: 'fapi2-message-signing',
      consent: 'trusted',
      jwks: { keys: [key.jwk, rsaJwk] },
      callbackUrls: [CALLBACK],
    },
  ],
});

let service: RunningService;
beforeAll(async () => {
  const { clients } = await load({ clients: clientsFile });
  service = await startService({ clients: [...(await testClients()), ...clients] });
  await signedInPerson(service).signIn(authorizationUrl(service), CREDENTIALS);
});
afterAll(() => service.stop());

const push = (claims: object, header: object = {}, by = key) =>
  client.push(service, { request: client.requestObject(service, { ...REQUEST, ...claims }, header, by) });

describe('SEC-65 profile: fapi2-message-signing', () => {
  it('openid-client signs a person in: signed, pushed, bound, and answered by a signed response', async () => {
    const jwk = key.privateKey.export({ format: 'jwk' }) as JsonWebKey;
    const signing = await crypto.subtle.importKey('jwk', jwk, { name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign']);
    const pair = { key: signing, kid: key.jwk['kid'] ?? '' };
    const algorithms = {
      id_token_signed_response_alg: 'ES256',
      authorization_signed_response_alg: 'ES256',
      introspection_signed_response_alg: 'ES256',
    };
    const configuration = await oidc.discovery(new URL(service.issuer), 'fapi', algorithms, oidc.PrivateKeyJwt(pair), {
      execute: [oidc.allowInsecureRequests],
    });
    oidc.useJwtResponseMode(configuration);
    const DPoP = oidc.getDPoPHandle(configuration, await oidc.randomDPoPKeyPair('ES256'));
    const verifier = oidc.randomPKCECodeVerifier();
    const parameters = {
      redirect_uri: CALLBACK,
      scope: 'openid email',
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    };
    const signed = await oidc.buildAuthorizationUrlWithJAR(configuration, parameters, pair);
    const url = await oidc.buildAuthorizationUrlWithPAR(configuration, signed.searchParams, { DPoP });
    const back = await signedInPerson(service).signIn(url, CREDENTIALS);
    expect([...back.searchParams.keys()]).toEqual(['response']);
    const checks = { pkceCodeVerifier: verifier, idTokenExpected: true };
    const tokens = await oidc.authorizationCodeGrant(configuration, back, checks, undefined, { DPoP });
    expect(tokens.token_type).toBe('dpop');
    expect(await oidc.tokenIntrospection(configuration, tokens.access_token)).toMatchObject({ active: true });
  });

  it.each<[what: string, claims: () => object, header?: object]>([
    ['no exp', () => ({ exp: undefined })],
    ['no nbf', () => ({ nbf: undefined })],
    ['more than an hour between them', () => ({ exp: now() + 3601, nbf: now() - 1 })],
  ])('5.3.1 a request object with %s is refused', async (_what, claims) => {
    expect(await push(claims())).toMatchObject({ status: 400, body: { error: 'invalid_request_object' } });
  });

  it('5.3.1 one by RS256 is refused, and by PS256 taken', async () => {
    const refused = await push({}, { alg: 'RS256' }, rsa);
    expect(refused.body['error_description']).toContain('ES256, EdDSA, Ed25519, PS256');
    expect((await push({}, { alg: 'PS256' }, rsa)).status).toBe(201);
    expect((await push({})).status).toBe(201);
  });

  it.each<[what: string, fields: Record<string, string>]>([
    ['unsigned parameters', { response_type: 'code', redirect_uri: CALLBACK, scope: 'openid', ...PKCE }],
    ['parameters beside an unread address', { request_uri: 'https://a.example/r' }],
  ])('5.3.1 %s are refused', async (_what, fields) => {
    expect((await client.push(service, fields)).status).toBe(400);
  });

  it.each([undefined, 'query', 'form_post'])('5.4.1 the answer cannot come unsigned, by %s', async (response_mode) => {
    const { status, body } = await push({ response_mode });
    expect([status, body['error_description']]).toEqual([400, expect.stringContaining('response_mode=jwt')]);
  });
});
