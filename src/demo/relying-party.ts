// The OpenID client of the demo; your application needs this part too. openid-client implements the rules of OpenID Connect.

import * as client from 'openid-client';
import { type LogoutToken, logoutTokenCheck } from './logout-token.ts';
import { demoScope } from './paths.ts';

interface RelyingPartyOptions {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** The callback address exactly as registered, because the service compares it as a string. */
  callbackUrl: string;
  afterSignOutUrl: string;
  /** Used instead of `fetch`, for applications that watch or trace their requests. */
  fetch?: client.CustomFetch;
}

/** The values that the person's own session keeps from the redirect to the callback. */
export interface SignInUnderway {
  authorizationUrl: string;
  state: string;
  nonce: string;
  codeVerifier: string;
  /** True if a second factor was demanded. */
  secondFactor: boolean;
}

/** The `acr` of a sign-in with two factors, in requests and in ID tokens. */
export const SECOND_FACTOR = 'https://refeds.org/profile/mfa';

/** Demands a second factor, and asks how the person signed in (OpenID Connect Core 1.0, section 5.5.1.1). */
const DEMAND = { id_token: { acr: { essential: true, value: SECOND_FACTOR }, amr: null } };

export interface SignedIn {
  accessToken: string;
  /** Kept for signing out, to tell the service which session to end. */
  idToken: string;
  /** Milliseconds since the epoch. */
  accessEndsAt: number;
  /** Claims of the verified ID token. */
  claims: client.IDToken;
  /** The answer of the userinfo endpoint. */
  userinfo: client.UserInfoResponse;
}

/** A second factor was demanded, and the ID token does not say that there was one. */
export class MissingSecondFactor extends Error {}

export type RelyingParty = ReturnType<typeof relyingParty>;

/** The server-side client of specification section 1. Nothing is fetched before the first sign-in. */
export function relyingParty(options: RelyingPartyOptions) {
  let discovery: Promise<client.Configuration> | undefined;
  let checkLogoutToken: ReturnType<typeof logoutTokenCheck> | undefined;

  // A failed request is repeated at the next use: the service may start after the application.
  function configuration(): Promise<client.Configuration> {
    discovery ??= discover(options).catch((error: unknown) => {
      discovery = undefined;
      throw error;
    });
    return discovery;
  }

  return {
    /** Step 1: makes the address to which the browser goes. `language` is the person's, for the sign-in pages. */
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

    /** Steps 4 and 5. Throws openid-client's error for a refused, forged or expired response. */
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
      // The demand went through the person's browser, which could have left it out.
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

    /** Makes the address that also ends the session at the service. `state` comes back with the browser. */
    async signOut(idToken: string): Promise<{ url: string; state: string }> {
      const state = client.randomState();
      const url = client.buildEndSessionUrl(await configuration(), {
        id_token_hint: idToken,
        post_logout_redirect_uri: options.afterSignOutUrl,
        state,
      });
      return { url: url.href, state };
    },

    /** Verifies a logout token and returns its content; rejects with `InvalidLogoutToken`. */
    async verifyLogoutToken(token: string): Promise<LogoutToken> {
      const { issuer, jwks_uri, id_token_signing_alg_values_supported } = (await configuration()).serverMetadata();
      // Kept for the whole process, because it remembers the tokens that it has seen.
      checkLogoutToken ??= logoutTokenCheck({
        issuer,
        clientId: options.clientId,
        jwksUri: jwks_uri ?? '',
        // Only algorithms with a public key: with any other, everybody with the client's secret could make a token.
        algorithms: (id_token_signing_alg_values_supported ?? ['RS256']).filter((name) => /^(RS|PS|ES|Ed)/.test(name)),
      });
      return checkLogoutToken(token);
    },
  };
}

function discover(options: RelyingPartyOptions): Promise<client.Configuration> {
  const issuer = new URL(options.issuer);
  // A token response over plain http could have been altered on its way, so the ID token's signature is checked as well.
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
  /** Link your own records to this, never to the e-mail address. */
  uuid: string;
  /** Base address of the directory for this person. */
  apiUrl: string;
  currentWorkspaceId?: string;
  identities?: string[];
}

/** Finds the claim in any namespace. An application made for one installation writes the full name instead. */
export function userInfoClaim(claims: Record<string, unknown>): UserInfoClaim {
  const name = Object.keys(claims).find((claim) => claim.endsWith('/userInfo'));
  if (!name) throw new Error('The ID token holds no {claim_ns}/userInfo claim: ask for the scope profile.');
  return claims[name] as UserInfoClaim;
}
