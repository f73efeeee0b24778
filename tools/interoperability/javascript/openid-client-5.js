// openid-client 5, which many applications still have: sign-in, refresh, userinfo, revocation, sign-out, and an error.

import { generators, Issuer } from 'openid-client-5';
import * as c from './checks.js';

const issuer = await Issuer.discover(c.ISSUER);
const client = new issuer.Client({
  client_id: c.CLIENT_ID,
  client_secret: c.CLIENT_SECRET,
  redirect_uris: [c.CALLBACK],
  response_types: ['code'],
});
let tokens;

await c.check('sign-in with PKCE, state and nonce', async () => {
  const checks = { code_verifier: generators.codeVerifier(), state: generators.state(), nonce: generators.nonce() };
  const url = client.authorizationUrl({
    scope: 'openid email profile offline_access',
    prompt: 'consent',
    code_challenge: generators.codeChallenge(checks.code_verifier),
    code_challenge_method: 'S256',
    state: checks.state,
    nonce: checks.nonce,
  });
  const callback = await c.signIn(url);
  tokens = await client.callback(c.CALLBACK, client.callbackParams(callback), checks);
  c.equal(tokens.claims().sub, c.PERSON_SUB, 'sub');
});
await c.check('userinfo', async () => c.equal((await client.userinfo(tokens)).email, c.PERSON_EMAIL, 'email'));
await c.check('refresh', async () => {
  tokens = await client.refresh(tokens.refresh_token);
  c.equal(tokens.claims().sub, c.PERSON_SUB, 'sub');
});
await c.check('revocation', async () => {
  await client.revoke(tokens.refresh_token, 'refresh_token');
  await c.refused(
    () => client.refresh(tokens.refresh_token),
    (error) => error.error === 'invalid_grant',
  );
});
await c.check('sign-out with the ID token of the session asks no question', async () => {
  const person = 'openid-client-5';
  const url = client.authorizationUrl({ scope: 'openid', state: 'a-state', nonce: 'a-nonce' });
  const parameters = client.callbackParams(await c.signIn(url, person));
  const { id_token } = await client.callback(c.CALLBACK, parameters, { state: 'a-state', nonce: 'a-nonce' });
  const leave = client.endSessionUrl({ id_token_hint: id_token, post_logout_redirect_uri: c.SIGNED_OUT });
  const { to, pressed } = await c.signInPressing(leave, person);
  c.equal(`${to} ${pressed}`, `${c.SIGNED_OUT} `, 'address after the sign-out, and buttons pressed');
});
await c.check('prompt=select_account is a page of the service, not an error', async () => {
  const url = client.authorizationUrl({
    scope: 'openid',
    state: 'a-state',
    nonce: 'a-nonce',
    prompt: 'select_account',
  });
  c.present(new URL(await c.signIn(url)).searchParams.get('code'), 'code');
});
