// Signed messages in both directions: answers that the service signs, and requests that a client has to sign.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as oidc from 'openid-client';
import { stringify } from 'yaml';
import type { ClientSettings } from '#config/settings.ts';
import { load } from '#support/config/folder.ts';
import { newClientKey } from '#support/openid/keys-of-clients.ts';
import { authorizationUrl, CREDENTIALS, discover, signedInPerson, signIn } from '#support/openid/relying-party.ts';
import { signingClient } from '#support/openid/request-objects.ts';
import { type KeySet, verified } from '#support/openid/verified.ts';
import { service, withService } from '#support/openid/with-service.ts';
import { createPerson } from '#support/person.ts';
import { CALLBACK, SECRET, testClients } from '#support/service.ts';

// Signed answers: authorization responses (JWT Secured Authorization Response Mode, JARM) and introspection (RFC 9701).
describe('signed responses', () => {
  withService();

  const JWT = 'application/token-introspection+jwt';
  const PKCE = { code_challenge: 'c'.repeat(43), code_challenge_method: 'S256' };
  const STATE = 's'.repeat(40);
  let keys: KeySet;
  beforeAll(async () => {
    const clients = await testClients();
    const trusted = clients.find(({ id }) => id === 'trusted') as ClientSettings;
    const signed = {
      ...trusted,
      id: 'signed',
      signedResponses: 'required' as const,
      idTokenAlgorithm: 'ES256' as const,
    };
    service.replaceClients([...clients, signed]);
    keys = (await (await fetch(`${service.issuer}/.well-known/jwks.json`)).json()) as KeySet;
    await signedInPerson(service).signIn(authorizationUrl(service), CREDENTIALS);
  });
  afterAll(async () => service.replaceClients(await testClients()));

  /** All that arrives at the callback, wherever it stands. */
  const arrived = async (parameters: Record<string, string | undefined>): Promise<Record<string, string>> => {
    const url = authorizationUrl(service, { client_id: 'trusted', scope: 'openid', state: STATE, ...parameters });
    const person = signedInPerson(service);
    let page = await person.visit(url);
    if (page.html.includes('id="allow"')) page = await person.press(page, 'allow');
    if (page.left) return Object.fromEntries(new URLSearchParams(page.left.search || page.left.hash.slice(1)));
    expect(page.html).toContain(`action="${CALLBACK}"`);
    const inputs = page.html.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g);
    return Object.fromEntries([...inputs].map(([, name, value]) => [name, value]));
  };
  const contentOf = ({ response = '', ...more }: Record<string, string>) => {
    expect(more).toEqual({});
    return verified(response, keys);
  };

  describe('JARM 2.3 signed authorization responses', () => {
    it('openid-client takes one', async () => {
      const configuration = await discover(service, 'server');
      oidc.useJwtResponseMode(configuration);
      const { tokens } = await signIn(service, { configuration, person: createPerson(service.issuer) });
      expect(tokens.claims()).toMatchObject({ aud: 'server' });
    });

    it.each([
      ['trusted', 'jwt'],
      ['trusted', 'query.jwt'],
      ['trusted', 'form_post.jwt'],
      ['browser', 'fragment.jwt'],
      ['browser', 'jwt'],
    ])(
      'client %s, response_mode=%s: one parameter, with issuer, audience, end, code and state',
      async (client, mode) => {
        const { header, payload } = contentOf(await arrived({ client_id: client, response_mode: mode, ...PKCE }));
        expect(header.alg).toBe('RS256');
        expect(payload).toMatchObject({ iss: service.issuer, aud: client, state: STATE, code: expect.any(String) });
        expect(Number(payload['exp']) - Date.now() / 1000).toBeLessThanOrEqual(600);
        // An ID token has a subject: this is none.
        expect(payload).not.toHaveProperty('sub');
      },
    );

    it.each([
      ['browser', 'form_post.jwt'],
      ['trusted', 'fragment.jwt'],
      ['trusted', 'none.jwt'],
    ])('SEC-06 client %s is refused response_mode=%s', async (client_id, response_mode) => {
      const answer = await arrived({ client_id, response_mode, ...PKCE });
      expect(answer).toMatchObject({ error: expect.stringMatching(/invalid_request|unsupported_response_mode/) });
      expect(answer).not.toHaveProperty('code');
    });

    it.each(['jwt', 'form_post.jwt'])('an error comes the same way by %s, explained', async (response_mode) => {
      const asked = { response_mode, scope: 'openid PRACTITIONER_READ', client_id: 'narrow' };
      const { payload } = contentOf(await arrived(asked));
      expect(payload).toMatchObject({
        iss: service.issuer,
        aud: 'narrow',
        error: 'invalid_scope',
        error_description: expect.stringContaining('this client may not ask for PRACTITIONER_READ'),
        state: STATE,
      });
      expect(payload).not.toHaveProperty('code');
    });

    it.each([undefined, 'query', 'form_post'])(
      'a client with signedResponses: required gets no code by %s, and learns it by a signed answer',
      async (response_mode) => {
        const { header, payload } = contentOf(await arrived({ client_id: 'signed', response_mode }));
        expect(header.alg).toBe('ES256');
        expect(payload).toMatchObject({
          error: 'invalid_request',
          error_description: expect.stringContaining('response_mode=jwt'),
        });
        const good = contentOf(await arrived({ client_id: 'signed', response_mode: 'jwt' }));
        expect(good.payload).toHaveProperty('code');
      },
    );

    it.each([
      ['an unsigned mode that is not for its type', { response_mode: 'fragment' }, 'response_mode fragment is not'],
      ['no state, and no mode', { state: undefined }, 'response_mode=jwt'],
      ['a long nonce, and no mode', { nonce: 'n'.repeat(5000) }, 'response_mode=jwt'],
      ['an unknown prompt, and an unsigned mode', { prompt: 'x', response_mode: 'form_post' }, 'prompt'],
    ])('such a client learns by a signed answer of %s', async (_fault, sent, says) => {
      const { payload } = contentOf(await arrived({ client_id: 'signed', ...sent }));
      expect(payload).toMatchObject({ error: 'invalid_request', error_description: expect.stringContaining(says) });
    });

    it('SEC-06 what an unsigned request object names as a mode, and is none, signs nothing', async () => {
      const part = (content: object) => Buffer.from(JSON.stringify(content)).toString('base64url');
      for (const response_mode of ['web_message.jwt', 'constructor.jwt', '.jwt', 'x'.repeat(1000)]) {
        const request = `${part({ alg: 'none' })}.${part({ response_mode, state: STATE })}.`;
        const { left } = await signedInPerson(service).visit(authorizationUrl(service, { request }));
        expect([left?.searchParams.get('error'), left?.hash]).toEqual(['invalid_request_object', '']);
      }
    });

    it('SEC-23 one is no id_token_hint', async () => {
      const { response = '' } = await arrived({ response_mode: 'jwt' });
      const answer = await arrived({ id_token_hint: response, prompt: 'none' });
      expect(answer).toMatchObject({ error: 'invalid_request' });
    });

    it('OpenID Connect Discovery 3 names all of it, and no algorithm without a key', async () => {
      const metadata = await (await fetch(`${service.issuer}/.well-known/openid-configuration`)).json();
      expect(metadata).toMatchObject({
        request_parameter_supported: true,
        request_uri_parameter_supported: false,
        response_modes_supported: expect.arrayContaining(['jwt', 'query.jwt', 'fragment.jwt', 'form_post.jwt']),
        authorization_signing_alg_values_supported: ['RS256', 'ES256', 'EdDSA'],
        introspection_signing_alg_values_supported: ['RS256', 'ES256', 'EdDSA'],
      });
      const { request_object_signing_alg_values_supported: algorithms } = metadata as Record<string, string[]>;
      expect(algorithms).toEqual(['ES256', 'EdDSA', 'Ed25519', 'RS256', 'PS256', 'RS384', 'ES384']);
      expect(JSON.stringify(metadata)).not.toMatch(/"none"[^\]]*_alg|encryption/);
    });
  });

  describe('RFC 9701 signed introspection', () => {
    const introspect = async (token: string, fields: object, accept: string) => {
      const body = new URLSearchParams({ token, ...fields });
      const answer = await fetch(`${service.issuer}/oauth/introspect`, { method: 'POST', body, headers: { accept } });
      return { status: answer.status, type: answer.headers.get('content-type') ?? '', text: await answer.text() };
    };
    const CLIENT = { client_id: 'server', client_secret: SECRET };

    it('openid-client asks for it and verifies it', async () => {
      const { tokens } = await signIn(service, { person: createPerson(service.issuer) });
      const metadata = { client_secret: SECRET, introspection_signed_response_alg: 'RS256' };
      const configuration = await oidc.discovery(new URL(service.issuer), 'server', metadata, undefined, {
        execute: [oidc.allowInsecureRequests],
      });
      oidc.enableNonRepudiationChecks(configuration);
      const state = await oidc.tokenIntrospection(configuration, tokens.access_token);
      expect(state).toMatchObject({ active: true, client_id: 'server' });
    });

    it('4, 5: by Accept, for whoever may ask; typ, audience, and the state in a claim of its own', async () => {
      const { tokens } = await signIn(service, { person: createPerson(service.issuer) });
      const { type, text } = await introspect(tokens.access_token, CLIENT, JWT);
      expect(type).toContain(JWT);
      const { header, payload } = verified(text, keys);
      expect(header.typ).toBe('token-introspection+jwt');
      expect(payload).toMatchObject({ iss: service.issuer, aud: 'server', iat: expect.any(Number) });
      expect(payload['token_introspection']).toMatchObject({ active: true, scope: expect.any(String) });
      for (const claim of ['sub', 'exp', 'active']) expect(payload).not.toHaveProperty(claim);
      // Another client's token is inactive, signed or not.
      const other = await introspect(tokens.access_token, { ...CLIENT, client_id: 'narrow' }, JWT);
      expect(verified(other.text, keys).payload['token_introspection']).toEqual({ active: false });
      for (const accept of ['*/*', 'application/json', `${JWT};q=0.1, application/json`]) {
        expect(JSON.parse((await introspect(tokens.access_token, CLIENT, accept)).text)).toMatchObject({
          active: true,
        });
      }
    });

    it.each([
      ['a public client', { client_id: 'browser' }],
      ['a wrong secret', { ...CLIENT, client_secret: 'wrong' }],
    ])('SEC-15 %s is refused, in JSON', async (_what, fields) => {
      const { status, type, text } = await introspect('x', fields, JWT);
      expect([status, type]).toEqual([401, expect.stringContaining('application/json')]);
      expect(JSON.parse(text)).toMatchObject({ error: 'invalid_client' });
    });
  });
});

// SEC-65: `profile: fapi2-message-signing` by openid-client, as it stands in clients.yaml, and what it does not admit (FAPI 2.0
// Message Signing, sections 5.3.1 and 5.4.1).
describe('SEC-65 profile: fapi2-message-signing', () => {
  withService();

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
  beforeAll(async () => {
    const { clients } = await load({ clients: clientsFile });
    service.replaceClients([...(await testClients()), ...clients]);
    await signedInPerson(service).signIn(authorizationUrl(service), CREDENTIALS);
  });
  afterAll(async () => service.replaceClients(await testClients()));

  const push = (claims: object, header: object = {}, by = key) =>
    client.push(service, { request: client.requestObject(service, { ...REQUEST, ...claims }, header, by) });

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
