// The OpenID client of the demo. Your application needs this part too. openid-client implements the rules of OpenID Connect.

import * as client from 'openid-client';
import { type LogoutToken, logoutTokenCheck } from './logout-token.ts';
import { demoScope } from './paths.ts';

interface RelyingPartyOptions {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** The callback address exactly as it is registered, because the service compares it as a string. */
  callbackUrl: string;
  afterSignOutUrl: string;
  /** Replaces `fetch`, for applications that log or trace their requests. */
  fetch?: client.CustomFetch;
}

/** Values of a sign-in in progress. The person's own session keeps them from the redirect to the callback. */
export interface SignInUnderway {
  authorizationUrl: string;
  state: string;
  nonce: string;
  codeVerifier: string;
  /** True if a second factor was demanded. */
  secondFactor: boolean;
}

/** The `acr` of a sign-in with two factors. Requests and ID tokens have it. */
export const SECOND_FACTOR = 'https://refeds.org/profile/mfa';

/** Demands a second factor, and asks how the person signed in (OpenID Connect Core 1.0, section 5.5.1.1). */
const DEMAND = { id_token: { acr: { essential: true, value: SECOND_FACTOR }, amr: null } };

export interface SignedIn {
  accessToken: string;
  /** Kept for the sign-out: it tells the service which session to end. */
  idToken: string;
  /** Milliseconds since 1970. */
  accessEndsAt: number;
  /** Claims of the verified ID token. */
  claims: client.IDToken;
  /** The response of the userinfo endpoint. */
  userinfo: client.UserInfoResponse;
}

/** Thrown if a second factor was demanded and the ID token does not confirm one. */
export class MissingSecondFactor extends Error {}

export type RelyingParty = ReturnType<typeof relyingParty>;

/** Makes the server-side client of specification section 1. It sends no request before the first sign-in. */
export function relyingParty(options: RelyingPartyOptions) {
  let discovery: Promise<client.Configuration> | undefined;
  let checkLogoutToken: ReturnType<typeof logoutTokenCheck> | undefined;

  // Repeats a failed request at the next use, because the service may start after the application.
  function configuration(): Promise<client.Configuration> {
    discovery ??= discover(options).catch((error: unknown) => {
      discovery = undefined;
      throw error;
    });
    return discovery;
  }

  return {
    /** Step 1: makes the address of the sign-in for the browser. `language` is the person's language for the sign-in pages. */
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

    /** Steps 4 and 5: redeems the code and reads the claims. Throws openid-client's error for a refused, forged or expired response. */
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
      // The demand went through the browser, where the person could have removed it. So the ID token must confirm the second factor.
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

    /** Verifies a logout token and returns its content. Rejects with `InvalidLogoutToken`. */
    async verifyLogoutToken(token: string): Promise<LogoutToken> {
      const { issuer, jwks_uri, id_token_signing_alg_values_supported } = (await configuration()).serverMetadata();
      // The check is kept for the whole process, because it remembers the tokens that it has seen.
      checkLogoutToken ??= logoutTokenCheck({
        issuer,
        clientId: options.clientId,
        jwksUri: jwks_uri ?? '',
        // Only algorithms with a public key are accepted. With another algorithm, everybody who has the client's secret could make a token,
        // or everybody at all (`none`).
        algorithms: (id_token_signing_alg_values_supported ?? ['RS256']).filter((name) => /^(RS|PS|ES|Ed)/.test(name)),
      });
      return checkLogoutToken(token);
    },
  };
}

function discover(options: RelyingPartyOptions): Promise<client.Configuration> {
  const issuer = new URL(options.issuer);
  // A token response over plain http may be altered on its way, so the signature of the ID token is checked too.
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
  /** The person's id. Link your own records to it, never to the e-mail address. */
  uuid: string;
  /** Base address of the directory for this person. */
  apiUrl: string;
  currentWorkspaceId?: string;
  identities?: string[];
}

/** Finds the claim under any namespace. An application for one installation uses the full name instead. */
export function userInfoClaim(claims: Record<string, unknown>): UserInfoClaim {
  const name = Object.keys(claims).find((claim) => claim.endsWith('/userInfo'));
  if (!name) throw new Error('The ID token holds no {claim_ns}/userInfo claim: ask for the scope profile.');
  return claims[name] as UserInfoClaim;
}
