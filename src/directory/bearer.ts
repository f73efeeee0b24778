// Owns the door of the directory: an access token of a signed-in person, in the Authorization header, with the
// permission that the resource needs (specification 4.4, 4.5, 5; RFC 6750). Does not own whether a token holds.

import { LIMITS } from './limits.ts';
import { type Fault, fault } from './outcome.ts';

/**
 * What is known of a token at this moment. `reason` is for the operator; only `no-person` (a client's own token, no
 * user behind it) changes the answer.
 */
export type Introspection =
  | { active: true; accountId: string; clientId: string; scopes: ReadonlySet<string> }
  | { active: false; reason: string };

/** Looks an access token up; provided by the OpenID side. Rejects when the answer cannot be had. */
export type Introspect = (token: string) => Promise<Introspection>;

const CREDENTIALS = /^Bearer +([A-Za-z0-9\-._~+/]+=*) *$/i;
const REALM = 'Bearer realm="directory"';

/** Throws unless the Authorization header holds a token with the permission: Fault 401, 403, 503 when it cannot be told. */
export async function admit(
  authorization: string | undefined,
  introspect: Introspect,
  permission: string,
): Promise<void> {
  const token = tokenOf(authorization);
  let found: Introspection;
  try {
    found = await introspect(token);
  } catch (cause) {
    throw unavailable(cause);
  }
  if (!found.active) throw found.reason === 'no-person' ? withoutPerson() : invalidToken();
  if (!found.scopes.has(permission)) throw insufficient(permission);
}

function tokenOf(header = ''): string {
  const token = CREDENTIALS.exec(header)?.[1];
  if (token !== undefined && token.length <= LIMITS.tokenLength) return token;
  // RFC 6750 section 3.1: no error code for a request that did not try.
  if (!/^Bearer\b/i.test(header))
    throw fault(
      401,
      'login',
      'Send Authorization: Bearer <access token>. A token in the address or body is not read.',
      {
        headers: { 'WWW-Authenticate': REALM },
      },
    );
  throw invalidToken();
}

function invalidToken(): Fault {
  return fault(401, 'login', 'The access token is unknown, expired or revoked: obtain a new one by signing in.', {
    headers: {
      'WWW-Authenticate': `${REALM}, error="invalid_token", error_description="unknown, expired or revoked"`,
    },
  });
}

function insufficient(permission: string): Fault {
  return fault(403, 'forbidden', `The access token lacks the scope ${permission}: request it in the authorization.`, {
    headers: { 'WWW-Authenticate': `${REALM}, error="insufficient_scope", scope="${permission}"` },
  });
}

function withoutPerson(): Fault {
  return fault(403, 'forbidden', 'The directory needs the access token of a signed-in person, not of a client alone.', {
    headers: {
      'WWW-Authenticate': `${REALM}, error="insufficient_scope", error_description="no authenticated user"`,
    },
  });
}

function unavailable(cause: unknown): Fault {
  const refused = fault(503, 'transient', 'Access tokens cannot be checked at the moment: try again soon.', {
    headers: { 'Retry-After': '5' },
  });
  refused.cause = cause;
  return refused;
}
