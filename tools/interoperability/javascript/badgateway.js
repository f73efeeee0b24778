// @badgateway/oauth2-client: endpoints from discovery, sign-in with PKCE, refresh, and an error.

import { generateCodeVerifier, OAuth2Client } from '@badgateway/oauth2-client';
import * as c from './checks.js';

const client = new OAuth2Client({
  server: c.ISSUER,
  discoveryEndpoint: '/.well-known/openid-configuration',
  clientId: c.CLIENT_ID,
  clientSecret: c.CLIENT_SECRET,
});
let token;

await c.check('sign-in with PKCE by discovery', async () => {
  const codeVerifier = await generateCodeVerifier();
  const state = 'a-state-of-this-run';
  const url = await client.authorizationCode.getAuthorizeUri({
    redirectUri: c.CALLBACK,
    state,
    codeVerifier,
    scope: ['openid', 'email', 'offline_access'],
    extraParams: { prompt: 'consent' },
  });
  const callback = await c.signIn(url);
  token = await client.authorizationCode.getTokenFromCodeRedirect(callback, {
    redirectUri: c.CALLBACK,
    state,
    codeVerifier,
  });
  c.equal((await c.userinfo(token.accessToken)).email, c.PERSON_EMAIL, 'email');
});
await c.check('refresh', async () => {
  token = await client.refreshToken(token);
  c.equal((await c.userinfo(token.accessToken)).sub, c.PERSON_SUB, 'sub');
});
await c.check('a refused refresh token is invalid_grant', () =>
  c.refused(
    () => client.refreshToken({ ...token, refreshToken: 'nothing' }),
    (error) => error.oauth2Code === 'invalid_grant',
  ),
);
