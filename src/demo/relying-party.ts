// The OpenID client of the demo. An application that lets people sign in needs code like this. The library openid-client implements the
// rules of OpenID Connect.

import * as client from 'openid-client';
import { type LogoutToken, logoutTokenCheck } from './logout-token.ts';
import { demoScope } from './paths.ts';

interface RelyingPartyOptions {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** The callback address. It must have exactly the form that is registered, because the service compares addresses as strings. */
  callbackUrl: string;
  afterSignOutUrl: string;
  /** Replaces `fetch`, for an application that logs or traces its requests to the service. */
  fetch?: client.CustomFetch;
}

/**
 * Values of a sign-in that has begun. The application keeps them in the session of the browser, from the redirect to the service until the
 * callback.
 */
export interface SignInUnderway {
  authorizationUrl: string;
  state: string;
  nonce: string;
  codeVerifier: string;
  /** True if the application demands a second factor for this sign-in. */
  secondFactor: boolean;
}

/** The `acr` value of a sign-in with two factors. A request demands it, and the ID token confirms it. */
export const SECOND_FACTOR = 'https://refeds.org/profile/mfa';

/**
 * The parameter `claims` that demands a second factor. It also asks for `amr`, the ways in which the person signed in (OpenID Connect Core
 * 1.0, section 5.5.1.1).
 */
const DEMAND = { id_token: { acr: { essential: true, value: SECOND_FACTOR }, amr: null } };

export interface SignedIn {
  accessToken: string;
  /** The ID token. It is kept because the sign-out sends it to tell the service which session to end. */
  idToken: string;
  /** Time at which the access token expires, in milliseconds since 1970. */
  accessEndsAt: number;
  /** Claims of the verified ID token. */
  claims: client.IDToken;
  /** The response of the userinfo endpoint. */
  userinfo: client.UserInfoResponse;
}

/** Thrown if the application demanded a second factor, but the ID token does not confirm it. */
export class MissingSecondFactor extends Error {}

export type RelyingParty = ReturnType<typeof relyingParty>;

/** Makes the client for an application with a server (specification section 1). It sends no request before the first sign-in. */
export function relyingParty(options: RelyingPartyOptions) {
  let discovery: Promise<client.Configuration> | undefined;
  let checkLogoutToken: ReturnType<typeof logoutTokenCheck> | undefined;

  // Reads the discovery document, once. After a failure, it is requested again at the next use, because the application may have started
  // before the service.
  function configuration(): Promise<client.Configuration> {
    discovery ??= discover(options).catch((error: unknown) => {
      discovery = undefined;
      throw error;
    });
    return discovery;
  }

  return {
    /**
     * Step 1: returns the address to which the application sends the browser, and the values of this sign-in. `language` is the language of
     * the sign-in pages.
     */
    async begin(language: string, secondFactor = false): Promise<SignInUnderway> {
      const state = client.randomState();
      const nonce = client.randomNonce();
      const codeVerifier = client.randomPKCECodeVerifier();
      const url = client.buildAuthorizationUrl(await configuration(), {
        redirect_uri: options.callbackUrl,
        scope: demoScope,
        version: '2.0.0',
        state,
        nonce,
        code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
        ui_locales: language,
        ...(secondFactor && { claims: JSON.stringify(DEMAND) }),
      });
      return { authorizationUrl: url.href, state, nonce, codeVerifier, secondFactor };
    },

    /**
     * Steps 4 and 5: redeems the code, and reads the claims. If the service refuses the sign-in, or if a response is forged or expired,
     * throws the error of openid-client.
     */
    async finish(callback: URL, underway: SignInUnderway): Promise<SignedIn> {
      const config = await configuration();
      const tokens = await client.authorizationCodeGrant(config, callback, {
        expectedState: underway.state,
        expectedNonce: underway.nonce,
        pkceCodeVerifier: underway.codeVerifier,
        idTokenExpected: true,
      });
      const claims = tokens.claims();
      if (!claims || !tokens.id_token)
        throw new Error('The token response holds no ID token: ask for the scope openid.');
      // The demand for a second factor went through the browser, where the person could have removed it. So the ID token must confirm the
      // second factor.
      if (underway.secondFactor && claims['acr'] !== SECOND_FACTOR) throw new MissingSecondFactor();
      const userinfo = await client.fetchUserInfo(config, tokens.access_token, claims.sub);
      return {
        accessToken: tokens.access_token,
        idToken: tokens.id_token,
        accessEndsAt: Date.now() + (tokens.expiresIn() ?? 0) * 1000,
        claims,
        userinfo,
      };
    },

    /**
     * Returns the address to which the application sends the browser to end the session at the service. The service sends the browser back
     * with `state`.
     */
    async signOut(idToken: string): Promise<{ url: string; state: string }> {
      const state = client.randomState();
      const url = client.buildEndSessionUrl(await configuration(), {
        id_token_hint: idToken,
        post_logout_redirect_uri: options.afterSignOutUrl,
        state,
      });
      return { url: url.href, state };
    },

    /**
     * Verifies a logout token, and returns its content. Throws `InvalidLogoutToken` if the token is invalid, or another error if the
     * service could not be asked.
     */
    async verifyLogoutToken(token: string): Promise<LogoutToken> {
      const { issuer, jwks_uri, id_token_signing_alg_values_supported } = (await configuration()).serverMetadata();
      // The same check is used for all tokens of this process, because it remembers the tokens that it has received.
      checkLogoutToken ??= logoutTokenCheck({
        issuer,
        clientId: options.clientId,
        jwksUri: jwks_uri ?? '',
        // Only algorithms with a public key are accepted. With an algorithm that signs with the client's secret, everybody who knows the
        // secret could make a token. With `none`, anybody could make one.
        algorithms: (id_token_signing_alg_values_supported ?? ['RS256']).filter((name) => /^(RS|PS|ES|Ed)/.test(name)),
      });
      return checkLogoutToken(token);
    },
  };
}

function discover(options: RelyingPartyOptions): Promise<client.Configuration> {
  const issuer = new URL(options.issuer);
  // Checks the signature of the ID token, even though the token comes directly from the service. Over plain http, somebody could change the
  // token response on its way.
  const execute = [client.enableNonRepudiationChecks];
  if (isLoopback(issuer)) execute.push(client.allowInsecureRequests);
  return client.discovery(issuer, options.clientId, undefined, client.ClientSecretPost(options.clientSecret), {
    execute,
    ...(options.fetch && { [client.customFetch]: options.fetch }),
  });
}

function isLoopback(url: URL): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
}

/** The claim `{claim_ns}/userInfo` of specification 2.2. */
interface UserInfoClaim {
  /** The person's id. Link your own records to this id and not to the e-mail address, which may change. */
  uuid: string;
  /** Base address of the directory that this person may read. */
  apiUrl: string;
  currentWorkspaceId?: string;
  identities?: string[];
}

/**
 * Finds the claim `userInfo` under any namespace, so that the demo works with every installation. An application for one installation reads
 * the full name of the claim instead.
 */
export function userInfoClaim(claims: Record<string, unknown>): UserInfoClaim {
  const name = Object.keys(claims).find((claim) => claim.endsWith('/userInfo'));
  if (!name) throw new Error('The ID token holds no {claim_ns}/userInfo claim: ask for the scope profile.');
  return claims[name] as UserInfoClaim;
}
