// Signs a person in from the page alone: authorization code with PKCE (specification 1.2 and section 5), without a secret. oauth4webapi
// makes every check. It is one file without imports, which is loaded when somebody signs in. You can copy this file, because it does not
// depend on the page.

const load = () => import('./oauth4webapi.js');

/** Keys in the storage of this tab: for an open sign-in, and then for the session. Both are gone when the tab closes. */
const UNDERWAY = 'hygie.try.underway';
const SESSION = 'hygie.try.session';

/** Makes the client. `settings` are the issuer, the client id, the scopes, and the two addresses that are registered for the client. */
export function browserClient({ issuer, clientId, scope, callback, afterSignOut }) {
  const client = { client_id: clientId };

  /** Loads the library and the metadata of the service, which has its addresses. */
  async function discover() {
    const oauth = await load();
    const url = new URL(issuer);
    // Plain http is allowed for the developer's own machine. For any other host oauth4webapi refuses it.
    const http = { [oauth.allowInsecureRequests]: ['localhost', '127.0.0.1'].includes(url.hostname) };
    const server = await oauth.processDiscoveryResponse(url, await oauth.discoveryRequest(url, http));
    return { oauth, http, server };
  }

  /** Leaves the page for the authorization endpoint. `finish` returns `request` after the sign-in. */
  async function begin(language, request) {
    const { oauth, server } = await discover();
    const state = oauth.generateRandomState();
    const nonce = oauth.generateRandomNonce();
    const codeVerifier = oauth.generateRandomCodeVerifier();
    const url = new URL(server.authorization_endpoint);
    url.search = new URLSearchParams({
      response_type: 'code',
      client_id: clientId,
      redirect_uri: callback,
      scope,
      state,
      nonce,
      code_challenge: await oauth.calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: 'S256',
      ui_locales: language,
    });
    sessionStorage.setItem(UNDERWAY, JSON.stringify({ state, nonce, codeVerifier, request }));
    location.assign(url);
  }

  /** Returns what `begin` stored, and removes it; undefined if the answer does not belong to a sign-in of this tab. */
  function underway(answer) {
    const begun = JSON.parse(sessionStorage.getItem(UNDERWAY) ?? '{}');
    if (!begun.state || answer.searchParams.get('state') !== begun.state) return undefined;
    sessionStorage.removeItem(UNDERWAY);
    return begun;
  }

  /** Redeems the code. It throws the errors of oauth4webapi. */
  async function finish(answer, { state, nonce, codeVerifier }) {
    const { oauth, http, server } = await discover();
    const parameters = oauth.validateAuthResponse(server, client, answer, state);
    const response = await oauth.authorizationCodeGrantRequest(
      ...[server, client, oauth.None(), parameters, callback, codeVerifier, http],
    );
    const expected = { expectedNonce: nonce, requireIdToken: true };
    const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, expected);
    // The claims are used only after the signature was checked with the public keys of the service.
    await oauth.validateApplicationLevelSignature(server, response, http);
    const session = {
      accessToken: tokens.access_token,
      idToken: tokens.id_token,
      name: oauth.getValidatedIdTokenClaims(tokens).name ?? '',
      endsAt: Date.now() + (tokens.expires_in ?? 0) * 1000,
    };
    sessionStorage.setItem(SESSION, JSON.stringify(session));
  }

  /** The session; undefined after its access token has expired. */
  function session() {
    const kept = JSON.parse(sessionStorage.getItem(SESSION) ?? 'null');
    return kept && kept.endsAt > Date.now() ? kept : undefined;
  }

  const forget = () => sessionStorage.removeItem(SESSION);

  /** Leaves the page to end the session at the service, which also ends the token. */
  async function signOut() {
    const { server } = await discover();
    const hint = {
      client_id: clientId,
      id_token_hint: session()?.idToken ?? '',
      post_logout_redirect_uri: afterSignOut,
    };
    forget();
    location.assign(`${server.end_session_endpoint}?${new URLSearchParams(hint)}`);
  }

  return { begin, underway, finish, session, forget, signOut };
}
