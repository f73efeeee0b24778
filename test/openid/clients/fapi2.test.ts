// SEC-65: a client with `profile: fapi2` by openid-client, as it stands in clients.yaml, and every weaker variant refused (FAPI 2.0
// Security Profile, section 5.3.2).

import { beforeAll, describe, expect, it } from '@jest/globals';
import * as oidc from 'openid-client';
import { stringify } from 'yaml';
import { load } from '#support/config/folder.ts';
import { assertion, type ClientKey, newClientKey, proof } from '#support/openid/keys-of-clients.ts';
import { authorizationUrl, CREDENTIALS, signedInPerson } from '#support/openid/relying-party.ts';
import { service, withService } from '#support/openid/with-service.ts';
import { CALLBACK, SECRET, testClients } from '#support/service.ts';

const SCOPE = 'openid email offline_access PRACTITIONER_READ';
const key = newClientKey('ES256');
const rsa = newClientKey('RS256');
const p384 = newClientKey('ES384');
const { alg: _alg, ...rsaJwk } = rsa.jwk;

/** Whatever the profile brings comes of the one line. */
const clientsFile = stringify({
  clients: [
    {
      id: 'fapi',
      name: 'Dossier hospitalier',
      type: 'server',
      profile: 'fapi2',
      consent: 'trusted',
      jwks: { keys: [key.jwk, rsaJwk] },
      callbackUrls: [CALLBACK],
      scopes: SCOPE.split(' '),
    },
  ],
});

