// Authenticates the access token of a request (specification 4.4 and 5; RFC 6750; RFC 9449). A request without a valid token is answered
// 401.

import type { IncomingMessage } from 'node:http';
import type { RequestHandler, Response } from 'express';
import { FhirError, fhirError, refusalForNow } from '#directory/errors.ts';
import { LIMITS } from '#directory/limits.ts';
import { onBehalfOf } from '#search-index/index.ts';
import { PROOF_ALGORITHMS } from '#shared/crypto/json-web-keys.ts';
import { RETRY_SECONDS } from '#store/database/transient-errors.ts';

/**
 * The state of a token at this moment. For a token that is not active, `reason` tells the operator why. Three reasons also change the
 * response to the client: `no-person` (a client's own token, which has no user), `bound` (the request did not prove that it has the key of
 * the token) and `proof` (the proof of the key is invalid; `detail` says why).
 */
export type Introspection = ActiveToken | { active: false; reason: string; detail?: string };

/** A valid token. */
export interface ActiveToken {
  active: true;
  /**
   * The signed-in person. Undefined for a client's own token; such a token is valid only if the client may use the directory without a
   * person.
   */
  accountId?: string;
  /** Id of the visitor's grant, which distinguishes the visitors of a public account that many people share. */
  visitor?: string;
  clientId: string;
  scopes: ReadonlySet<string>;
  /** Thumbprint of the key that the token is bound to. The request has proved that it has this key. */
  boundTo?: string;
}

/**
 * Looks up the access token of a request (`openid/tokens/introspection.ts`). It rejects with a FhirError to refuse the request, and with
 * any other error if tokens cannot be looked up.
 */
export type Introspect = (token: string, req: IncomingMessage) => Promise<Introspection>;

/** Matches a header Authorization that has a token. A token anywhere else in the request is ignored (SEC-19). */
const CREDENTIALS = /^(?:Bearer|DPoP) +([A-Za-z0-9\-._~+/]+=*) *$/i;
export const REALM = 'Bearer realm="directory"';
const DPOP = 'DPoP realm="directory"';
const ALGORITHMS = `algs="${PROOF_ALGORITHMS.join(' ')}"`;

/**
 * Makes the middleware. It answers 401 to a request without a valid token, 403 to a client's own token that the client may not use here,
 * and 503 if tokens cannot be looked up. A FhirError of `introspect` is answered unchanged.
 * @param usedWithoutPerson called for every request that a client makes with a token of its own
 */
export function authenticate(introspect: Introspect, usedWithoutPerson?: (clientId: string) => void): RequestHandler {
  return async (req, res, next) => {
    const token = await authenticated(req, introspect);
    res.locals['token'] = token;
    if (token.accountId === undefined) usedWithoutPerson?.(token.clientId);
    // The searches of this request wait in the queue of this caller (`search-index/threads/job-queue.ts`).
    onBehalfOf({ group: callerOf(token), member: personOf(token) ?? '' }, next);
  };
}

/**
 * Names the caller of a request. Each caller has its own budget of requests, its own limit of downloads, and its own queue for searches. An
 * application and all its users are one caller. Requests with the application's own token are a second caller.
 */
export function callerOf({ clientId, accountId }: Pick<ActiveToken, 'clientId' | 'accountId'>): string {
  // A client_id contains no blank, so this name cannot be the client_id of another client.
  return accountId === undefined ? `${clientId} itself` : clientId;
}

/** The person (or visitor) who shares the caller's budget with the other people of that caller; undefined for a token without a person. */
export function personOf({ accountId, visitor }: ActiveToken): string | undefined {
  return visitor ?? accountId;
}

/** The token that `authenticate` accepted; undefined on routes without `authenticate`. */
export function tokenOf(res: Response): ActiveToken | undefined {
  return res.locals['token'] as ActiveToken | undefined;
}

async function authenticated(req: IncomingMessage, introspect: Introspect): Promise<ActiveToken> {
  const { authorization } = req.headers;
  const token = credentials(authorization);
  let found: Introspection;
  try {
    found = await introspect(token, req);
  } catch (cause) {
    throw cause instanceof FhirError ? cause : unavailable(cause);
  }
  const dpop = isDpop(authorization);
  if (!found.active) throw refusal(found, dpop);
  // A token that is bound to a key must be sent with the scheme DPoP, and any other token with the scheme Bearer.
  if (dpop !== (found.boundTo !== undefined)) throw dpop ? invalidToken(true) : refusal({ reason: 'bound' }, false);
  return found;
}

function credentials(header = ''): string {
  const token = CREDENTIALS.exec(header)?.[1];
  if (token !== undefined && token.length <= LIMITS.tokenLength) return token;
  // RFC 6750 section 3.1: a request without a token is answered without an error code.
  if (!/^(Bearer|DPoP)\b/i.test(header))
    throw unauthorized(
      'Send Authorization: Bearer, a blank and the access token. One in the address or body is not read.',
      `${REALM}, ${DPOP}, ${ALGORITHMS}`,
    );
  throw invalidToken(isDpop(header));
}

function isDpop(header = ''): boolean {
  return /^DPoP\b/i.test(header);
}

function refusal({ reason, detail = '' }: { reason: string; detail?: string }, dpop: boolean): FhirError {
  switch (reason) {
    case 'no-person':
      return withoutPerson();
    case 'bound':
      return unauthorized(
        'The access token is bound to a key: send Authorization: DPoP, with a DPoP proof.',
        challenge(true, 'invalid_token', 'bound to a key'),
      );
    case 'proof':
      return unauthorized(`The DPoP proof does not hold: ${detail}.`, challenge(true, 'invalid_dpop_proof', detail));
    default:
      return invalidToken(dpop);
  }
}

function invalidToken(dpop: boolean): FhirError {
  return unauthorized(
    'The access token is unknown, expired or revoked, or is none, such as an ID token: obtain an access token by signing in.',
    challenge(dpop, 'invalid_token', 'unknown, expired or revoked'),
  );
}

function unauthorized(text: string, challenge: string): FhirError {
  return fhirError(401, 'login', text, { headers: { 'WWW-Authenticate': challenge } });
}

/** Returns the value of the header WWW-Authenticate (RFC 6750 section 3, RFC 9449 section 7.1). */
function challenge(dpop: boolean, error: string, description: string): string {
  const parameters = `error="${error}", error_description="${description}"`;
  return dpop ? `${DPOP}, ${parameters}, ${ALGORITHMS}` : `${REALM}, ${parameters}`;
}

function withoutPerson(): FhirError {
  const text =
    'The directory needs the access token of a signed-in person, not of a client alone: let a person sign in once with the scope offline_access, and renew with the refresh token; or have the operator of this service write directoryAccess: true for the client.';
  return fhirError(403, 'forbidden', text, {
    headers: {
      'WWW-Authenticate': `${REALM}, error="insufficient_scope", error_description="no authenticated user"`,
    },
  });
}

function unavailable(cause: unknown): FhirError {
  const refused = refusalForNow(503, RETRY_SECONDS, 'Access tokens cannot be checked at the moment: try again soon.');
  refused.cause = cause;
  return refused;
}
