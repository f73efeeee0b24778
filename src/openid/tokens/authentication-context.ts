// The authentication context of a sign-in (`acr`, `amr`, `auth_time`): the values that this service uses, and the `acr` value that a
// request insists on (OpenID Connect Core section 5.5.1.1, RFC 8176, RFC 9470). `provider/prompts/second-factor-demand.ts` decides which
// requests demand a second factor.

import {
  type AccessToken,
  type Adapter,
  type ClientCredentials,
  errors,
  type KoaContextWithOIDC,
  Provider,
} from 'oidc-provider';
import { AUTHENTICATION_CLAIMS } from '#openid/clients/client-registry.ts';
import type { SignInMethod } from '#shared/sign-in-methods.ts';

/**
 * The `acr` of a sign-in with only a password, which is sent by TLS (SAML 2.0 Authentication Context, section 3.4.3). This value says
 * nothing about how the person's identity was proved.
 */
export const PASSWORD_ACR = 'urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport';
/** The `acr` of a sign-in with a passkey, or with a password and a second, independent factor: the REFEDS MFA profile. */
export const SECOND_FACTOR_ACR = 'https://refeds.org/profile/mfa';
export const ACR_VALUES: readonly string[] = [PASSWORD_ACR, SECOND_FACTOR_ACR];

/**
 * Returns the `acr` and `amr` of a sign-in, which the library keeps with the session (RFC 8176). A passkey with user verification is two
 * factors by itself: a key that only its holder has (`pop`), unlocked by something that the holder knows or is (`user`, `mfa`). Nothing
 * proves that the key is in hardware, so neither `hwk` nor `swk` is claimed.
 */
export function authenticationContext(methods: readonly SignInMethod[]): { acr: string; amr: string[] } {
  const [otp, passkey] = [methods.includes('otp'), methods.includes('passkey')];
  const password = methods.includes('password') || otp;
  const amr = [...(password ? ['pwd'] : []), ...(otp ? ['otp'] : []), ...(passkey ? ['pop', 'user'] : [])];
  return otp || passkey ? { acr: SECOND_FACTOR_ACR, amr: [...amr, 'mfa'] } : { acr: PASSWORD_ACR, amr };
}

/**
 * The `acr` values that each kind of sign-in satisfies. A sign-in with two factors also satisfies a client that insists on a password, even
 * if it was a sign-in by passkey.
 */
const IMPLIED: Readonly<Record<string, readonly string[]>> = {
  [PASSWORD_ACR]: [PASSWORD_ACR],
  [SECOND_FACTOR_ACR]: [SECOND_FACTOR_ACR, PASSWORD_ACR],
};

/** The member `claims.id_token.acr` of a request. Its values may be anything, because they come from the client. */
interface WantedAcr {
  essential?: unknown;
  value?: unknown;
  values?: unknown;
}

/** Returns the `acr` that is reported to a client that asks for these values; undefined if the sign-in does not satisfy the client. */
export function reportedAcr(acr: string, { value, values }: WantedAcr): string | undefined {
  return IMPLIED[acr]?.find(
    (name) =>
      (value === undefined || value === null || value === name) && (!Array.isArray(values) || values.includes(name)),
  );
}

/**
 * Throws `unmet_authentication_requirements` (OpenID Connect Core Error Code unmet_authentication_requirements 1.0) if no sign-in can have
 * any of the essential `acr` values, because the library would ask for the password again and again. Throws `invalid_request` if `values`
 * has an invalid form, because the library would ignore it and the client would get less than it insists on.
 */
export function refuseUnreachable(acr: unknown): void {
  if (typeof acr !== 'object' || acr === null) return;
  const wanted: WantedAcr = acr;
  if (!wanted.essential) return;
  if (wanted.values !== undefined && wanted.values !== null && !Array.isArray(wanted.values)) {
    throw new errors.InvalidRequest('claims.id_token.acr.values should be an array');
  }
  if (ACR_VALUES.some((acr) => reportedAcr(acr, wanted) !== undefined)) return;
  throw new errors.CustomOIDCProviderError(
    'unmet_authentication_requirements',
    `none of the essential acr values can be reached: this service supports ${ACR_VALUES.join(' ')}`,
  );
}

/** Returns `claims.id_token.acr` of a request. The argument is the parameter `claims`, in JSON. */
export function wantedAcr(claims: unknown): WantedAcr {
  if (typeof claims !== 'string') return {};
  // The library has already checked that the parameter is JSON.
  const parsed = JSON.parse(claims) as { id_token?: { acr?: WantedAcr | null } };
  return parsed.id_token?.acr ?? {};
}

/**
 * Wraps the adapter of authorization codes, so that a code stores the `acr` that is reported to the client. If an essential `acr` names
 * only a password, a sign-in with two factors satisfies the client, but must be reported as one of the essential values (OpenID Connect
 * Core section 5.5.1.1).
 */
export function reportingAcr(adapter: Adapter): Adapter {
  return {
    ...adapter,
    upsert: (id, payload, expiresIn) => {
      // The parameter is read again, because in `oidc.claims` the library has replaced the `acr` by the `acr_values` of the request.
      const wanted = wantedAcr(Provider.ctx?.oidc.params?.['claims']);
      const acr = wanted.essential ? reportedAcr(String(payload['acr']), wanted) : undefined;
      return adapter.upsert(id, acr === undefined ? payload : { ...payload, acr }, expiresIn);
    },
  };
}

/**
 * Adds `acr`, `amr` and `auth_time` to the requested claims if the client has `authenticationClaims`. The library keeps the requested
 * claims, so ID tokens from a refresh have these claims too.
 */
export function addAuthenticationClaims({ oidc: { client, params } }: KoaContextWithOIDC): void {
  if (!client?.[AUTHENTICATION_CLAIMS] || !params) return;
  const claims = JSON.parse(String(params['claims'] ?? '{}')) as { id_token?: object };
  const asked = { acr: null, amr: null, auth_time: null, ...claims.id_token };
  params['claims'] = JSON.stringify({ ...claims, id_token: asked });
}

/**
 * Makes the claim `auth_time` of a new access token, which introspection reports (RFC 9470 section 6.2). The library itself puts
 * `auth_time` only into codes and refresh tokens. Returns undefined for a token without a person.
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
