// Saves the changes of a request to a session. Merges them with the changes of other requests, and never brings back an ended session.

import { isDeepStrictEqual } from 'node:util';
import { epochSeconds } from '#store/database/connection.ts';
import type { ReadRecord } from '#store/oidc/conditional-writes.ts';
import { type OidcPayload, storedPayload } from '#store/oidc/oidc-payload.ts';
import type { OidcRecords } from '#store/oidc/oidc-records.ts';
import { mergeSession, type SessionPayload, signedInBetween } from './merge-session.ts';

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
