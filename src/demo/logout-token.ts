// Verifies logout tokens (OpenID Connect Back-Channel Logout 1.0, section 2.6). Your application needs this part too.

import { createRemoteJWKSet, errors, type JWTPayload, jwtVerify } from 'jose';
import { LRUCache } from 'lru-cache';

const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
/** Seconds after which a token is too old, and by which clocks may differ. */
const OLDEST = 300;
const CLOCK_DIFFERENCE = 30;

/** A token that was verified. */
export interface LogoutToken {
  header: Record<string, unknown>;
  claims: JWTPayload & { iat: number; exp: number; sid?: string };
}

/** The token is invalid, so nothing may be ended because of it. */
export class InvalidLogoutToken extends Error {}

interface LogoutTokenIssuer {
  issuer: string;
  clientId: string;
  /** Address of the public keys, from the discovery document. */
  jwksUri: string;
  algorithms: readonly string[];
}

/** Makes the check for one client. It rejects with `InvalidLogoutToken`, or with the error that kept it from reading the public keys. */
export function logoutTokenCheck({ issuer, clientId, jwksUri, algorithms }: LogoutTokenIssuer) {
  const keys = createRemoteJWKSet(new URL(jwksUri));
  /** Tokens that were received, kept for longer than they are valid. An application with several processes shares them. */
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

/** Checks whether an error is about the token itself. If the keys could not be read, the token may be sent again. */
function isAboutToken(error: unknown): boolean {
  return (
    error instanceof errors.JOSEError && error.code !== 'ERR_JOSE_GENERIC' && !(error instanceof errors.JWKSTimeout)
  );
}
