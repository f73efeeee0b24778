// Drives the OpenID endpoints: every credential in its place, wrong ones, and right ones in the wrong place.

import * as oidc from 'openid-client';
import type { Stage } from '#support/hygiene/stage.ts';
import { basic } from '#support/openid/api-clients.ts';
import { assertion, proof } from '#support/openid/keys-of-clients.ts';
import { authorizationUrl } from '#support/openid/relying-party.ts';
import { signingClient } from '#support/openid/request-objects.ts';
import { CALLBACK, SIGNED_OUT } from '#support/service.ts';

type Tokens = Record<'access_token' | 'refresh_token' | 'id_token', string>;

/** Ends what it was given: nothing of its sign-on is good afterwards. */
export async function driveEndpoints(stage: Stage): Promise<void> {
  const { browser, canaries, credentials, send, service, clientSecret } = stage;
  const camille = browser('camille');
  const post = async (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) => {
    const answer = await send('client', path, { method: 'POST', body: new URLSearchParams(fields), headers });
    return (await answer.json().catch(() => ({}))) as Tokens & Record<string, string>;
  };
  const verifier = canaries.note('PKCE verifier', 'client', oidc.randomPKCECodeVerifier());
  const state = canaries.make('state', 'camille');
  const nonce = canaries.make('nonce', 'camille');
  const url = authorizationUrl(service, {
    client_id: 'trusted',
    scope: 'openid email profile PRACTITIONER_READ ORGANIZATION_READ offline_access',
    prompt: 'consent',
    state,
    nonce,
    login_hint: canaries.make('login_hint', 'camille', 'hint.'),
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  });
  const callback = await camille.signIn(url, credentials(0));
  const header = basic('trusted', clientSecret);
  const code = callback.searchParams.get('code') ?? '';
  const redemption = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, code_verifier: verifier };
  const inBody = { client_id: 'trusted', client_secret: clientSecret };
  const wrong = canaries.make('client secret', 'client');
  await post('/oauth/token', { ...redemption, client_id: 'trusted', client_secret: wrong });
  await post('/oauth/token', { ...redemption, code: canaries.make('authorization code', 'client') }, header);
  const first = await post('/oauth/token', redemption, header);
  await post('/oauth/token', {
    ...inBody,
    grant_type: 'refresh_token',
    refresh_token: canaries.make('refresh token', 'client'),
  });
  await post('/oauth/token', {
    ...inBody,
    grant_type: canaries.make('grant_type', 'client'),
    password: canaries.make('password', 'client'),
  });
  const tokens = await post('/oauth/token', {
    ...inBody,
    grant_type: 'refresh_token',
    refresh_token: first.refresh_token,
  });
  await post('/oauth/token', { ...inBody, grant_type: 'client_credentials' });
  await post(`/oauth/token?client_secret=${clientSecret}&code=${code}`, { grant_type: 'authorization_code' });
  await post(`/oauth/token/${clientSecret}`, {});
  await send('client', '/oauth/token', {
    method: 'POST',
    body: JSON.stringify(inBody),
    headers: { 'content-type': 'application/json' },
  });

  const bearer = { authorization: `Bearer ${tokens.access_token}` };
  await send('client', '/userinfo', { headers: bearer });
  await send('client', '/userinfo', { method: 'POST', headers: bearer });
  await send('client', `/userinfo?access_token=${tokens.access_token}`);
  for (const scheme of ['Bearer', 'Basic', 'DPoP', 'Token', '']) {
    const authorization = `${scheme} ${canaries.make('authorization header', 'client')}`.trim();
    for (const path of ['/userinfo', '/directory/v2/Practitioner?name=ma'])
      await send('client', path, { headers: { authorization } });
    await post('/oauth/token', redemption, { authorization });
    await post('/oauth/introspect', { token: first.refresh_token }, { authorization });
  }
  for (const token of Object.values(tokens).filter((value) => value.length > 20)) {
    await post('/oauth/introspect', { token }, header);
    await post('/oauth/introspect', { token, client_id: 'trusted', client_secret: wrong });
  }
  await post('/oauth/revoke', { token: first.access_token }, header);
  await post('/oauth/revoke', { token: canaries.make('access token', 'client') }, basic('trusted', wrong));
  await post('/oauth/token', { ...redemption, client_id: 'browser' });

  await driveSignedMessages(stage);
  await camille.visit(
    `/logout?${new URLSearchParams({ id_token_hint: tokens.id_token.slice(0, -4), state, post_logout_redirect_uri: SIGNED_OUT })}`,
  );
  await camille.visit(`/authorize?${new URLSearchParams({ id_token_hint: tokens.id_token, prompt: 'none' })}`);
  await camille.visit(authorizationUrl(service, { id_token_hint: tokens.id_token, prompt: 'none', state }));
  await camille.visit(
    authorizationUrl(service, { redirect_uri: `https://evil.example/${canaries.make('callback', 'camille')}` }),
  );
  await camille.visit('/authorize', { method: 'POST', body: url.searchParams });
  await send('camille', `/authorize/${canaries.make('interaction id', 'camille')}`);
  for (const path of [
    '/.well-known/openid-configuration',
    '/.well-known/oauth-authorization-server',
    '/.well-known/jwks.json',
  ]) {
    await send('client', path);
    await send('client', path, { method: 'OPTIONS', headers: { origin: 'https://application.example' } });
  }
  for (const path of ['/oauth/token', '/userinfo', '/oauth/revoke', '/oauth/introspect', '/oauth/par']) {
    await send('client', path, { method: 'OPTIONS', headers: { origin: 'https://application.example' } });
    await send('client', path, { method: 'DELETE' });
  }
}

