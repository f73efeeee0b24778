// Refusals of which the library only says that something is wrong: what is right instead stands in the answer, and the name of
// the parameter. Addresses that differ, scopes, secrets and tokens: `explanations.test.ts`.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as oidc from 'openid-client';
import type { ClientSettings } from '../../src/config/settings.ts';
import { openAccounts } from '../../src/store/accounts/accounts.ts';
import { newClientKey, proof } from '../support/oidc/keys-of-clients.ts';
import { authorizationUrl, obtainCode, redeem, signedInPerson } from '../support/oidc/relying-party.ts';
import { createPerson } from '../support/person.ts';
import {
  ALL_SCOPES,
  CALLBACK,
  DEMO_ACCOUNTS,
  DEMO_PASSWORD,
  type RunningService,
  SECRET,
  startService,
  testClients,
} from '../support/service.ts';

interface Refusal {
  error: string;
  error_description: string;
}

const key = newClientKey();
const otherKey = newClientKey();
const VERIFIER = oidc.randomPKCECodeVerifier();
let service: RunningService;
let S256: { code_challenge: string; code_challenge_method: string };
beforeAll(async () => {
  S256 = { code_challenge: await oidc.calculatePKCECodeChallenge(VERIFIER), code_challenge_method: 'S256' };
  const known = await testClients();
  const like = (id: string) => known.find((client) => client.id === id) as ClientSettings;
  service = await startService({
    clients: [
      ...known,
      { ...like('server'), id: 'pushing', par: 'required' },
      { ...like('browser'), id: 'refreshing', scopes: ['openid', 'email', 'offline_access'] },
    ],
  });
});
afterAll(() => service.stop());

type Fields = Record<string, string | undefined>;

const formOf = (fields: Fields) =>
  new URLSearchParams(Object.entries(fields).filter((field): field is [string, string] => field[1] !== undefined));
const post = (path: string, fields: Fields, headers: Record<string, string> = {}) =>
  fetch(service.issuer + path, { method: 'POST', body: formOf(fields), headers });
const refusalOf = async (answer: Response, status = 400) => {
  const refusal = (await answer.json()) as Refusal;
  expect(answer.status).toBe(status);
  return refusal;
};
const proofFor = (path: string, by = key, claims = {}) => ({
  dpop: proof(by, { method: 'POST', url: service.issuer + path }, claims),
});
const tokenProof = (by = key, claims = {}) => proofFor('/oauth/token', by, claims);
const push = async (fields: Fields = {}, headers: Record<string, string> = {}) => {
  const state = oidc.randomState();
  const request = { redirect_uri: CALLBACK, response_type: 'code', scope: ALL_SCOPES, state };
  return post('/oauth/par', { client_id: 'server', client_secret: SECRET, ...request, ...fields }, headers);
};
const pushed = async (fields: Fields = {}, headers = {}) =>
  ((await (await push(fields, headers)).json()) as { request_uri: string }).request_uri;

describe('the callback is told what would be right:', () => {
  const NO_PAGE = 'prompt=none shows no page';
  it.each<[name: string, parameters: Fields, ...said: string[]]>([
    ['another prompt', { prompt: 'create' }, 'prompt', 'none, login, consent'],
    ['another response_type', { response_type: 'token' }, 'response_type=code'],
    ['another response_mode', { response_mode: 'web_message' }, 'response_mode', 'query or form_post'],
    ['SEC-08 PKCE of the plain kind', { code_challenge: 'c'.repeat(43), code_challenge_method: 'plain' }, 'S256'],
    ['SEC-08 PKCE of no kind', { code_challenge: 'c'.repeat(43) }, 'code_challenge_method', 'S256'],
    ['SEC-08 no PKCE', { client_id: 'browser' }, 'code_challenge is missing', 'S256'],
    ['a max_age that is no number', { max_age: 'soon' }, 'max_age', 'whole number of seconds'],
    ['no scope', { scope: undefined }, 'missing required parameter scope'],
    ['scopes of others', { scope: 'read write' }, 'no scope is left', 'openid', 'PRACTITIONER_READ'],
    ['offline_access alone', { scope: 'offline_access' }, 'no scope is left', 'prompt=consent'],
    ['scopes with two spaces', { scope: 'openid  email' }, 'scope', 'one space between'],
    ['claims that are no JSON', { claims: 'email' }, 'claims', 'JSON object', 'id_token or userinfo'],
    ['a request that is not pushed', { client_id: 'pushing' }, 'par: required', '/oauth/par', 'request_uri'],
    ['prompt=none, and nobody signed in', { prompt: 'none' }, 'nobody is signed in', NO_PAGE],
  ])('%s', async (_name, parameters, ...said) => {
    const { left } = await createPerson(service.issuer).visit(authorizationUrl(service, parameters));
    const answer = new URLSearchParams(left?.search || left?.hash.slice(1));
    for (const part of said) expect(answer.get('error_description')).toContain(part);
  });

  it('prompt=none, and what it would have to ask', async () => {
    await obtainCode(service, { scope: 'openid' });
    const said = async (parameters: Fields) => {
      const { left } = await signedInPerson(service).visit(
        authorizationUrl(service, { prompt: 'none', ...parameters }),
      );
      return left?.searchParams.get('error_description');
    };
    const claims = JSON.stringify({ id_token: { sub: { value: 'somebody-else' } } });
    expect(await said({ client_id: 'narrow', scope: 'openid email' })).toMatch(/agreed to every scope .*prompt=none/);
    expect(await said({ scope: 'openid', claims })).toMatch(/another person is signed in .*prompt=none/);
  });
});

