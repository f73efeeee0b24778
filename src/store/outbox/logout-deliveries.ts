// The queue of clients that must be notified of the end of a session. `src/openid/logout/backchannel-logout.ts` sends the notifications.

import type { OutboxEntry } from '#shared/outbox-worker.ts';
import { type Database, epochSeconds } from '#store/database/connection.ts';
import { openOutbox } from './outbox.ts';

/** The ended session of a person, and the client that must be notified of its end. */
export interface EndedSession {
  clientId: string;
  accountId: string;
  sid: string;
}

export type Delivery = EndedSession & OutboxEntry;

/** Limits on the deliveries that one call takes. */
export interface Share {
  /** Maximum deliveries to all clients together, and to any one client, so that no client can delay the others. */
  most: number;
  perClient: number;
  /** The deliveries to these clients are not taken. */
  except: readonly string[];
  /** Seconds for which the taken deliveries are given to no other instance. */
  lease: number;
}

const TABLE = 'logout_deliveries';
const LOOKED_AT = 500;

/** Makes a row for each client of an ended session. `session` is the stored payload of the session. */
export function deliveryRows(session: string): ReturnType<typeof row>[] {
  const { accountId = '', authorizations = {} } = JSON.parse(session) as {
    accountId?: string;
    authorizations?: Record<string, { sid?: string }>;
  };
  return Object.entries(authorizations).flatMap(([clientId, { sid }]) =>
    sid === undefined ? [] : [row({ clientId, accountId, sid })],
  );
}

function row({ clientId, accountId, sid }: EndedSession) {
  const now = epochSeconds();
  return { client_id: clientId, account_id: accountId, sid, created_at: now, due_at: now, attempts: 0 };
}

export type LogoutDeliveries = ReturnType<typeof openLogoutDeliveries>;

export function openLogoutDeliveries(database: Database) {
  const outbox = openOutbox(database, TABLE);
  return {
    ...outbox,
    add: async (ended: EndedSession): Promise<void> => {
      await database(TABLE).insert(row(ended));
    },
    /** Takes due deliveries, within the limits of `Share`. */
    take: async ({ most, perClient, except, lease }: Share): Promise<Delivery[]> => {
      const due = (now: number) => {
        // Reads only the first due deliveries, however long the queue is. If they all go to one client, deliveries to other clients are
        // found at the next call: the client that is being notified is then in `except`.
        const first = database(TABLE)
          .select('id', 'client_id', 'due_at')
          .where('due_at', '<=', now)
          .whereNotIn('client_id', except)
          .orderBy('due_at')
          .limit(LOOKED_AT);
        const rank = database.raw('row_number() over (partition by client_id order by due_at, id) as rank');
        const ranked = database.select('id', rank).from(first.as('first'));
        const shared = database.select('id').from(ranked.as('ranked')).where('rank', '<=', perClient);
        const ids = database(TABLE).select('id').whereIn('id', shared).where('due_at', '<=', now);
        return ids.orderBy('due_at').limit(most);
      };
      return (await outbox.take(due, lease)).map((found) => ({
        id: String(found.id),
        clientId: found.client_id,
        accountId: found.account_id,
        sid: found.sid,
        createdAt: Number(found.created_at),
        attempts: found.attempts,
      }));
    },
  };
}
