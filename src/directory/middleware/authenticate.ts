// Owns the door of the directory: an access token of a signed-in person, in the Authorization header, with the
// permissions that the resource needs (specification 4.4, 4.5, 5; RFC 6750; RFC 9449). Does not own whether a token holds.

import type { IncomingMessage } from 'node:http';
import { PROOF_ALGORITHMS } from '../../shared/crypto/proof-algorithms.ts';
import { RETRY_AFTER } from '../../store/database/transient-errors.ts';
import { LIMITS } from '../limits.ts';
import { Fault, fault } from './operation-outcome.ts';

/**
 * What is known of a token at this moment. `reason` is for the operator; the answer differs for `no-person` (a client's own
 * token, no user behind it), for `bound` (it came without a proof of its key) and `proof` (the proof does not hold, `detail`
 * says why).
 */
export type Introspection = Admitted | { active: false; reason: string; detail?: string };

/** A token that holds: whose it is, and what it permits. */
export interface Admitted {
  active: true;
  accountId: string;
  clientId: string;
  scopes: ReadonlySet<string>;
  /** Thumbprint of the key that the request proved to have, for a token that is bound to it. */
  boundTo?: string;
}

/**
 * Looks up the access token of a request; provided by the OpenID side. Rejects with a Fault to refuse the request, and with
 * anything else when the answer cannot be had.
 */
export type Introspect = (token: string, req: IncomingMessage) => Promise<Introspection>;

const CREDENTIALS = /^(?:Bearer|DPoP) +([A-Za-z0-9\-._~+/]+=*) *$/i;
const NO_SCOPES: ReadonlySet<string> = new Set();
const REALM = 'Bearer realm="directory"';
const DPOP = 'DPoP realm="directory"';
const ALGORITHMS = `algs="${PROOF_ALGORITHMS.join(' ')}"`;

/**
 * The scopes of the token in the Authorization header, among them all of the permissions. Where none is needed, nobody is
 * asked for a token.
 * @param further permissions that the request needs besides, for a refusal that names all at once; asked for then only
 * @throws Fault 401, 403, 503 when it cannot be told, and what `introspect` refuses
 */
export async function admit(
  req: IncomingMessage,
  introspect: Introspect,
  permissions: readonly string[],
  further: () => readonly string[] = () => [],
): Promise<ReadonlySet<string>> {
  if (permissions.length === 0) return NO_SCOPES;
  const { scopes } = await identify(req, introspect);
  if (permissions.some((permission) => !scopes.has(permission)))
    demand(scopes, [...new Set([...permissions, ...further()])]);
  return scopes;
}

/** Whose token stands in the Authorization header, and what it permits. Throws as `admit`, 403 for lacking scopes aside. */
export async function identify(req: IncomingMessage, introspect: Introspect): Promise<Admitted> {
  const token = tokenOf(req.headers.authorization);
  let found: Introspection;
  try {
    found = await introspect(token, req);
  } catch (cause) {
    throw cause instanceof Fault ? cause : unavailable(cause);
  }
  const dpop = isDpop(req.headers.authorization);
  if (!found.active) throw refusal(found, dpop);
  // A token goes by the scheme it was given for, whatever was looked up.
  if (dpop !== (found.boundTo !== undefined)) throw dpop ? invalidToken(true) : refusal({ reason: 'bound' }, false);
  return found;
}

/** Throws Fault 403, naming what lacks, unless all permissions are among the scopes. */
export function demand(scopes: ReadonlySet<string>, permissions: readonly string[], hint = ''): void {
  const lacking = permissions.filter((permission) => !scopes.has(permission));
  if (lacking.length > 0) throw insufficient(lacking, permissions, hint);
}

function tokenOf(header = ''): string {
  const token = CREDENTIALS.exec(header)?.[1];
  if (token !== undefined && token.length <= LIMITS.tokenLength) return token;
  // RFC 6750 section 3.1: no error code for a request that did not try.
  if (!/^(Bearer|DPoP)\b/i.test(header))
    throw fault(
      401,
      'login',
      'Send Authorization: Bearer <access token>. A token in the address or body is not read.',
      {
        headers: { 'WWW-Authenticate': `${REALM}, ${DPOP}, ${ALGORITHMS}` },
      },
    );
  throw invalidToken(isDpop(header));
}

function isDpop(header = ''): boolean {
  return /^DPoP\b/i.test(header);
}

function refusal({ reason, detail = '' }: { reason: string; detail?: string }, dpop: boolean): Fault {
  switch (reason) {
    case 'no-person':
      return withoutPerson();
    case 'bound':
      return fault(401, 'login', 'The access token is bound to a key: send Authorization: DPoP, with a DPoP proof.', {
        headers: { 'WWW-Authenticate': challenge(true, 'invalid_token', 'bound to a key') },
      });
    case 'proof':
      return fault(401, 'login', `The DPoP proof does not hold: ${detail}.`, {
        headers: { 'WWW-Authenticate': challenge(true, 'invalid_dpop_proof', detail) },
      });
    default:
      return invalidToken(dpop);
  }
}

function invalidToken(dpop: boolean): Fault {
  return fault(401, 'login', 'The access token is unknown, expired or revoked: obtain a new one by signing in.', {
    headers: { 'WWW-Authenticate': challenge(dpop, 'invalid_token', 'unknown, expired or revoked') },
  });
}

/** RFC 6750 section 3, RFC 9449 section 7.1. */
function challenge(dpop: boolean, error: string, description: string): string {
  const said = `error="${error}", error_description="${description}"`;
  return dpop ? `${DPOP}, ${said}, ${ALGORITHMS}` : `${REALM}, ${said}`;
}

function insufficient(lacking: readonly string[], permissions: readonly string[], hint: string): Fault {
  const named = `${lacking.length > 1 ? 'scopes' : 'scope'} ${lacking.join(' and ')}`;
  // RFC 6750 section 3: `scope` names all that the resource needs.
  return fault(403, 'forbidden', `The access token lacks the ${named}: request it in the authorization.${hint}`, {
    headers: { 'WWW-Authenticate': `${REALM}, error="insufficient_scope", scope="${permissions.join(' ')}"` },
  });
}

function withoutPerson(): Fault {
  const text =
    'The directory needs the access token of a signed-in person, not of a client alone: let a person sign in once with the scope offline_access, and renew with the refresh token.';
  return fault(403, 'forbidden', text, {
    headers: {
      'WWW-Authenticate': `${REALM}, error="insufficient_scope", error_description="no authenticated user"`,
    },
  });
}

function unavailable(cause: unknown): Fault {
  const refused = fault(503, 'transient', 'Access tokens cannot be checked at the moment: try again soon.', {
    headers: { 'Retry-After': RETRY_AFTER },
  });
  refused.cause = cause;
  return refused;
}
