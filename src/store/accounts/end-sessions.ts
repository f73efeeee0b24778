// Ends the sessions of accounts with everything that was given in them, and puts logout tokens for their applications into the queue:
// whenever it changes how a person signs in, or may.

import { digest } from '../../shared/crypto/digest.ts';
import { type Database, epochSeconds, ROWS_AT_ONCE } from '../database/connection.ts';
import { deliveryRows } from '../oidc/logout-deliveries.ts';

const TABLE = 'oidc_records';

export interface EndedSessions {
  /** Second from which sign-ins count; of several accounts, the latest. */
  notBefore: number;
  /** How many there were. */
  sessions: number;
  /** Applications, once for each session: the service tells those that have an address for it. */
  notified: number;
}

/**
 * To be called in the transaction of the change itself, so that neither holds without the other. From then on no sign-in before it
 * counts, also where a request that is under way writes it anew (`sign-in-validity.ts`).
 * @param keep public identifier of the session that stays, with what was given in it: the person's own
 */
export async function endSessions(
  transaction: Database,
  accountIds: readonly string[],
  keep?: string,
): Promise<EndedSessions> {
  const ids = [...accountIds];
  // Always later than before, and than every sign-in up to now: see `signInTime`.
  const later = 'case when sessions_not_before > ? then sessions_not_before + 1 else ? end';
  const next = epochSeconds() + 1;
  const limits: { sessions_not_before: number | string }[] = await transaction('accounts')
    .whereIn('id', ids)
    .update({ sessions_not_before: transaction.raw(later, [next - 1, next]), kept_session: keep ?? null })
    .returning('sessions_not_before');

  // As in the index of accounts, to the letter: only so does SQLite use it.
  const indexed = "model in ('Grant', 'Session')";
  // Locked, so that PostgreSQL shows each as it is when it goes; SQLite has one writer at a time anyway.
  const held = (model: string): Promise<{ id: string; uid: string | null; payload: string }[]> =>
    transaction(TABLE)
      .select('id', 'uid', 'payload')
      .whereRaw(indexed)
      .where({ model })
      .whereIn('account_id', ids)
      .forUpdate();
  const remove = async (column: 'id' | 'grant_id', model: string | undefined, values: readonly string[]) => {
    for (let start = 0; start < values.length; start += ROWS_AT_ONCE) {
      const some = transaction(TABLE).whereIn(column, values.slice(start, start + ROWS_AT_ONCE));
      await (model === undefined ? some : some.where({ model })).delete();
    }
  };

  const sessions = await held('Session');
  const ended = sessions.filter(({ uid }) => keep === undefined || uid !== keep);
  const stay = new Set(sessions.filter((session) => !ended.includes(session)).flatMap(grantsIn));
  const grants = (await held('Grant')).map(({ id }) => id).filter((id) => !stay.has(id));
  // First what all the rest depends on.
  await remove('id', 'Grant', grants);
  await remove(
    'id',
    'Session',
    ended.map(({ id }) => id),
  );
  await remove('grant_id', undefined, grants);
  const deliveries = ended.flatMap(({ payload }) => deliveryRows(payload));
  if (deliveries.length > 0) await transaction.batchInsert('logout_deliveries', deliveries, ROWS_AT_ONCE);
  const notBefore = Math.max(0, ...limits.map((limit) => Number(limit.sessions_not_before)));
  return { notBefore, sessions: ended.length, notified: deliveries.length };
}

/** Stored ids of the grants of a session. */
function grantsIn({ payload }: { payload: string }): string[] {
  const { authorizations = {} } = JSON.parse(payload) as { authorizations?: Record<string, { grantId?: string }> };
  return Object.values(authorizations).flatMap(({ grantId }) => (grantId === undefined ? [] : [digest(grantId)]));
}
