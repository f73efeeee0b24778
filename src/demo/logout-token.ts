// Verifies logout tokens (OpenID Connect Back-Channel Logout 1.0, section 2.6). Your application needs this part too.

import { createRemoteJWKSet, errors, type JWTPayload, jwtVerify } from 'jose';
import { LRUCache } from 'lru-cache';

const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
/** Maximum age of a token, and maximum difference between clocks, in seconds. */
const OLDEST = 300;
const CLOCK_DIFFERENCE = 30;

/** A verified token. */
export interface LogoutToken {
  header: Record<string, unknown>;
  claims: JWTPayload & { iat: number; exp: number; sid?: string };
}

/** Thrown for an invalid token. It must not end anything. */
export class InvalidLogoutToken extends Error {}

interface LogoutTokenIssuer {
  issuer: string;
  clientId: string;
  /** Address of the public keys, from the discovery document. */
  jwksUri: string;
  algorithms: readonly string[];
}

/** Makes the check for one client. The check rejects with `InvalidLogoutToken`, or with the error of a request for the public keys. */
export function logoutTokenCheck({ issuer, clientId, jwksUri, algorithms }: LogoutTokenIssuer) {
  const keys = createRemoteJWKSet(new URL(jwksUri));
  /** Tokens that were received, kept for longer than they are valid. The processes of an application share them. */
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

/** Checks whether the token itself is wrong. If the keys could not be read, the service may send the token again. */
function isAboutToken(error: unknown): boolean {
  return (
    error instanceof errors.JOSEError && error.code !== 'ERR_JOSE_GENERIC' && !(error instanceof errors.JWKSTimeout)
  );
}
