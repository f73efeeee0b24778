// What the queues of mails and of logout tokens share: a row is due at a second, belongs for a while to who takes it, and is tried again.

import type { Knex } from 'knex';
import { type Database, epochSeconds } from './database/connection.ts';
import { prepare } from './database/prepared.ts';

/** Seconds: longer than any pause between two attempts. */
const DAY = 86_400;

/** Opens the queue in a table with the columns `id`, `due_at`, `attempts` and `created_at`; rows without `due_at` do not wait. */
export function openOutbox(database: Database, table: string) {
  const earliest = prepare<{ due_at: number | string | null }>(database, (knex) => knex(table).min('due_at as due_at'));
  return {
    /**
     * Takes the rows whose ids `due` selects, if any is due, each for one caller only, for `lease` seconds. Whoever takes one ends it,
     * postpones it or puts it back; if that process dies before, it becomes due again.
     */
    take: async <Row>(
      due: (now: number) => Knex.QueryBuilder,
      { lease, columns }: { lease: number; columns: readonly string[] },
    ): Promise<Row[]> => {
      const now = epochSeconds();
      // Read every second: only a read as long as nothing is due.
      const next = (await earliest()).rows[0]?.due_at ?? null;
      if (next === null || Number(next) > now) return [];
      const ids = due(now);
      // Two instances of PostgreSQL pass over each other's rows; SQLite has one writer at a time anyway.
      if (database.client.config.client === 'pg') ids.forUpdate().skipLocked();
      return (await database(table)
        .whereIn('id', ids)
        .where('due_at', '<=', now)
        .update({ due_at: now + lease, attempts: database.raw('attempts + 1') })
        .returning(columns)) as Row[];
    },
    /** Due again at this second, unless another one has replaced it. */
    postpone: async (id: string, dueAt: number): Promise<void> => {
      await database(table).where({ id }).whereNotNull('due_at').update({ due_at: dueAt });
    },
    /** Due now, as if it had not been taken. */
    putBack: async (id: string): Promise<void> => {
      const attempts = database.raw('attempts - 1');
      await database(table).where({ id }).whereNotNull('due_at').update({ due_at: epochSeconds(), attempts });
    },
    /** How many wait, and since which second the first of them. */
    waiting: async (): Promise<{ count: number; since?: number }> => {
      const query = database(table).whereNotNull('due_at').count({ n: '*' }).min('created_at as since').first();
      const found = (await query) as { n: number | string; since: number | string | null } | undefined;
      return { count: Number(found?.n ?? 0), ...(found?.since != null && { since: Number(found.since) }) };
    },
    /** What waits for more than a day was put so by a clock that was set back since: due now. Returns how many. */
    hasten: (): Promise<number> => {
      const now = epochSeconds();
      return database(table)
        .where('due_at', '>', now + DAY)
        .update({ due_at: now, created_at: now });
    },
  };
}