/** Signs a person in and returns the tokens. */
export async function freshTokens({ browser, credentials, send, service, clientSecret }: Stage): Promise<Tokens> {
  const scope = 'openid email profile PRACTITIONER_READ ORGANIZATION_READ offline_access';
  const url = authorizationUrl(service, { client_id: 'trusted', scope, prompt: 'consent' });
  const back = await browser('camille').signIn(url, credentials(0));
  const fields = {
    grant_type: 'authorization_code',
    code: back.searchParams.get('code') ?? '',
    redirect_uri: CALLBACK,
  };
  const body = new URLSearchParams({ ...fields, client_id: 'trusted', client_secret: clientSecret });
  return (await (await send('client', '/oauth/token', { method: 'POST', body })).json()) as Tokens;
}

/** Assertions, proofs of possession, request objects and pushed requests: right, and each with something wrong. */
async function driveSignedMessages({ browser, canaries, send, service, key, clientSecret }: Stage): Promise<void> {
  const camille = browser('camille');
  const { issuer } = service;
  const noted = (fields: ReturnType<typeof assertion>) => {
    canaries.note('client assertion', 'client', fields.client_assertion);
    return fields;
  };
  const post = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
    send('client', path, { method: 'POST', body: new URLSearchParams(fields), headers });
  const request = {
    response_type: 'code',
    redirect_uri: CALLBACK,
    scope: 'openid',
    state: canaries.make('state', 'camille'),
  };
  for (const audience of [issuer, 'https://other.example']) {
    await post('/oauth/token', { ...noted(assertion(key, 'signing', audience)), grant_type: 'client_credentials' });
    const pushed = await post('/oauth/par', { ...noted(assertion(key, 'signing', audience)), ...request });
    const { request_uri: uri = 'urn:ietf:params:oauth:request_uri:none' } = (await pushed.json()) as Record<
      string,
      string
    >;
    await camille.visit(`/authorize?${new URLSearchParams({ client_id: 'signing', request_uri: uri })}`);
    await camille.visit(`/authorize?${new URLSearchParams({ client_id: 'signing', request_uri: uri })}`);
  }
  const signs = signingClient(key, 'signing', request.state);
  for (const claims of [{}, { aud: 'https://other.example' }]) {
    const object = canaries.note('request object', 'client', signs.requestObject(service, claims));
    const back = await camille.visit(`/authorize?${new URLSearchParams({ client_id: 'signing', request: object })}`);
    const code = back.left?.searchParams.get('code') ?? 'none';
    const url = `${issuer}/oauth/token`;
    for (const htu of [`${issuer}/elsewhere`, url]) {
      const dpop = canaries.note('DPoP proof', 'client', proof(key, { method: 'POST', url: htu }));
      const fields = {
        ...noted(assertion(key, 'signing', issuer)),
        grant_type: 'authorization_code',
        code,
        redirect_uri: CALLBACK,
      };
      await post('/oauth/token', fields, { dpop });
    }
  }
  await post('/oauth/par', { ...request, client_id: 'server', client_secret: clientSecret, claims: '{"secret":' });
}
