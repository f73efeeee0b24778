// The sign-in behind a token: its time, and whether it is still valid (SEC-55).

import type { AccessToken, ClientCredentials, KoaContextWithOIDC } from 'oidc-provider';
import { isSignInValid } from '#store/accounts/end-sessions.ts';
import type { TokenContext } from '#store/oidc/token-lookup.ts';

/**
 * Makes the claims of a new access token. Introspection reports `auth_time` from there (RFC 9470 section 6.2). The library itself puts it
 * into codes and refresh tokens.
 */
export function signInClaims(
  { oidc }: KoaContextWithOIDC,
  token: AccessToken | ClientCredentials,
): { auth_time: number } | undefined {
  if (token.kind !== 'AccessToken') return undefined;
  const { AuthorizationCode: code, RefreshToken: refreshToken } = oidc.entities;
  const authTime = code?.authTime ?? refreshToken?.authTime;
  return authTime === undefined ? undefined : { auth_time: authTime };
}

/** Checks whether the sign-in behind a code or token is still valid. Returns true for a token without a person. */
export function hasValidSignIn({ token, account }: Pick<TokenContext, 'token' | 'account'>): boolean {
  if (!account) return true;
  const { auth_time: ofAccessToken } = (token['extra'] ?? {}) as { auth_time?: number };
  // An access token of an earlier release has only the time when it was issued, which then takes the place of the sign-in's.
  const signedInAt = token['authTime'] ?? ofAccessToken ?? token['iat'];
  return isSignInValid(account, Number(signedInAt), token.sessionUid);
}
