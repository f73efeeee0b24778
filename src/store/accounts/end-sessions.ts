// Ends the sessions of accounts with all their tokens, and queues logout tokens for their applications. It is called whenever the way in
// which a person signs in changes, or may change: a new password, another second factor, a disabled account or "sign out everywhere"
// (SEC-55). Also decides whether a sign-in is still valid. Every record of a session or token carries the time of its sign-in. So if a
// request reads such a record before it is deleted here, and writes it again afterwards, the record is still not valid.

import { randomBytes } from 'node:crypto';
import { digest } from '#shared/crypto/digest.ts';
import { batches, type Database, epochSeconds, ROWS_AT_ONCE } from '#store/database/connection.ts';
import { deliveryRows } from '#store/outbox/logout-deliveries.ts';

const TABLE = 'oidc_records';

/**
 * Seconds by which the limit of an account, or a sign-in, may lie ahead of the clock: a day. What lies further ahead was noted by a clock
 * that was wrong. It is so long because a clock that is corrected by some hours is to end no session.
 */
const AHEAD = 24 * 3600;

export interface EndedSessions {
  /** Time (in seconds since the epoch) from which sign-ins are valid; for several accounts, the latest one. */
  notBefore: number;
  /** Number of sessions that were ended. */
  sessions: number;
  /**
   * Number of applications that lose a session. An application counts once for each session that it loses. It is notified only if it has an
   * address for logout tokens.
   */
  notified: number;
  /** The new ids of the kept session: its public identifier, and the id in its cookie. Absent if no session was kept, or its ids stayed. */
  renewed?: { uid: string; id: string };
}

/** Thrown when the session that was to be kept has ended, or has other ids by now. */
export class SessionGone extends Error {}

/**
 * Ends all sessions of these accounts, except `keep`. Call it in the transaction of the change that makes this necessary, so that the
 * change and the end of the sessions take effect together. From then on no earlier sign-in is valid, even if a request in progress writes
 * its record again (`isSignInValid`).
 * @param keep public identifier of the person's own session, which stays with its tokens
 * @param onlyFor a client. The kept session gets new ids and keeps only the tokens of this client, because somebody with a copy of its
 * cookie may have got all other tokens (SEC-33). Throws `SessionGone` if the session has ended or got new ids meanwhile. So if two browsers
 * have the same cookie, only the first one continues.
 */
export async function endSessions(
  transaction: Database,
  accountIds: readonly string[],
  keep?: string,
  onlyFor?: string,
): Promise<EndedSessions> {
  const ids = [...accountIds];
  const renewed = onlyFor === undefined ? undefined : { uid: newId(), id: newId() };
  // The new limit is later than the earlier one, and later than the time of every sign-in so far: see `signInTime`. A limit that was noted
  // by a wrong clock is lowered. Sign-ins of that clock lie more than a day ahead, so they are not valid either (`isSignInValid`).
  const later = 'case when sessions_not_before between ? and ? then sessions_not_before + 1 else ? end';
  const next = epochSeconds() + 1;
  const limits: { sessions_not_before: number | string }[] = await transaction('accounts')
    .whereIn('id', ids)
    .update({
      sessions_not_before: transaction.raw(later, [next, next + AHEAD, next]),
      kept_session: renewed?.uid ?? keep ?? null,
    })
    .returning('sessions_not_before');

  // This text must be exactly the condition of the partial index `oidc_records_account`. Otherwise SQLite would not use the index.
  const indexed = "model in ('Grant', 'Session')";
  // On PostgreSQL, the lock makes sure that a row is read in the state in which it is deleted. SQLite has only one writer at a time anyway.
  const held = (model: string): Promise<{ id: string; uid: string | null; payload: string }[]> =>
    transaction(TABLE)
      .select('id', 'uid', 'payload')
      .whereRaw(indexed)
      .where({ model })
      .whereIn('account_id', ids)
      .forUpdate();
  const remove = async (column: 'id' | 'grant_id', model: string | undefined, values: readonly string[]) => {
    for (const some of batches(values)) {
      const rows = transaction(TABLE).whereIn(column, some);
      await (model === undefined ? rows : rows.where({ model })).delete();
    }
  };

  const sessions = await held('Session');
  const ended = sessions.filter(({ uid }) => keep === undefined || uid !== keep);
  const own = sessions.find((session) => !ended.includes(session));
  if (onlyFor !== undefined && !own) throw new SessionGone('the session has ended meanwhile');
  const [left, gone] = own && onlyFor !== undefined ? divide(own, onlyFor) : [own];
  const stay = new Set(left ? grantsIn(left) : []);
  const grants = (await held('Grant')).map(({ id }) => id).filter((id) => !stay.has(id));
  // The grants are removed, because a code or token is invalid without its grant. So even one that a request in progress stores after this
  // deletion is invalid.
  await remove('id', 'Grant', grants);
  await remove(
    'id',
    'Session',
    ended.map(({ id }) => id),
  );
  await remove('grant_id', undefined, grants);
  if (own && left && renewed) {
    const payload = JSON.stringify({ ...JSON.parse(left.payload), uid: renewed.uid });
    const row = transaction(TABLE).where({ model: 'Session', id: own.id });
    await row.update({ id: digest(renewed.id), uid: renewed.uid, payload });
  }
  const deliveries = [...ended, ...(gone ? [gone] : [])].flatMap(({ payload }) => deliveryRows(payload));
  if (deliveries.length > 0) await transaction.batchInsert('logout_deliveries', deliveries, ROWS_AT_ONCE);
  const notBefore = Math.max(0, ...limits.map((limit) => Number(limit.sessions_not_before)));
  return { notBefore, sessions: ended.length, notified: deliveries.length, ...(own && renewed && { renewed }) };
}

