// Whether the database stores what it is given: one with a full disk, or that has become a replica, still answers every question.

import { type Database, ping } from './connection.ts';

/** Of PostgreSQL: read only, a full disk, an error of the disk. Of SQLite: the same. */
const NOT_STORED = /^(25006|53100|58030|SQLITE_(FULL|IOERR|READONLY))/;

/** The database answers, and stores nothing. */
export class StoresNothing extends Error {}

/**
 * Resolves while the database answers and stores. Nothing is written to find that out, until a statement was refused: from then on each
 * call tries to write, in vain (`StoresNothing`) or not. Calls at the same time share one try.
 */
export function followWritability(database: Database): () => Promise<void> {
  let refused = false;
  let trying: Promise<void> | undefined;
  database.on('query-error', (error: { code?: unknown } | undefined) => {
    if (NOT_STORED.test(String(error?.code))) refused = true;
  });
  const tryToWrite = async () => {
    try {
      // Every migrated database has this row, and nobody waits for it.
      await database('leases').where({ name: 'cleanup' }).update({ name: 'cleanup' });
      refused = false;
    } catch (error) {
      throw NOT_STORED.test(String((error as { code?: unknown }).code)) ? new StoresNothing() : error;
    }
  };
  return async () => {
    if (!refused) return ping(database);
    trying ??= tryToWrite().finally(() => {
      trying = undefined;
    });
    return trying;
  };
}
