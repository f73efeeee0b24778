// Owns the login sequence in the browser alone: authorization code with PKCE (specification 1.2 and section 5), no secret.
// Every check is left to oauth4webapi. Copy this file; it touches no page. Does not own what is shown (`demo.js`).

// One file from the npm package `oauth4webapi`, served beside this one.
import * as oauth from './oauth4webapi.js';

const SCOPE = 'openid email profile PRACTITIONER_READ ORGANIZATION_READ';
/** Where an open sign-in waits while the browser is away: this tab only, gone when the tab closes. */
const UNDERWAY = 'mirabelle.sign-in';

/**
 * @param {{ issuer: string, clientId: string, callback: string, afterSignOut: string }} settings
 * @param {(step: number, lines: string[]) => void} report told of each message of the six steps
 */
export function signIn(settings, report) {
  const client = { client_id: settings.clientId };
  // Plain http is for the developer's own machine; anywhere else oauth4webapi refuses it.
  const local = ['localhost', '127.0.0.1'].includes(new URL(settings.issuer).hostname);
  const http = { [oauth.allowInsecureRequests]: local };

  async function discover() {
    const issuer = new URL(settings.issuer);
    return oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, http));
  }

  return {
    /** Step 1: leaves the page for the authorization endpoint. */
    async begin(language) {
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
    },

    /** Whether an address is the one the service sends the browser back to. */
    isAnswer: (address) => address.searchParams.has('state'),

    /** Steps 2 to 6. Throws `StateMismatch`, or what oauth4webapi throws. */
    async finish(answer) {
      const underway = JSON.parse(sessionStorage.getItem(UNDERWAY) ?? '{}');
      if (underway.url) report(1, request('GET', new URL(underway.url)));
      report(2, request('GET', answer));

      // Step 3: nothing of an answer to somebody else's question may be used.
      const state = answer.searchParams.get('state');
      if (!underway.state || state !== underway.state) throw new Error('StateMismatch');
      sessionStorage.removeItem(UNDERWAY);
      report(3, [
        `sessionStorage state=${shown('state', underway.state)}`,
        `callback       state=${shown('state', state)}`,
      ]);

      // Step 4: the verifier proves that this page asked the question; a stolen code is worth nothing without it.
      const server = await discover();
      const parameters = oauth.validateAuthResponse(server, client, answer, underway.state);
      const { callback } = settings;
      const response = await oauth.authorizationCodeGrantRequest(
        server,
        client,
        oauth.None(),
        parameters,
        callback,
        underway.codeVerifier,
        http,
      );
      report(4, [
        ...request('POST', new URL(server.token_endpoint), {
          grant_type: 'authorization_code',
          client_id: settings.clientId,
          code: parameters.get('code'),
          redirect_uri: callback,
          code_verifier: underway.codeVerifier,
        }),
        '',
        ...(await received(response)),
      ]);
      const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, {
        expectedNonce: underway.nonce,
        requireIdToken: true,
      });

      // Step 5: the signature counts, because this page may run anywhere (specification 5.6).
      await oauth.validateApplicationLevelSignature(server, response, http);
      const claims = oauth.getValidatedIdTokenClaims(tokens);
      const answered = await oauth.userInfoRequest(server, client, tokens.access_token, http);
      const asked = request('GET', new URL(server.userinfo_endpoint));
      const shownUserinfo = await received(answered);
      const userinfo = await oauth.processUserInfoResponse(server, client, claims.sub, answered);
      report(5, [`ID token ${json(claims)}`]);
      report(5, [...asked, '', ...shownUserinfo]);

      // Step 6: the session is this object. Nothing is written where another script or a later visitor could read it.
      report(6, [`sub ${claims.sub}`, `expires_in ${tokens.expires_in}`]);
      return { accessToken: tokens.access_token, idToken: tokens.id_token, claims, userinfo };
    },

    /** Leaves the page to end the session at the service too. */
    async signOut(idToken) {
      const { end_session_endpoint: address } = await discover();
      const parameters = { id_token_hint: idToken, post_logout_redirect_uri: settings.afterSignOut };
      location.assign(`${address}?${new URLSearchParams({ client_id: settings.clientId, ...parameters })}`);
    },
  };
}

/** The claim `{claim_ns}/userInfo` (specification 2.2), whatever the namespace is. */
export function userInfoClaim(claims) {
  return claims[Object.keys(claims).find((name) => name.endsWith('/userInfo'))];
}

const SHORTENED = /^(code|state|nonce|code_challenge|code_verifier|access_token|id_token|at_hash)$/;

function shown(name, value) {
  return SHORTENED.test(name) && String(value).length > 10 ? `${value.slice(0, 8)}…` : value;
}

function request(method, url, form) {
  const query = [...url.searchParams].map(
    ([name, value], index) => `  ${index ? '&' : '?'}${name}=${shown(name, value)}`,
  );
  const body = Object.entries(form ?? {}).map(([name, value]) => `  ${name}=${shown(name, value)}`);
  return [`${method} ${url.origin}${url.pathname}`, ...query, ...(form ? ['', ...body] : [])];
}

async function received(response) {
  return [`HTTP ${response.status}`, json(await response.clone().json())];
}

function json(value) {
  return JSON.stringify(value, (name, item) => (typeof item === 'string' ? shown(name, item) : item), 2);
}
