// Saves the changes that a request makes to a session, and never brings back an ended session. Parallel requests each read the session and
// change their own copy, so their changes are merged.

import { isDeepStrictEqual } from 'node:util';
import { epochSeconds } from '#store/database/connection.ts';
import type { ReadRecord } from '#store/oidc/conditional-writes.ts';
import { type OidcPayload, storedPayload } from '#store/oidc/oidc-payload.ts';
import type { OidcRecords } from '#store/oidc/oidc-records.ts';

/** The data that a session keeps about each of its clients. */
export interface Authorization {
  grantId?: string;
  sid?: string;
  /** True if tokens of the client outlive the session (`offline_access`). */
  persistsLogout?: boolean;
}

/** The payload of a session. The type lists only the fields that this service reads, and those that are merged by rules of their own. */
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
 * Merges the changes of a request into the stored session (three-way merge). `base` is the session as the request read it, `mine` is the
 * copy that the request changed, and `theirs` is the stored state. Each field is taken from the side that changed it, or from `mine` if
 * both sides did. The end of the session (`exp`) and the authorizations have rules of their own.
 */
export function mergeSession(base: SessionPayload, mine: SessionPayload, theirs: SessionPayload): SessionPayload {
  const merged: SessionPayload = { ...theirs };
  for (const field of new Set([...Object.keys(base), ...Object.keys(mine)])) {
    if (isDeepStrictEqual(base[field], mine[field])) continue;
    if (mine[field] === undefined) delete merged[field];
    else merged[field] = mine[field];
  }
  // If another request has moved the stored end meanwhile, the later of the two ends is stored. Otherwise the end that this request has set
  // is stored, even if it is earlier than the stored one: a clock that was ahead may have set the stored end too late.
  merged.exp = theirs.exp === base.exp ? Number(mine.exp) : Math.max(Number(mine.exp), Number(theirs.exp));
  const authorizations = mergeAuthorizations(base.authorizations, mine.authorizations, theirs.authorizations);
  if (Object.keys(authorizations).length > 0) merged.authorizations = authorizations;
  else delete merged.authorizations;
  return merged;
}

/**
 * Merges the authorizations, client by client. A client stays if one side added it, and is removed if one side removed it. If both sides
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
 * Outcome of saving a session. `renamed`: another request has given the session a new secret id, and the response to that request sends the
 * id to the browser.
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

/**
 * A session is not written again if only its end has changed, by less than this many seconds. So a session may end early, by at most a
 * minute.
 */
const UNCHANGED_FOR = 60;
/**
 * Maximum attempts to save a session. An attempt fails only if another request writes the same session at that moment, and there are never
 * this many such requests.
 */
const MOST_TRIES = 100;

/**
 * Replaces the session `read` by the changed copy of a request, merged with changes that were stored meanwhile (`mergeSession`). `ended`
 * means that nothing was stored: the session has ended, or this request signs somebody in and another request has changed the session's id
 * at the same time.
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
    // A sign-in needs a secret id that nobody else has (SEC-33). Here, another request has already given the session a new id, and the
    // browser of that request receives the id. So this sign-in is dropped.
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
