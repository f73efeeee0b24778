// Authenticates the access token of a request (specification 4.4 and 5; RFC 6750; RFC 9449). Answers 401 without a valid one.

import type { IncomingMessage } from 'node:http';
import type { RequestHandler, Response } from 'express';
import { FhirError, fhirError, refusalForNow } from '#directory/errors.ts';
import { LIMITS } from '#directory/limits.ts';
import { onBehalfOf } from '#search-index/index.ts';
import { PROOF_ALGORITHMS } from '#shared/crypto/json-web-keys.ts';
import { RETRY_SECONDS } from '#store/database/transient-errors.ts';

/**
 * State of a token at this moment. `reason` is for the operator. Three reasons change the response: `no-person` (a client's own token,
 * without a user), `bound` (the token came without a proof of its key) and `proof` (the proof is invalid because of `detail`).
 */
export type Introspection = ActiveToken | { active: false; reason: string; detail?: string };

/** A valid token. */
export interface ActiveToken {
  active: true;
  /** The signed-in person; undefined for a client's own token that may be used here. */
  accountId?: string;
  /** Distinguishes the visitors of an account that everybody shares. */
  visitor?: string;
  clientId: string;
  scopes: ReadonlySet<string>;
  /** Thumbprint of the key that the request proved to have, for a token that is bound to it. */
  boundTo?: string;
}

/**
 * Looks up the access token of a request; provided by the OpenID side. Rejects with a FhirError to refuse the request, and with
 * anything else when tokens cannot be looked up.
 */
export type Introspect = (token: string, req: IncomingMessage) => Promise<Introspection>;

/** A token is taken from the header alone (SEC-19). */
const CREDENTIALS = /^(?:Bearer|DPoP) +([A-Za-z0-9\-._~+/]+=*) *$/i;
export const REALM = 'Bearer realm="directory"';
const DPOP = 'DPoP realm="directory"';
const ALGORITHMS = `algs="${PROOF_ALGORITHMS.join(' ')}"`;

/**
 * Middleware: 401, 403 for a token without a person, 503 when tokens cannot be looked up, and what `introspect` refuses.
 * @param usedWithoutPerson called for every request that a client makes with a token of its own
 */
export function authenticate(introspect: Introspect, usedWithoutPerson?: (clientId: string) => void): RequestHandler {
  return async (req, res, next) => {
    const token = await authenticated(req, introspect);
    res.locals['token'] = token;
    if (token.accountId === undefined) usedWithoutPerson?.(token.clientId);
    onBehalfOf({ group: callerOf(token), member: personOf(token) ?? '' }, next);
  };
}

/**
 * The caller that shares a budget, downloads and search turns: an application with all its people. Requests with the application's own
 * token count apart.
 */
export function callerOf({ clientId, accountId }: Pick<ActiveToken, 'clientId' | 'accountId'>): string {
  // No client_id has a blank, so that this is the name of no other client.
  return accountId === undefined ? `${clientId} itself` : clientId;
}

/** The person that gets a share of that budget; undefined for a token without a person. */
export function personOf({ accountId, visitor }: ActiveToken): string | undefined {
  return visitor ?? accountId;
}

/** The token that `authenticate` accepted; undefined on routes without it. */
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
  // A bound token is valid with the scheme DPoP only, any other token with Bearer only.
  if (dpop !== (found.boundTo !== undefined)) throw dpop ? invalidToken(true) : refusal({ reason: 'bound' }, false);
  return found;
}

function credentials(header = ''): string {
  const token = CREDENTIALS.exec(header)?.[1];
  if (token !== undefined && token.length <= LIMITS.tokenLength) return token;
  // RFC 6750 section 3.1: a request without a token gets no error code.
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
    'The access token is unknown, expired or revoked: obtain a new one by signing in.',
    challenge(dpop, 'invalid_token', 'unknown, expired or revoked'),
  );
}

function unauthorized(text: string, challenge: string): FhirError {
  return fhirError(401, 'login', text, { headers: { 'WWW-Authenticate': challenge } });
}

/** RFC 6750 section 3, RFC 9449 section 7.1. */
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
