// Verifies logout tokens (OpenID Connect Back-Channel Logout 1.0, section 2.6). An application that receives them needs code like this.

import { createRemoteJWKSet, errors, type JWTPayload, jwtVerify } from 'jose';
import { LRUCache } from 'lru-cache';

const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
/** Maximum age of a logout token in seconds (`OLDEST`), and maximum difference between the clocks of service and application in seconds. */
const OLDEST = 300;
const CLOCK_DIFFERENCE = 30;

/** A verified logout token. */
export interface LogoutToken {
  header: Record<string, unknown>;
  claims: JWTPayload & { iat: number; exp: number; sid?: string };
}

/** Thrown for an invalid logout token. The application must not end a session because of such a token. */
export class InvalidLogoutToken extends Error {}

interface LogoutTokenIssuer {
  issuer: string;
  clientId: string;
  /** Address of the service's public keys, from the discovery document. */
  jwksUri: string;
  algorithms: readonly string[];
}

/**
 * Returns a function that verifies the logout tokens for one client. It throws `InvalidLogoutToken` for an invalid token. If the request
 * for the public keys fails, it throws the error of that request.
 */
export function logoutTokenCheck({ issuer, clientId, jwksUri, algorithms }: LogoutTokenIssuer) {
  const keys = createRemoteJWKSet(new URL(jwksUri));
  /**
   * The `jti` of each token that was received, so that no token is accepted twice. It is kept for longer than a token is valid. In an
   * application with several processes, all processes must share this list.
   */
  const received = new LRUCache<string, true>({
    maxSize: 10_000,
    sizeCalculation: () => 1,
    ttl: 2 * (OLDEST + CLOCK_DIFFERENCE) * 1000,
  });

  return async (token: string): Promise<LogoutToken> => {
    const { payload, protectedHeader } = await jwtVerify(token, keys, {
      issuer,
      audience: clientId,
      algorithms: [...algorithms],
      typ: 'logout+jwt',
      requiredClaims: ['iat', 'exp', 'jti', 'events'],
      maxTokenAge: OLDEST,
      clockTolerance: CLOCK_DIFFERENCE,
    }).catch((error: unknown) => {
      throw isAboutToken(error) ? new InvalidLogoutToken((error as Error).message) : error;
    });
    const { sub, sid, events, jti = '' } = payload;
    const refuse = (reason: string): never => {
      throw new InvalidLogoutToken(reason);
    };
    if (typeof (events as Record<string, unknown> | null)?.[EVENT] !== 'object') refuse('it is about another event');
    if (sub === undefined && typeof sid !== 'string') refuse('it names neither a person nor a session');
    if ('nonce' in payload) refuse('it has a nonce, as ID tokens have');
    if (received.has(jti)) refuse('it was received before');
    received.set(jti, true);
    return { header: { ...protectedHeader }, claims: payload as LogoutToken['claims'] };
  };
}

/**
 * Returns true if the token itself is invalid, and false if the public keys could not be read. In the second case, the service may send the
 * token again.
 */
function isAboutToken(error: unknown): boolean {
  return (
    error instanceof errors.JOSEError && error.code !== 'ERR_JOSE_GENERIC' && !(error instanceof errors.JWKSTimeout)
  );
}
