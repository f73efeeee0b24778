// Checks client assertions (private_key_jwt) more strictly than the library does (RFC 7523 section 3, SEC-61). Also defines the tolerance
// for clocks of other machines.

import { decodeJwt } from 'jose';
import { errors, type KoaContextWithOIDC } from 'oidc-provider';
import { epochSeconds } from '#store/database/connection.ts';
import { ASSERTION_AUDIENCE } from './client-registry.ts';
import { algorithmsOfClient, isFapi2 } from './fapi2-algorithms.ts';

/**
 * Maximum difference in seconds between our clock and that of another machine (SEC-50). Other machines are the clients, which put times
 * into everything that they sign, and other instances of the service.
 */
export const CLOCK_TOLERANCE = 15;

/**
 * Returns the `typ` of a JWT in a normal form. It is a media type: its case is ignored, and its `application/` may be left out (RFC 7515
 * section 4.1.9).
 */
export const typeOf = ({ typ }: { typ?: unknown }): unknown =>
  typeof typ === 'string' ? typ.toLowerCase().replace(/^application\//, '') : typ;

/**
 * Maximum number of characters of an assertion. It is large enough for a certificate chain. It is so small that JSON of this length cannot
 * be nested deeply enough to overflow the stack when the library copies the claims.
 */
const MAX_LENGTH = 8192;
/** Maximum number of seconds until an assertion expires. */
const MAX_LIFETIME = 3600;

/**
 * Refuses an assertion that is too long. Called when the library looks up the client, which is before the library copies the claims. Throws
 * `invalid_client`.
 */
export function refuseLongAssertion(ctx: KoaContextWithOIDC | undefined): void {
  const sent = ctx?.oidc?.params?.['client_assertion'];
  if (typeof sent !== 'string' || sent.length <= MAX_LENGTH) return;
  throw new errors.InvalidClientAuth(`the client_assertion may have ${MAX_LENGTH} characters at most`);
}

/**
 * The implementation of the library's option `assertJwtClientAuthClaimsAndHeader`. The library calls it at every endpoint that
 * authenticates clients, after it has verified the signature, `iss`, `sub`, `exp` and `jti`. This function also refuses an assertion that
 * expires late: an assertion is valid only once, so the service must remember each one until it expires. Throws `invalid_client`.
 */
export async function checkClientAssertion(
  ctx: KoaContextWithOIDC,
  { aud, exp, iat, response_type }: { aud?: unknown; exp?: unknown; iat?: unknown; response_type?: unknown },
  header: { alg?: unknown; typ?: unknown },
): Promise<void> {
  // A client must not authenticate with a request object, because others can see request objects in the address of the browser (RFC 9101
  // section 10.8).
  if (response_type !== undefined || typeOf(header) === 'oauth-authz-req+jwt') {
    throw new errors.InvalidClientAuth('the client_assertion is a request object');
  }
  // The library would also accept addresses of endpoints, or a list of addresses, as `aud`. Then another authorization server that the
  // client uses could make the client sign an assertion that is valid here (CVE-2025-27370; FAPI 2.0 Security Profile section 5.3.2.1).
  const { issuer, client } = ctx.oidc;
  const isTokenEndpoint = client?.[ASSERTION_AUDIENCE] === 'token-endpoint' && aud === ctx.oidc.urlFor('token');
  if (aud !== issuer && !isTokenEndpoint) throw new errors.InvalidClientAuth(expectedAudience(ctx));
  const algorithms = algorithmsOfClient(client);
  if (!algorithms.includes(String(header.alg))) {
    throw new errors.InvalidClientAuth(
      `the client_assertion of this client is signed by ${algorithms.join(', ')} only`,
    );
  }
  const now = epochSeconds();
  if (Number(exp) - now > MAX_LIFETIME) {
    throw new errors.InvalidClientAuth(`the client_assertion may live for ${MAX_LIFETIME} seconds at most`);
  }
  // This check is needed because the library checks `iat` only if the assertion has no `exp`.
  if (typeof iat === 'number' && iat - now > CLOCK_TOLERANCE) {
    throw new errors.InvalidClientAuth('the iat of the client_assertion is in the future: set the clock of the client');
  }
}

/**
 * Returns a sentence about an assertion that has expired or is not valid yet; undefined for any other text. The signature is not verified,
 * so the sentence tells nothing about the keys of the client.
 */
export function timeProblem(assertion: string): string | undefined {
  try {
    const { exp, nbf } = decodeJwt(assertion);
    const now = epochSeconds();
    if (Number(exp) <= now - CLOCK_TOLERANCE) {
      return 'the client_assertion is expired: sign one for each request, and set the clock of the client';
    }
    return Number(nbf) > now + CLOCK_TOLERANCE
      ? 'the client_assertion is of a time to come: set the clock of the client'
      : undefined;
  } catch {
    return undefined;
  }
}

/** Returns a text which says which `aud` an assertion of this client must have. It depends on `assertionAudience`. */
export function expectedAudience({ oidc }: KoaContextWithOIDC): string {
  const { client, issuer } = oidc;
  const words = `the aud of the client_assertion has to be the issuer, ${issuer},`;
  if (client?.[ASSERTION_AUDIENCE])
    return `${words} or ${oidc.urlFor('token')}, as one string: no other address, no list`;
  const setting = '; assertionAudience: token-endpoint of its entry in clients.yaml permits that endpoint too';
  return `${words} as one string: no endpoint, no list${isFapi2(client) ? '' : setting}`;
}
