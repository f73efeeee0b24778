// simple-oauth2: sign-in, refresh, revocation, and an error.

import { AuthorizationCode } from 'simple-oauth2';
import * as c from './checks.js';

const client = new AuthorizationCode({
  client: { id: c.CLIENT_ID, secret: c.CLIENT_SECRET },
  // Its own default takes an empty answer, which a revocation is (RFC 7009 section 2.2), for a fault.
  http: { json: true },
  auth: { tokenHost: c.ISSUER, authorizePath: '/authorize', tokenPath: '/oauth/token', revokePath: '/oauth/revoke' },
});
let token;

await c.check('sign-in', async () => {
  const request = {
    redirect_uri: c.CALLBACK,
    scope: 'openid email offline_access',
    state: 'a-state',
    prompt: 'consent',
  };
  const callback = new URL(await c.signIn(client.authorizeURL(request)));
  token = await client.getToken({ code: callback.searchParams.get('code'), redirect_uri: c.CALLBACK });
  c.equal((await c.userinfo(token.token.access_token)).email, c.PERSON_EMAIL, 'email');
});
await c.check('refresh', async () => {
  token = await token.refresh();
  c.present(token.token.access_token, 'access token');
});
await c.check('revocation', async () => {
  await token.revokeAll();
  await c.refused(
    () => token.refresh(),
    (error) => error.data?.payload?.error === 'invalid_grant',
  );
});