/** Makes an id of 256 bits, like those of oidc-provider. */
const newId = () => randomBytes(32).toString('base64url');

/** Splits a session into the part of one client and the rest. */
function divide(
  { payload }: { payload: string },
  client: string,
): [left: { payload: string }, gone: { payload: string }] {
  const session = JSON.parse(payload) as { authorizations?: Record<string, object> };
  const given = Object.entries(session.authorizations ?? {});
  const withGiven = (isLeft: boolean) => {
    const authorizations = Object.fromEntries(given.filter(([id]) => (id === client) === isLeft));
    return { payload: JSON.stringify({ ...session, authorizations }) };
  };
  return [withGiven(true), withGiven(false)];
}

/** Returns the stored ids of the grants of a session. */
function grantsIn({ payload }: { payload: string }): string[] {
  const { authorizations = {} } = JSON.parse(payload) as { authorizations?: Record<string, { grantId?: string }> };
  return Object.values(authorizations).flatMap(({ grantId }) => (grantId === undefined ? [] : [digest(grantId)]));
}

/** The data of an account that decide whether a sign-in is valid. */
export interface SignInLimit {
  /** Seconds since the epoch from which sign-ins are valid; undefined if nothing has ended all sessions yet. */
  sessionsNotBefore?: number;
  /** Public identifier (`uid`) of the person's own session, which was kept when all others ended. */
  keptSession?: string;
}

/**
 * Checks whether codes and tokens are still valid if they come from a sign-in at this second, in the session with this public identifier.
 */
export function isSignInValid(
  { sessionsNotBefore, keptSession }: SignInLimit,
  signedInAt: number | undefined,
  sessionUid: string | undefined,
): boolean {
  if (sessionsNotBefore === undefined) return true;
  if (sessionUid !== undefined && sessionUid === keptSession) return true;
  if (signedInAt === undefined || signedInAt < sessionsNotBefore) return false;
  return signedInAt <= Math.max(sessionsNotBefore, epochSeconds() + AHEAD);
}

/**
 * Returns the time (in seconds since the epoch) that a new sign-in gets. Pass the limit of the account as it was read when the password was
 * compared. Each change that ends all sessions makes this limit (`sessionsNotBefore`) later than the present second. A sign-in that was
 * checked after the change gets the new limit or a later time, so it is valid. A sign-in that was checked before the change has an earlier
 * time, so it is not valid, even if both happened in the same second.
 */
export function signInTime({ sessionsNotBefore = 0 }: SignInLimit): number {
  return Math.max(epochSeconds(), sessionsNotBefore);
}
