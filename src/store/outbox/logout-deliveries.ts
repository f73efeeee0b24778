// The queue of clients that have to be notified of the end of a session (`src/openid/logout/backchannel-logout.ts` delivers it).

import type { OutboxEntry } from '#shared/outbox-worker.ts';
import { type Database, epochSeconds } from '#store/database/connection.ts';
import { openOutbox } from './outbox.ts';

/** An ended session: its person and its client. */
export interface EndedSession {
  clientId: string;
  accountId: string;
  sid: string;
}

export type Delivery = EndedSession & OutboxEntry;

/** Limits on the deliveries to take. */
export interface Share {
  /** Maximum deliveries to all clients together, and to any one client, so that none can delay the others. */
  most: number;
  perClient: number;
  /** Clients that are passed over. */
  except: readonly string[];
  /** Seconds for which no other instance gets the deliveries that are taken. */
  lease: number;
}

const TABLE = 'logout_deliveries';
const LOOKED_AT = 500;

/** Makes rows for all clients of a session that ended. `session` is its stored payload. */
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

/** Opens the deliveries of a database. */
export function openLogoutDeliveries(database: Database) {
  const outbox = openOutbox(database, TABLE);
  return {
    ...outbox,
    add: async (ended: EndedSession): Promise<void> => {
      await database(TABLE).insert(row(ended));
    },
    /** Takes a share of the due deliveries. */
    take: async ({ most, perClient, except, lease }: Share): Promise<Delivery[]> => {
      const due = (now: number) => {
        // Reads only the first due deliveries, however long the queue is. The next look-up skips the clients of this one.
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
