// AppAuth-JS as a native application without a secret: discovery, sign-in with PKCE, refresh, and an error.

import appauth from '@openid/appauth';
import crypto from '@openid/appauth/built/node_support/crypto_utils.js';
import * as c from './checks.js';

const {
  AuthorizationRequest,
  AuthorizationServiceConfiguration,
  BaseTokenRequestHandler,
  BasicQueryStringUtils,
  FetchRequestor,
  GRANT_TYPE_AUTHORIZATION_CODE,
  GRANT_TYPE_REFRESH_TOKEN,
  RedirectRequestHandler,
  TokenRequest,
} = appauth;
const configuration = await AuthorizationServiceConfiguration.fetchFromIssuer(c.ISSUER, new FetchRequestor());
const handler = new BaseTokenRequestHandler(new FetchRequestor());
const own = { client_id: c.CLIENT_ID, redirect_uri: c.CALLBACK };
let tokens;

await c.check('sign-in with PKCE, without a secret', async () => {
  const asked = { ...own, scope: 'openid email offline_access', state: undefined, response_type: 'code' };
  const request = new AuthorizationRequest({ ...asked, extras: { prompt: 'consent' } }, new crypto.NodeCrypto(), true);
  await request.setupCodeVerifier();
  // The address that its handlers open.
  const url = new RedirectRequestHandler({}, new BasicQueryStringUtils(), {}).buildRequestUrl(configuration, request);
  const code = new URL(await c.signIn(url)).searchParams.get('code');
  const extras = { code_verifier: request.internal.code_verifier };
  const redeem = new TokenRequest({ ...own, grant_type: GRANT_TYPE_AUTHORIZATION_CODE, code, extras });
  tokens = await handler.performTokenRequest(configuration, redeem);
  c.equal((await c.userinfo(tokens.accessToken)).sub, c.PERSON_SUB, 'sub');
});
const refresh = (refresh_token) =>
  handler.performTokenRequest(
    configuration,
    new TokenRequest({ ...own, grant_type: GRANT_TYPE_REFRESH_TOKEN, refresh_token }),
  );
await c.check('refresh', async () => {
  tokens = await refresh(tokens.refreshToken);
  c.present(tokens.accessToken, 'access token');
});
