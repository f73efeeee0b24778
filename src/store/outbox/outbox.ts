// The code that the queues of mails and of logout tokens share. Each row has a second at which it is due. An instance that takes a row has
// it for itself for a while. If sending fails, the row becomes due again later.

import type { Knex } from 'knex';
import { type Database, epochSeconds, isPostgres } from '#store/database/connection.ts';
import { prepare } from '#store/database/prepared.ts';
import type { Row } from '#store/rows.ts';

/** Seconds of a day. Every pause between two attempts is shorter. */
const DAY = 86_400;

/** Opens the queue in a table. Rows without `due_at` have ended and are not taken. */
export function openOutbox<Name extends 'mail_queue' | 'logout_deliveries'>(database: Database, table: Name) {
  const earliest = prepare<{ due_at: number | string | null }>(database, (knex) => knex(table).min('due_at as due_at'));
  return {
    /**
     * Takes the rows that are due, among those with the ids that `due` selects. For `lease` seconds, no other caller gets these rows. The
     * caller must end each row, postpone it or put it back. If its process dies before, the row becomes due again after these seconds.
     */
    take: async (due: (now: number) => Knex.QueryBuilder, lease: number): Promise<Row<Name>[]> => {
      const now = epochSeconds();
      // This runs every second. So it begins with a cheap read, and does no more if nothing is due.
      const next = (await earliest()).rows[0]?.due_at ?? null;
      if (next === null || Number(next) > now) return [];
      const ids = due(now);
      // On PostgreSQL, an instance skips the rows that another instance is taking. On SQLite this is not needed, because there is only one
      // writer at a time.
      if (isPostgres(database)) ids.forUpdate().skipLocked();
      return (await database(table as string)
        .whereIn('id', ids)
        .where('due_at', '<=', now)
        .update({ due_at: now + lease, attempts: database.raw('attempts + 1') })
        .returning('*')) as Row<Name>[];
    },
    /** Deletes a row that was sent, or given up. */
    end: async (id: string): Promise<void> => {
      await database(table as string)
        .where({ id })
        .delete();
    },
    /** Makes the row due again at second `dueAt`, unless the row has ended. */
    postpone: async (id: string, dueAt: number): Promise<void> => {
      await database(table as string)
        .where({ id })
        .whereNotNull('due_at')
        .update({ due_at: dueAt });
    },
    /** Makes the row due now, as if it had not been taken. Does nothing if the row has ended. */
    putBack: async (id: string): Promise<void> => {
      const attempts = database.raw('attempts - 1');
      await database(table as string)
        .where({ id })
        .whereNotNull('due_at')
        .update({ due_at: epochSeconds(), attempts });
    },
    /** Returns the number of waiting rows, and the second at which the oldest one was made. */
    waiting: async (): Promise<{ count: number; since?: number }> => {
      const query = database(table as string)
        .whereNotNull('due_at')
        .count({ n: '*' })
        .min('created_at as since')
        .first();
      const found = (await query) as { n: number | string; since: number | string | null } | undefined;
      return { count: Number(found?.n ?? 0), ...(found?.since != null && { since: Number(found.since) }) };
    },
    /**
     * Makes rows due now that would wait for more than a day. They were written while the clock was ahead, before it was set back. Returns
     * the number of rows.
     */
    hasten: (): Promise<number> => {
      const now = epochSeconds();
      return database(table as string)
        .where('due_at', '>', now + DAY)
        .update({ due_at: now, created_at: now });
    },
  };
}
