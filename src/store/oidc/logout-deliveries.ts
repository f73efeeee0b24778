// The queue of clients that have to be notified of the end of a session (`src/oidc/logout/backchannel-sender.ts` delivers it).

import { type Database, epochSeconds } from '../database/connection.ts';
import { prepare } from '../database/prepared.ts';

/** Whose session ended, and at which client. */
export interface EndedSession {
  clientId: string;
  accountId: string;
  sid: string;
}

export interface Delivery extends EndedSession {
  id: string;
  createdAt: number;
  /** This one included. */
  attempts: number;
}

/** What is taken of what is due. */
export interface Share {
  /** Of all, and of any one client: none of them can hold up the others. */
  most: number;
  perClient: number;
  /** Clients that are passed over. */
  except: readonly string[];
  /** Seconds for which nobody else gets them. */
  lease: number;
}

const TABLE = 'logout_deliveries';
const LOOKED_AT = 500;
/** Seconds: longer than any pause. */
const DAY = 86_400;

interface Row {
  id: number | string;
  client_id: string;
  account_id: string;
  sid: string;
  created_at: number | string;
  attempts: number;
}

/** Rows for every client of a session that ended, given its stored payload. */
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
  const earliest = prepare<{ due_at: number | string | null }>(database, (knex) => knex(TABLE).min('due_at as due_at'));
  return {
    add: async (ended: EndedSession): Promise<void> => {
      await database(TABLE).insert(row(ended));
    },
    /**
     * Takes what is due, each for one caller only. Whoever takes one ends it, postpones it or puts it back; if that process
     * dies before, it becomes due again.
     */
    take: async ({ most, perClient, except, lease }: Share): Promise<Delivery[]> => {
      const now = epochSeconds();
      // Read every second: only a read as long as nothing is due.
      const next = (await earliest()).rows[0]?.due_at ?? null;
      if (next === null || Number(next) > now) return [];
      // The first of what is due, however long the queue is: the next look passes over the clients of this one.
      const first = database(TABLE)
        .select('id', 'client_id', 'due_at')
        .where('due_at', '<=', now)
        .whereNotIn('client_id', except)
        .orderBy('due_at')
        .limit(LOOKED_AT);
      const rank = database.raw('row_number() over (partition by client_id order by due_at, id) as rank');
      const ranked = database.select('id', rank).from(first.as('first'));
      const shared = database.select('id').from(ranked.as('ranked')).where('rank', '<=', perClient);
      const due = database(TABLE).select('id').whereIn('id', shared).where('due_at', '<=', now);
      due.orderBy('due_at').limit(most);
      // Two instances of PostgreSQL pass over each other's rows; SQLite has one writer at a time anyway.
      if (database.client.config.client === 'pg') due.forUpdate().skipLocked();
      const taken = (await database(TABLE)
        .whereIn('id', due)
        .where('due_at', '<=', now)
        .update({ due_at: now + lease, attempts: database.raw('attempts + 1') })
        .returning(['id', 'client_id', 'account_id', 'sid', 'created_at', 'attempts'])) as Row[];
      return taken.map((found) => ({
        id: String(found.id),
        clientId: found.client_id,
        accountId: found.account_id,
        sid: found.sid,
        createdAt: Number(found.created_at),
        attempts: found.attempts,
      }));
    },
    /** Delivered, or given up. */
    end: async (id: string): Promise<void> => {
      await database(TABLE).where({ id }).delete();
    },
    /** Due again at this second. */
    postpone: async (id: string, dueAt: number): Promise<void> => {
      await database(TABLE).where({ id }).update({ due_at: dueAt });
    },
    /** Due now, as if it had not been taken. */
    putBack: async (id: string): Promise<void> => {
      const attempts = database.raw('attempts - 1');
      await database(TABLE).where({ id }).update({ due_at: epochSeconds(), attempts });
    },
    /** How many wait, and since which second the first of them. */
    waiting: async (): Promise<{ count: number; since?: number }> => {
      const query = database(TABLE).count({ n: '*' }).min('created_at as since').first();
      const found = (await query) as { n: number | string; since: number | string | null } | undefined;
      return { count: Number(found?.n ?? 0), ...(found?.since != null && { since: Number(found.since) }) };
    },
    /** What waits for more than a day was put so by a clock that was set back since: due now. Returns how many. */
    hasten: (): Promise<number> => {
      const now = epochSeconds();
      return database(TABLE)
        .where('due_at', '>', now + DAY)
        .update({ due_at: now, created_at: now });
    },
  };
}
