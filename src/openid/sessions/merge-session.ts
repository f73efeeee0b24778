// Merges the changes of parallel requests to one session. Each read it, changed its own copy, and would write it as a whole.

import { isDeepStrictEqual } from 'node:util';

/** Data that a session keeps for each client with tokens in it. */
export interface Authorization {
  grantId?: string;
  sid?: string;
  /** True if the client has access that outlives the session. */
  persistsLogout?: boolean;
}

/** A session's payload, with the fields that are read here or merged by rules of their own. */
export interface SessionPayload {
  exp?: number;
  authorizations?: Readonly<Record<string, Authorization>>;
  /** The device in which the session began (`session-storage.ts`). */
  device?: string;
  [field: string]: unknown;
}

/** Fields that a sign-in writes. */
const SIGN_IN = ['accountId', 'loginTs', 'acr', 'amr'];

/** Checks whether somebody signed in between two states of a session, again or with a second factor. */
export function signedInBetween(before: SessionPayload, after: SessionPayload): boolean {
  return SIGN_IN.some((field) => !isDeepStrictEqual(before[field], after[field]));
}

/**
 * Three-way merge: `base` is the session as this request read it, `mine` its changed copy, `theirs` the currently stored state. Each field
 * is taken from the side that changed it, and from `mine` if both did. The later end wins.
 */
export function mergeSession(base: SessionPayload, mine: SessionPayload, theirs: SessionPayload): SessionPayload {
  const merged: SessionPayload = { ...theirs };
  for (const field of new Set([...Object.keys(base), ...Object.keys(mine)])) {
    if (isDeepStrictEqual(base[field], mine[field])) continue;
    if (mine[field] === undefined) delete merged[field];
    else merged[field] = mine[field];
  }
  // If nobody moved the stored end meanwhile, this request's end counts even if it is earlier: a clock that was ahead may have set the
  // stored one.
  merged.exp = theirs.exp === base.exp ? Number(mine.exp) : Math.max(Number(mine.exp), Number(theirs.exp));
  const authorizations = mergeAuthorizations(base.authorizations, mine.authorizations, theirs.authorizations);
  if (Object.keys(authorizations).length > 0) merged.authorizations = authorizations;
  else delete merged.authorizations;
  return merged;
}

/**
 * Merges client by client. A client that either side added stays, and one that either side removed is removed. If both sides made a grant
 * for the same client, the one that was stored first stays.
 */
function mergeAuthorizations(
  base: SessionPayload['authorizations'] = {},
  mine: SessionPayload['authorizations'] = {},
  theirs: SessionPayload['authorizations'] = {},
): Record<string, Authorization> {
  const merged: Record<string, Authorization> = { ...theirs };
  for (const client of new Set([...Object.keys(base), ...Object.keys(mine)])) {
    const [before, own, other] = [base[client], mine[client], theirs[client]];
    if (!own) {
      // This request has signed the person out of this client.
      delete merged[client];
    } else if (other && (own.grantId === other.grantId || other.grantId !== before?.grantId)) {
      const persistsLogout = own.persistsLogout || other.persistsLogout;
      merged[client] = { ...own, ...other, ...(persistsLogout && { persistsLogout }) };
    } else if (other || own.grantId !== before?.grantId) {
      merged[client] = own;
    }
  }
  return merged;
}
