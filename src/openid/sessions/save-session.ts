// Saves a request's changes to a session that it had read. It never brings back an ended session, and merges with the changes of others.

import { isDeepStrictEqual } from 'node:util';
import { epochSeconds } from '#store/database/connection.ts';
import type { ReadRecord } from '#store/oidc/conditional-writes.ts';
import { type OidcPayload, storedPayload } from '#store/oidc/oidc-payload.ts';
import type { OidcRecords } from '#store/oidc/oidc-records.ts';
import { mergeSession, type SessionPayload, signedInBetween } from './merge-session.ts';

/** Outcome of saving a session. `renamed` means that it now has another secret id, which another response gives the browser. */
export type SavedSession = { outcome: 'saved' | 'renamed'; session: SessionPayload } | { outcome: 'ended' };

interface SessionChange {
  /** The session as the library would store it. */
  payload: OidcPayload;
  /** Seconds that the record is kept. */
  expiresIn: number;
  /** The new secret id, if the session gets one. */
  newId?: string;
}

/** Seconds for which an unchanged session need not be written again. It may end that much before either of its limits. */
const UNCHANGED_FOR = 60;
/** Each failed attempt means another writer of the same session. There are never this many at once. */
const MOST_TRIES = 100;

/**
 * Replaces the session `read` by a request's copy. The stored state may hold more than that: see `mergeSession`. `ended` means that nothing
 * was stored: the session is gone, or somebody else signed in with its former id at the same time.
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
    // A sign-in gets a new id (SEC-33). It must not be one that somebody else got with the old id at the same time.
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
  // In the last minute before its stored end, a session is written even if the end moves by a second.
  const left = Number(before) - epochSeconds();
  return (moved === 0 || (moved < UNCHANGED_FOR && left > UNCHANGED_FOR)) && isDeepStrictEqual(content, ownContent);
}
