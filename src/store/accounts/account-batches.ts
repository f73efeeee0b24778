// Owns writing many accounts at once without holding up a running service, all of them or none.
// Does not own what a row holds, nor the accounts as others see them (`accounts.ts`).

import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { type Database, epochSeconds } from '../database/connection.ts';

/** Rows of one statement: 14 columns each keep it below the 32 766 values that SQLite takes, and it lasts milliseconds. */
export const ROWS_AT_ONCE = 250;
/** Milliseconds between two statements: SQLite has one writer at a time, and the service's own writes come first. */
const PAUSE = 10;
/** Seconds after which accounts that never arrived can only be those of a process that was killed. */
const FORGOTTEN_AFTER = 600;
/** Begins the status of an account on its way: not active, so nobody signs in with it. */
const ARRIVING = 'new:';

interface BatchRow {
  id: string;
  status: string;
}

/**
 * Inserts all rows, of active accounts, or none. Up to `ROWS_AT_ONCE` are one statement. More are written a statement at a
 * time, as accounts that cannot sign in; a single last statement makes all of them active. When a statement fails or
 * `signal` aborts, what was written is deleted and the cause thrown. What a killed process leaves cannot sign in either,
 * and is deleted by `deleteForgotten`.
 */
export async function insertBatch(database: Database, rows: readonly BatchRow[], signal?: AbortSignal): Promise<void> {
  if (rows.length === 0) return;
  if (rows.length <= ROWS_AT_ONCE) {
    await database('accounts').insert(rows);
    return;
  }
  // As long as the column of the status allows.
  const arriving = `${ARRIVING}${randomBytes(6).toString('hex')}`;
  try {
    for (const chunk of chunksOf(rows)) {
      signal?.throwIfAborted();
      await database('accounts').insert(chunk.map((row) => ({ ...row, status: arriving })));
      await setTimeout(PAUSE);
    }
    signal?.throwIfAborted();
    await database('accounts').where({ status: arriving }).update({ status: 'active' });
  } catch (error) {
    await deleteWith(database, rows, arriving);
    throw error;
  }
}

/** Deletes what killed processes left on its way; returns how many accounts. */
export async function deleteForgotten(database: Database): Promise<number> {
  const forgotten: BatchRow[] = await database('accounts')
    .select('id', 'status')
    .where('status', 'like', `${ARRIVING}%`)
    .where('created_at', '<', epochSeconds() - FORGOTTEN_AFTER);
  for (const status of new Set(forgotten.map((row) => row.status))) await deleteWith(database, forgotten, status);
  return forgotten.length;
}

async function deleteWith(database: Database, rows: readonly BatchRow[], status: string): Promise<void> {
  for (const chunk of chunksOf(rows)) {
    const ids = chunk.map(({ id }) => id);
    await database('accounts').whereIn('id', ids).where({ status }).delete();
    await setTimeout(PAUSE);
  }
}

function* chunksOf<Item>(items: readonly Item[]): Generator<readonly Item[]> {
  for (let start = 0; start < items.length; start += ROWS_AT_ONCE) yield items.slice(start, start + ROWS_AT_ONCE);
}
