// Saves what a request made of a session that it had read: never back after its end, and merged with what others made of it.

import { isDeepStrictEqual } from 'node:util';
import { epochSeconds } from '#store/database/connection.ts';
import type { ReadRecord } from '#store/oidc/conditional-writes.ts';
import { type OidcPayload, storedPayload } from '#store/oidc/oidc-payload.ts';
import type { OidcRecords } from '#store/oidc/oidc-records.ts';
import { mergeSession, type SessionPayload, signedInBetween } from './merge-session.ts';

/** What became of a session: `renamed` has another secret id now, which another answer gives the browser. */
export type SavedSession = { outcome: 'saved' | 'renamed'; session: SessionPayload } | { outcome: 'ended' };

interface Change {
  /** The session as the library would store it. */
  payload: OidcPayload;
  /** Seconds that the record is kept. */
  expiresIn: number;
  /** The new secret id, where it gets one. */
  newId?: string;
}

/** Seconds for which a session that did not change need not be written again: it may end so much before either of its limits. */
const UNCHANGED_FOR = 60;
/** Each loses to another writer of the same session: more than there ever are at once. */
const MOST_TRIES = 100;

/**
 * Replaces the session `read` by what a request made of it. What is stored may be more than that: see `mergeSession`. `ended`
 * means that nothing was stored: the session is gone, or somebody else signed in with its former id at the same time.
 */
export async function saveSession(
  records: Pick<OidcRecords, 'readSession' | 'replace'>,
  read: ReadRecord,
  { payload, expiresIn, newId }: Change,
): Promise<SavedSession> {
  const base = JSON.parse(read.payload) as SessionPayload;
  const mine = JSON.parse(storedPayload(payload)) as SessionPayload;
  if (newId === undefined && isUnchanged(base, mine)) return { outcome: 'saved', session: base };
  let current: ReadRecord | undefined = read;
  for (let tries = 0; current && tries < MOST_TRIES; tries += 1) {
    const renamed = current.id !== read.id;
    // A sign-in gets a new id (SEC-33): not that of somebody else's with the old one at the same time.
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
  // Each second counts in the last minute.
  const left = Number(before) - epochSeconds();
  return (moved === 0 || (moved < UNCHANGED_FOR && left > UNCHANGED_FOR)) && isDeepStrictEqual(content, ownContent);
}
