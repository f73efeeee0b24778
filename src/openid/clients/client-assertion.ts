// Limits of a client assertion (private_key_jwt) beyond the library's checks (RFC 7523 section 3, SEC-61), and the tolerance for other
// clocks.

import { errors, type KoaContextWithOIDC } from 'oidc-provider';
import { epochSeconds } from '#store/database/connection.ts';
import { ASSERTION_AUDIENCE } from './client-registry.ts';
import { algorithmsOfClient, isFapi2 } from './fapi2.ts';

/**
 * Maximum difference in seconds between other clocks and ours (SEC-50): those of clients, which put times into all that they sign, and
 * those of other instances of the service.
 */
export const CLOCK_TOLERANCE = 15;

/** The `typ` of a JWT, a media type. Case does not matter, and `application/` may be left out (RFC 7515 section 4.1.9). */
export const typeOf = ({ typ }: { typ?: unknown }): unknown =>
  typeof typ === 'string' ? typ.toLowerCase().replace(/^application\//, '') : typ;

/**
 * Maximum characters. They suffice for a certificate chain. JSON of this length cannot be nested so deeply that the library's copy of the
 * claims overflows the stack.
 */
const MAX_LENGTH = 8192;
/** Maximum seconds until an assertion expires. */
const MAX_LIFETIME = 3600;

/**
 * Refuses a long assertion when the library looks up the client, because the library later copies the claims before it checks them. Throws
 * `invalid_client`.
 */
export function refuseLongAssertion(ctx: KoaContextWithOIDC | undefined): void {
  const sent = ctx?.oidc?.params?.['client_assertion'];
  if (typeof sent !== 'string' || sent.length <= MAX_LENGTH) return;
  throw new errors.InvalidClientAuth(`the client_assertion may have ${MAX_LENGTH} characters at most`);
}

/**
 * The library's `assertJwtClientAuthClaimsAndHeader`. The library calls it at every endpoint that authenticates clients, after it has
 * verified signature, `iss`, `sub`, `exp` and `jti`. An assertion is valid once and remembered until it expires, so one that expires late
 * is refused. Throws `invalid_client`.
 */
export async function checkClientAssertion(
  ctx: KoaContextWithOIDC,
  { aud, exp, iat, response_type }: { aud?: unknown; exp?: unknown; iat?: unknown; response_type?: unknown },
  header: { alg?: unknown; typ?: unknown },
): Promise<void> {
  // A request object can be seen in an address, so nobody may use it to authenticate as the client (RFC 9101 section 10.8).
  if (response_type !== undefined || typeOf(header) === 'oauth-authz-req+jwt') {
    throw new errors.InvalidClientAuth('the client_assertion is a request object');
  }
  // The library also accepts the addresses of endpoints and lists as `aud`. Then another server of this client could make it sign an
  // assertion that is valid here (CVE-2025-27370; FAPI 2.0 Security Profile section 5.3.2.1).
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
  // The library checks `iat` only if there is no `exp`.
  if (typeof iat === 'number' && iat - now > CLOCK_TOLERANCE) {
    throw new errors.InvalidClientAuth('the iat of the client_assertion is in the future: set the clock of the client');
  }
}

/** Says which `aud` an assertion of this client must have (`assertionAudience`). */
export function expectedAudience({ oidc }: KoaContextWithOIDC): string {
  const { client, issuer } = oidc;
  const words = `the aud of the client_assertion has to be the issuer, ${issuer},`;
  if (client?.[ASSERTION_AUDIENCE])
    return `${words} or ${oidc.urlFor('token')}, as one string: no other address, no list`;
  const setting = '; assertionAudience: token-endpoint of its entry in clients.yaml permits that endpoint too';
  return `${words} as one string: no endpoint, no list${isFapi2(client) ? '' : setting}`;
}
