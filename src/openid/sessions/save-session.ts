// Saves the changes of a request to a session, and never brings back an ended session. Parallel requests have each read the session and
// would store their own changed copy, so the changes are merged.

import { isDeepStrictEqual } from 'node:util';
import { epochSeconds } from '#store/database/connection.ts';
import type { ReadRecord } from '#store/oidc/conditional-writes.ts';
import { type OidcPayload, storedPayload } from '#store/oidc/oidc-payload.ts';
import type { OidcRecords } from '#store/oidc/oidc-records.ts';

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

/**
 * Outcome of saving a session. `renamed`: the session has another secret id by now, which the response to another request sends to the
 * browser.
 */
export type SavedSession = { outcome: 'saved' | 'renamed'; session: SessionPayload } | { outcome: 'ended' };

interface SessionChange {
  /** The session as the library would store it. */
  payload: OidcPayload;
  /** Seconds for which the record is kept. */
  expiresIn: number;
  /** The new secret id, if this request gives the session one. */
  newId?: string;
}

/** Seconds for which an unchanged session is not written again. So a session may end up to a minute before its limits. */
const UNCHANGED_FOR = 60;
/** Maximum attempts. An attempt fails only if another request writes the same session, and there are never this many at the same time. */
const MOST_TRIES = 100;

/**
 * Replaces the session `read` by the changed copy of a request, merged with changes that were stored meanwhile (`mergeSession`). `ended`
 * means that nothing was stored: the session has ended, or somebody else signed in with its former id at the same time.
 */
export async function saveSession(
  records: Pick<OidcRecords, 'readSession' | 'replace'>,
  read: ReadRecord,
  { payload, expiresIn, newId }: SessionChange,
): Promise<SavedSession> {
  const base = JSON.parse(read.payload) as SessionPayload;
  const mine = JSON.parse(storedPayload(payload)) as SessionPayload;
  if (newId === undefined && isUnchanged(base, mine)) return { outcome: 'saved', session: base };
  let current: ReadRecord | undefined = read;
  for (let tries = 0; current && tries < MOST_TRIES; tries += 1) {
    const renamed = current.id !== read.id;
    // A sign-in needs a secret id that nobody else has (SEC-33). Another request has given the session a new id already, so this sign-in is
    // dropped.
    if (renamed && signedInBetween(base, mine)) break;
    const session = mergeSession(base, mine, JSON.parse(current.payload) as SessionPayload);
    const later = Math.max(0, Number(session.exp) - Number(mine.exp));
    const id = renamed ? undefined : newId;
    if (await records.replace('Session', current, id, session as OidcPayload, expiresIn + later)) {
      return { outcome: renamed ? 'renamed' : 'saved', session };
    }
    current = await records.readSession({ uid: String(base['uid']) });
  }
  return { outcome: 'ended' };
}

function isUnchanged(base: SessionPayload, mine: SessionPayload): boolean {
  const { exp: before, ...content } = base;
  const { exp: after, ...ownContent } = mine;
  const moved = Math.abs(Number(after) - Number(before));
  // In the last minute before its stored end, a session is written even if the end moves by only a second.
  const left = Number(before) - epochSeconds();
  return (moved === 0 || (moved < UNCHANGED_FOR && left > UNCHANGED_FOR)) && isDeepStrictEqual(content, ownContent);
}
