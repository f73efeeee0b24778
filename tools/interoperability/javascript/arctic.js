// Arctic's generic client: sign-in with PKCE, refresh, revocation, and an error.

import * as arctic from 'arctic';
import * as c from './checks.js';

const client = new arctic.OAuth2Client(c.CLIENT_ID, c.CLIENT_SECRET, c.CALLBACK);
let tokens;

await c.check('sign-in with PKCE', async () => {
  const [state, verifier] = [arctic.generateState(), arctic.generateCodeVerifier()];
  const scopes = ['openid', 'email', 'offline_access'];
  const { S256 } = arctic.CodeChallengeMethod;
  const url = client.createAuthorizationURLWithPKCE(c.ENDPOINTS.authorize, state, S256, verifier, scopes);
  url.searchParams.set('prompt', 'consent');
  const code = new URL(await c.signIn(url)).searchParams.get('code');
  tokens = await client.validateAuthorizationCode(c.ENDPOINTS.token, code, verifier);
  c.equal(arctic.decodeIdToken(tokens.idToken()).sub, c.PERSON_SUB, 'sub');
});
await c.check('refresh', async () => {
  tokens = await client.refreshAccessToken(c.ENDPOINTS.token, tokens.refreshToken(), []);
  c.equal((await c.userinfo(tokens.accessToken())).email, c.PERSON_EMAIL, 'email');
});
await c.check('revocation', async () => {
  await client.revokeToken(c.ENDPOINTS.revoke, tokens.refreshToken());
  await c.refused(
    () => client.refreshAccessToken(c.ENDPOINTS.token, tokens.refreshToken(), []),
    (error) => error instanceof arctic.OAuth2RequestError && error.code === 'invalid_grant',
  );
});