describe('SEC-65 profile: fapi2', () => {
  let configuration: oidc.Configuration;
  let at: Record<'token' | 'par' | 'userinfo' | 'directory', string>;
  withService(async () => {
    const { clients } = await load({ clients: clientsFile });
    return { clients: [...(await testClients()), ...clients] };
  });
  beforeAll(async () => {
    const { issuer } = service;
    at = {
      token: `${issuer}/oauth/token`,
      par: `${issuer}/oauth/par`,
      userinfo: `${issuer}/userinfo`,
      directory: `${issuer}/directory/v2/Practitioner?name=martin`,
    };
    const jwk = key.privateKey.export({ format: 'jwk' }) as JsonWebKey;
    const signing = await crypto.subtle.importKey('jwk', jwk, { name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign']);
    const authentication = oidc.PrivateKeyJwt({ key: signing, kid: key.jwk['kid'] ?? '' });
    configuration = await oidc.discovery(
      new URL(issuer),
      'fapi',
      { id_token_signed_response_alg: 'ES256' },
      authentication,
      { execute: [oidc.allowInsecureRequests] },
    );
    await signedInPerson(service).signIn(authorizationUrl(service), CREDENTIALS);
  });

  const VERIFIER = oidc.randomPKCECodeVerifier();
  const challenge = () => oidc.calculatePKCECodeChallenge(VERIFIER);

  /** Posts a form as the client; `as` is who signs the assertion. */
  const post = async (
    url: string,
    fields: Record<string, string>,
    dpop?: string,
    signed = assertion(key, 'fapi', service.issuer),
  ) => {
    const body = new URLSearchParams({ ...signed, ...fields });
    const answer = await fetch(url, { method: 'POST', body, headers: dpop === undefined ? {} : { dpop } });
    return { status: answer.status, body: (await answer.json()) as Record<string, string> };
  };
  const push = async (change: Record<string, string | undefined> = {}, signed?: ReturnType<typeof assertion>) => {
    const all = {
      redirect_uri: CALLBACK,
      response_type: 'code',
      scope: SCOPE,
      prompt: 'consent',
      code_challenge: await challenge(),
      code_challenge_method: 'S256',
      ...change,
    };
    const fields = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
    return post(at.par, fields as Record<string, string>, undefined, signed);
  };
  /** A code for a pushed request, and the answer that brought it. */
  const callback = async (change?: Record<string, string | undefined>): Promise<URL> => {
    const { body } = await push(change);
    const address = `${service.issuer}/authorize?${new URLSearchParams({ client_id: 'fapi', request_uri: body['request_uri'] ?? '' })}`;
    return signedInPerson(service).signIn(address, CREDENTIALS);
  };
  const tokenProof = (by: ClientKey = key, header: object = {}) =>
    proof(by, { method: 'POST', url: at.token }, {}, header);
  const exchange = async (
    dpop?: string,
    change: Record<string, string> = {},
    signed?: ReturnType<typeof assertion>,
  ) => {
    const code = (await callback()).searchParams.get('code') ?? '';
    const fields = {
      grant_type: 'authorization_code',
      code,
      redirect_uri: CALLBACK,
      code_verifier: VERIFIER,
      ...change,
    };
    return post(at.token, fields, dpop, signed);
  };

  it('openid-client signs a person in, without state, and asks userinfo and directory', async () => {
    const DPoP = oidc.getDPoPHandle(configuration, await oidc.randomDPoPKeyPair('ES256'));
    const parameters = {
      redirect_uri: CALLBACK,
      scope: SCOPE,
      prompt: 'consent',
      code_challenge: await challenge(),
      code_challenge_method: 'S256',
    };
    const url = await oidc.buildAuthorizationUrlWithPAR(configuration, parameters, { DPoP });
    const back = await signedInPerson(service).signIn(url, CREDENTIALS);
    expect([...back.searchParams.keys()].sort()).toEqual(['code', 'iss']);
    const checks = { pkceCodeVerifier: VERIFIER, idTokenExpected: true };
    const tokens = await oidc.authorizationCodeGrant(configuration, back, checks, undefined, { DPoP });
    expect(tokens).toMatchObject({ token_type: 'dpop', refresh_token: expect.any(String) });
    const [header = ''] = (tokens.id_token ?? '').split('.');
    expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toMatchObject({ alg: 'ES256' });
    const subject = tokens.claims()?.sub ?? '';
    await expect(oidc.fetchUserInfo(configuration, tokens.access_token, subject, { DPoP })).resolves.toMatchObject({
      sub: subject,
    });
    const search = new URL(at.directory);
    const found = await oidc.fetchProtectedResource(
      configuration,
      tokens.access_token,
      search,
      'GET',
      null,
      undefined,
      {
        DPoP,
      },
    );
    expect(found.status).toBe(200);
    expect(await oidc.tokenIntrospection(configuration, tokens.access_token)).toMatchObject({ active: true });
    // Its refresh token stays the same, in parallel too.
    const again = await Promise.all(
      [1, 2, 3].map(() => oidc.refreshTokenGrant(configuration, tokens.refresh_token ?? '', undefined, { DPoP })),
    );
    expect(again.map(({ refresh_token }) => refresh_token)).toEqual(Array(3).fill(tokens.refresh_token));
    await oidc.tokenRevocation(configuration, tokens.refresh_token ?? '');
    await expect(
      oidc.refreshTokenGrant(configuration, tokens.refresh_token ?? '', undefined, { DPoP }),
    ).rejects.toMatchObject({ error: 'invalid_grant' });
  });

  it('a refresh token has the absolute limit alone, and is worth nothing without the client or a proof', async () => {
    const { body } = await exchange(tokenProof());
    const [row] = await service.database('oidc_records').where({ model: 'RefreshToken' }).orderBy('expires_at', 'desc');
    const { iat, exp } = JSON.parse(row.payload);
    expect(exp - iat).toBe(service.settings.lifetimes.refreshToken);
    const fields = { grant_type: 'refresh_token', refresh_token: body['refresh_token'] ?? '' };
    expect(await post(at.token, fields)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    const stranger = assertion(newClientKey(), 'fapi', service.issuer);
    expect((await post(at.token, fields, tokenProof(), stranger)).status).toBe(401);
    expect((await post(at.token, fields, tokenProof())).status).toBe(200);
  });

  it('state comes back where it was sent', async () => {
    const back = await callback({ state: 'a-state-of-thirty-characters-xx' });
    expect(back.searchParams.get('state')).toBe('a-state-of-thirty-characters-xx');
    expect(back.searchParams.get('iss')).toBe(service.issuer);
  });

  describe('refuses', () => {
    it('an authorization request that was not pushed', async () => {
      const url = authorizationUrl(service, {
        client_id: 'fapi',
        scope: 'openid',
        code_challenge: await challenge(),
        code_challenge_method: 'S256',
      });
      const { left } = await signedInPerson(service).visit(url);
      expect(left?.searchParams.get('error')).toBe('invalid_request');
      expect(left?.searchParams.has('code')).toBe(false);
    });

    it.each<[what: string, change: Record<string, string | undefined>]>([
      ['without PKCE', { code_challenge: undefined, code_challenge_method: undefined }],
      ['with a plain challenge', { code_challenge: VERIFIER, code_challenge_method: 'plain' }],
      ['without a method', { code_challenge_method: undefined }],
      ['without redirect_uri', { redirect_uri: undefined }],
      ['for another callback', { redirect_uri: `${CALLBACK}/x` }],
      ['for another response_type', { response_type: 'code id_token' }],
    ])('a pushed request %s', async (_what, change) => {
      const { status, body } = await push(change);
      expect(status).toBe(400);
      expect(body['error']).toMatch(/^(invalid_request|unsupported_response_type)$/);
    });

    it('a pushed request without a word about who sends it, or with a secret', async () => {
      for (const who of [{ client_id: 'fapi' }, { client_id: 'fapi', client_secret: SECRET }]) {
        const body = new URLSearchParams({ ...who, response_type: 'code', redirect_uri: CALLBACK, scope: 'openid' });
        expect((await fetch(at.par, { method: 'POST', body })).status).toBe(401);
      }
    });

    it.each<[what: string, signed: () => ReturnType<typeof assertion>]>([
      ['SEC-61 for the token endpoint', () => assertion(key, 'fapi', at.token)],
      ['by RS256', () => assertion(rsa, 'fapi', service.issuer)],
      ['by RS384', () => assertion(rsa, 'fapi', service.issuer, {}, { alg: 'RS384' })],
    ])('an assertion %s', async (_what, signed) => {
      for (const answer of [await push({}, signed()), await exchange(tokenProof(), {}, signed())]) {
        expect(answer).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
      }
    });

    it('tokens without a proof, by RS256, or for a code bound to another key', async () => {
      expect((await exchange()).status).toBe(400);
      for (const weak of [tokenProof(rsa), tokenProof(p384), tokenProof(rsa, { alg: 'RS384' })]) {
        const byRsa = await exchange(weak);
        expect(byRsa).toMatchObject({ status: 400, body: { error: 'invalid_dpop_proof' } });
        expect(byRsa.body['error_description']).toMatch(/ES256, EdDSA, Ed25519, PS256$/);
      }
    });

    it('a code without its verifier, and without a key for the code that it was bound to', async () => {
      expect((await exchange(tokenProof(), { code_verifier: 'v'.repeat(43) })).body['error']).toBe('invalid_grant');
      const bound = await callback({ dpop_jkt: 'x'.repeat(43) });
      const code = bound.searchParams.get('code') ?? '';
      const fields = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, code_verifier: VERIFIER };
      expect((await post(at.token, fields, tokenProof())).body['error']).toBe('invalid_grant');
    });

    it.each(['userinfo', 'directory'] as const)('at %s a token as Bearer, and a proof by RS256', async (place) => {
      const ps256 = { privateKey: rsa.privateKey, jwk: { ...rsaJwk, alg: 'PS256' } } as ClientKey;
      const { body } = await exchange(tokenProof(ps256));
      const token = body['access_token'] ?? '';
      const ask = async (scheme: string, by?: ClientKey) => {
        const dpop = by && proof(by, { url: at[place], token });
        const headers = { authorization: `${scheme} ${token}`, ...(dpop && { dpop }) };
        return (await fetch(at[place], { headers })).status;
      };
      expect(await ask('Bearer')).toBe(401);
      expect(await ask('DPoP', rsa)).toBe(401);
      expect(await ask('DPoP', p384)).toBe(401);
      expect(await ask('DPoP', ps256)).toBe(200);
    });
  });
});
