// The login sequence in the browser alone: authorization code with PKCE (specification 1.2 and section 5), no secret.
// Every check is left to oauth4webapi. Copy this file: it touches no page.

// One file from the npm package `oauth4webapi`, served beside this one.
import * as oauth from './oauth4webapi.js';

const SCOPE = 'openid email profile PRACTITIONER_READ ORGANIZATION_READ';
/** Where an open sign-in waits while the browser is away: this tab only, gone when the tab closes. */
const UNDERWAY = 'mirabelle.sign-in';

/**
 * @param {{ issuer: string, clientId: string, callback: string, afterSignOut: string }} settings
 *   The issuer, and what is registered there for this client: id, callback address, address to return to after a sign-out.
 * @param {typeof globalThis.fetch} fetch Used instead of `fetch`, for pages that watch their requests.
 */
export function browserClient(settings, fetch) {
  const client = { client_id: settings.clientId };
  // Plain http is for the developer's own machine; anywhere else oauth4webapi refuses it.
  const local = ['localhost', '127.0.0.1'].includes(new URL(settings.issuer).hostname);
  const http = { [oauth.allowInsecureRequests]: local, [oauth.customFetch]: fetch };

  /** The addresses of the service, as it publishes them itself. */
  async function discover() {
    const issuer = new URL(settings.issuer);
    return oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, http));
  }

  /** Step 1: leaves the page for the authorization endpoint; `language` is the one of the sign-in pages. */
  async function begin(language) {
    const server = await discover();
    const state = oauth.generateRandomState();
    const nonce = oauth.generateRandomNonce();
    const codeVerifier = oauth.generateRandomCodeVerifier();
    const url = new URL(server.authorization_endpoint);
    url.search = new URLSearchParams({
      response_type: 'code',
      client_id: settings.clientId,
      redirect_uri: settings.callback,
      scope: SCOPE,
      version: '2.0.0',
      state,
      nonce,
      code_challenge: await oauth.calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: 'S256',
      ui_locales: language,
    });
    sessionStorage.setItem(UNDERWAY, JSON.stringify({ url: url.href, state, nonce, codeVerifier }));
    location.assign(url);
  }

  /** What `begin` left behind in this tab; empty when no sign-in is open. */
  function underway() {
    return JSON.parse(sessionStorage.getItem(UNDERWAY) ?? '{}');
  }

  /** Steps 2 to 6. Throws an error with the message `StateMismatch`, or what oauth4webapi throws. */
  async function finish(answer) {
    const { state, nonce, codeVerifier } = underway();
    // Step 3: nothing of an answer to another sign-in may be used.
    if (!state || answer.searchParams.get('state') !== state) throw new Error('StateMismatch');
    sessionStorage.removeItem(UNDERWAY);

    const server = await discover();
    const parameters = oauth.validateAuthResponse(server, client, answer, state);
    const tokens = await exchange(server, parameters, codeVerifier, nonce);
    const claims = oauth.getValidatedIdTokenClaims(tokens);
    const userinfo = await readUserinfo(server, tokens.access_token, claims.sub);
    // Step 6: the session is this object, kept in memory: no other page and no later visitor can read it.
    return { accessToken: tokens.access_token, idToken: tokens.id_token, claims, userinfo };
  }

  /** Step 4: the verifier proves that this page began the sign-in; a stolen code is worth nothing without it. */
  async function exchange(server, parameters, codeVerifier, nonce) {
    const { callback } = settings;
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      oauth.None(),
      parameters,
      callback,
      codeVerifier,
      http,
    );
    const expected = { expectedNonce: nonce, requireIdToken: true };
    const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, expected);
    // Step 5 begins: the claims count once the signature is checked with the public keys of the service.
    await oauth.validateApplicationLevelSignature(server, response, http);
    return tokens;
  }

  /** Step 5, the other source: the answer must be about the person of the ID token. */
  async function readUserinfo(server, accessToken, subject) {
    const response = await oauth.userInfoRequest(server, client, accessToken, http);
    return oauth.processUserInfoResponse(server, client, subject, response);
  }

  /** Leaves the page to end the session at the service too. */
  async function signOut(idToken) {
    const { end_session_endpoint: address } = await discover();
    const { clientId, afterSignOut } = settings;
    const parameters = { client_id: clientId, id_token_hint: idToken, post_logout_redirect_uri: afterSignOut };
    location.assign(`${address}?${new URLSearchParams(parameters)}`);
  }

  return { begin, underway, finish, signOut };
}

/** The claim `{claim_ns}/userInfo` (specification 2.2), whatever the namespace is. */
export function userInfoClaim(claims) {
  return claims[Object.keys(claims).find((name) => name.endsWith('/userInfo'))];
}
