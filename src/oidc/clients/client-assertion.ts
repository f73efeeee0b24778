// Limits of a client assertion (private_key_jwt) beyond the library's checks (RFC 7523 section 3, SEC-61).

import { errors, type KoaContextWithOIDC } from 'oidc-provider';
import { epochSeconds } from '../../store/database/connection.ts';
import { CLOCK_TOLERANCE } from '../clock.ts';

/** Seconds that an assertion may still live. */
const MAX_LIFETIME = 3600;

/**
 * The library's `assertJwtClientAuthClaimsAndHeader`. An assertion is remembered until it expires, so that it is good once: it
 * has to expire soon.
 */
export async function checkClientAssertion(
  _ctx: KoaContextWithOIDC,
  { exp, iat }: { exp?: unknown; iat?: unknown },
): Promise<void> {
  const now = epochSeconds();
  if (Number(exp) - now > MAX_LIFETIME) {
    throw new errors.InvalidClientAuth(`the client_assertion may live for ${MAX_LIFETIME} seconds at most`);
  }
  // The library checks it only where there is no `exp`.
  if (typeof iat === 'number' && iat - now > CLOCK_TOLERANCE) {
    throw new errors.InvalidClientAuth('the iat of the client_assertion is in the future: set the clock of the client');
  }
}