describe('the page of a request_uri', () => {
  const pageOf = async (request_uri: string, language = 'en') => {
    const url = `${service.issuer}/authorize?${new URLSearchParams({ client_id: 'narrow', request_uri })}`;
    const page = await createPerson(service.issuer).visit(url, { headers: { 'accept-language': language } });
    expect([page.status, page.left]).toEqual([400, undefined]);
    return page.html;
  };

  it('of another client names it, in both languages', async () => {
    const request_uri = await pushed();
    const html = await pageOf(request_uri);
    expect(html).toContain('<dt>Parameter</dt><dd>request_uri</dd>');
    expect(html).toContain('the request_uri is of another client');
    expect(await pageOf(request_uri, 'fr')).toContain('<dt>Paramètre</dt><dd>request_uri</dd>');
  });

  it('that is not known says how long one is good', async () => {
    const html = await pageOf('urn:ietf:params:oauth:request_uri:nothing');
    expect(html).toContain('<dt>Parameter</dt><dd>request_uri</dd>');
    expect(html).toContain('push the request again, and open it within a minute');
  });
});

describe('the JSON of the token endpoint', () => {
  const saidOf = async (answer: Response, status = 400) => (await refusalOf(answer, status)).error_description;

  it('SEC-08 a verifier without a challenge', async () => {
    const answer = await redeem(service, await obtainCode(service), { code_verifier: VERIFIER });
    const { error, error_description } = await refusalOf(answer);
    expect(error).toBe('invalid_grant');
    expect(error_description).toMatch(/^code_verifier is sent, but the authorization request had no code_challenge/);
  });

  it('a request that was bound to a key by dpop_jkt, or by a proof when it was pushed', async () => {
    const dpop_jkt = await thumbprint();
    const requests: Record<string, () => Promise<Fields>> = {
      named: async () => ({ dpop_jkt }),
      proved: async () => ({ request_uri: await pushed({}, proofFor('/oauth/par')) }),
    };
    for (const parameters of Object.values(requests)) {
      const code = async () => obtainCode(service, await parameters());
      expect(await saidOf(await redeem(service, await code()))).toMatch(
        /bound to a key \(dpop_jkt.*send a DPoP proof of/,
      );
      const other = await redeem(service, await code(), {}, tokenProof(otherKey));
      expect(await saidOf(other)).toMatch(/bound to a key \(dpop_jkt.*proof is of another one/);
      expect((await redeem(service, await code(), {}, tokenProof())).status).toBe(200);
    }
    const pushedOther = await push({ dpop_jkt }, proofFor('/oauth/par', otherKey));
    expect(await saidOf(pushedOther)).toMatch(/^dpop_jkt is not the thumbprint of the key/);
  });

  const thumbprint = async () => {
    const { crv, kty, x, y } = key.jwk;
    const digest = await crypto.subtle.digest('SHA-256', Buffer.from(JSON.stringify({ crv, kty, x, y })));
    return Buffer.from(digest).toString('base64url');
  };

  it('SEC-26 a refresh token that is bound to a key', async () => {
    const client_id = 'refreshing';
    const code = await obtainCode(service, { client_id, scope: 'openid offline_access', prompt: 'consent', ...S256 });
    const fields = { client_id, client_secret: undefined };
    const tokens = await redeem(service, code, { ...fields, code_verifier: VERIFIER }, tokenProof());
    const { refresh_token } = (await tokens.json()) as { refresh_token: string };
    const refresh = async (headers = {}, more = {}) =>
      post('/oauth/token', { grant_type: 'refresh_token', client_id, refresh_token, ...more }, headers);
    expect(await saidOf(await refresh())).toBe('the refresh token is bound to a key: send a DPoP proof of that key');
    expect(await saidOf(await refresh(tokenProof(otherKey)))).toMatch(/^the key of the DPoP proof is not the one/);
    expect(await saidOf(await refresh(tokenProof(), { scope: 'openid email' }))).toMatch(
      /^the refresh token was given without email: leave scope out/,
    );
    expect((await refresh(tokenProof())).status).toBe(200);
  });

  it('a code of a person who may not sign in any more', async () => {
    const [, person] = DEMO_ACCOUNTS;
    if (!person) throw new Error('there is one person only');
    const credentials = { login: person.email, password: DEMO_PASSWORD };
    const callback = await createPerson(service.issuer).signIn(authorizationUrl(service), credentials);
    const accounts = openAccounts(service.database);
    await accounts.update(person.id, { status: 'disabled' });
    const answer = await redeem(service, callback.searchParams.get('code') ?? '');
    await accounts.update(person.id, { status: 'active' });
    expect(await saidOf(answer)).toMatch(/^what the person agreed to has ended.*: the person has to sign in again$/);
  });

  it.each([
    ['another method', { htm: 'GET' }, /htm of the DPoP proof must be POST$/],
    ['another address', { htu: 'https://elsewhere.example/' }, /htu .* must be http:.*\/oauth\/token$/],
    ['no jti', { jti: undefined }, /jti/],
  ])('a DPoP proof with %s', async (_name, claims, said) => {
    const { error, error_description } = await refusalOf(await redeem(service, 'any', {}, tokenProof(key, claims)));
    expect(error).toBe('invalid_dpop_proof');
    expect(error_description).toMatch(said);
  });

  it('a DPoP proof that another key has signed', async () => {
    const { privateKey } = otherKey;
    const answer = await redeem(service, 'any', {}, tokenProof({ ...key, privateKey }));
    expect(await saidOf(answer)).toMatch(/^the DPoP proof does not hold: .*signature/);
  });

  it('another grant_type', async () => {
    const said = await saidOf(await redeem(service, 'any', { grant_type: 'password' }));
    expect(said).toBe('unsupported grant_type: send authorization_code, refresh_token or client_credentials');
  });

  it('a client that proves itself in no way, in two, or oddly', async () => {
    const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` });
    const ask = (fields: Fields, headers = {}) =>
      post('/oauth/token', { grant_type: 'client_credentials', ...fields }, headers);
    expect(await saidOf(await ask({}))).toMatch(/^client_id is missing/);
    expect(await saidOf(await ask({ client_secret: SECRET }, basic(`server:${SECRET}`)))).toMatch(
      /in several ways: send one/,
    );
    expect(await saidOf(await ask({ client_id: 'narrow' }, basic(`server:${SECRET}`)))).toMatch(
      /^client_id is another one/,
    );
    expect(await saidOf(await ask({}, { authorization: `Bearer ${SECRET}` }))).toContain('must be the word Basic');
    expect(await saidOf(await ask({}, basic('server:%')))).toContain('form-urlencoded, joined by a colon');
    expect(await saidOf(await ask({ client_assertion: 'odd' }))).toBe('client_assertion is no JWT');
  });

  it('an ID token in place of an access token', async () => {
    const tokens = await redeem(service, await obtainCode(service));
    const { id_token: token } = (await tokens.json()) as { id_token: string };
    const ask = (path: string) => post(path, { client_id: 'server', client_secret: SECRET, token });
    expect(await saidOf(await ask('/oauth/introspect'))).toContain('verified with the keys of jwks_uri');
    expect(await saidOf(await ask('/oauth/revoke'))).toContain('cannot be revoked');
  });
});

describe('userinfo', () => {
  const ask = (headers: Record<string, string>) => fetch(`${service.issuer}/userinfo`, { headers });

  it('RFC 9449 section 7.1: a bound token without a proof is refused with a DPoP challenge, as at the directory', async () => {
    const answer = await redeem(service, await obtainCode(service), {}, tokenProof());
    const { access_token } = (await answer.json()) as { access_token: string };
    const authorization = `DPoP ${access_token}`;
    const refused = await ask({ authorization });
    const challenge = refused.headers.get('www-authenticate') ?? '';
    const { error, error_description } = await refusalOf(refused, 401);
    expect(error).toBe('invalid_dpop_proof');
    expect(error_description).toMatch(/^the DPoP proof is missing: send it in the header DPoP/);
    expect(challenge).toMatch(/^DPoP realm=.*error="invalid_dpop_proof".*algs="ES256 /);
    expect(challenge).toContain(`error_description="${error_description}"`);
    const directory = await fetch(`${service.issuer}/directory/v2/Practitioner`, { headers: { authorization } });
    expect(directory.status).toBe(401);
    expect(directory.headers.get('www-authenticate')).toMatch(/^DPoP realm=.*error="invalid_dpop_proof"/);
    expect(service.logged()).toMatch(/"error":"invalid_dpop_proof",.*"msg":"refused"/);
  });

  it.each<[name: string, headers: Record<string, string>, status: number, said: string]>([
    ['no token', {}, 401, 'send Authorization: Bearer'],
    ['a header without a scheme', { authorization: 'token' }, 400, 'Bearer or DPoP, a space, and the access token'],
    ['another scheme', { authorization: 'Basic token' }, 400, 'send Authorization: Bearer'],
    ['a proof beside Bearer', { authorization: 'Bearer token', dpop: 'any' }, 400, 'send Authorization: DPoP'],
  ])('%s', async (_name, headers, status, said) => {
    expect((await refusalOf(await ask(headers), status)).error_description).toContain(said);
  });

  it('a token without openid', async () => {
    const answer = await redeem(service, await obtainCode(service, { scope: 'email' }));
    const { access_token } = (await answer.json()) as { access_token: string };
    const refused = await refusalOf(await ask({ authorization: `Bearer ${access_token}` }), 403);
    expect(refused).toMatchObject({
      error: 'insufficient_scope',
      error_description: expect.stringContaining('openid'),
    });
  });
});
