// Merges the changes that parallel requests make to one session. Each request has read the session and would store its own changed copy.

import { isDeepStrictEqual } from 'node:util';

/** What a session keeps for each of its clients. */
export interface Authorization {
  grantId?: string;
  sid?: string;
  /** True if tokens of the client outlive the session (`offline_access`). */
  persistsLogout?: boolean;
}

/** The payload of a session. The type lists the fields that are read here, and those with merge rules of their own. */
export interface SessionPayload {
  exp?: number;
  authorizations?: Readonly<Record<string, Authorization>>;
  /** The device where the session began (`session-storage.ts`). */
  device?: string;
  [field: string]: unknown;
}

/** The fields that a sign-in changes. */
const SIGN_IN = ['accountId', 'loginTs', 'acr', 'amr'];

/** Checks whether the person signed in again, or added a second factor, between two states of a session. */
export function signedInBetween(before: SessionPayload, after: SessionPayload): boolean {
  return SIGN_IN.some((field) => !isDeepStrictEqual(before[field], after[field]));
}

/**
 * Three-way merge. `base` is the session as this request read it, `mine` is its changed copy, `theirs` is the stored state. Each field is
 * taken from the side that changed it, or from `mine` if both did. Of two ends, the later one is taken.
 */
export function mergeSession(base: SessionPayload, mine: SessionPayload, theirs: SessionPayload): SessionPayload {
  const merged: SessionPayload = { ...theirs };
  for (const field of new Set([...Object.keys(base), ...Object.keys(mine)])) {
    if (isDeepStrictEqual(base[field], mine[field])) continue;
    if (mine[field] === undefined) delete merged[field];
    else merged[field] = mine[field];
  }
  // If no other request has moved the stored end meanwhile, the end of this request is stored, even if it is earlier: a clock that was
  // ahead may have set the stored end.
  merged.exp = theirs.exp === base.exp ? Number(mine.exp) : Math.max(Number(mine.exp), Number(theirs.exp));
  const authorizations = mergeAuthorizations(base.authorizations, mine.authorizations, theirs.authorizations);
  if (Object.keys(authorizations).length > 0) merged.authorizations = authorizations;
  else delete merged.authorizations;
  return merged;
}

/**
 * Merges the authorizations, client by client. A client that one side added stays. A client that one side removed is removed. If both sides
 * made a grant for the same client, the grant that was stored first stays.
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
