// A lease: of several processes that share a database, one at a time holds it, for work that only one of them should do.

import { randomUUID } from 'node:crypto';
import { type Database, epochSeconds } from './connection.ts';

export interface Lease {
  /** Whether this process holds it now, and for so many seconds from now on. */
  take(seconds: number): Promise<boolean>;
  release(): Promise<void>;
}

/** Seconds. One that lasts longer was taken by a clock that was set back since. */
const LONGEST = 3600;

/** Opens a lease of a migrated database, which has a row for each name. */
export function openLease(database: Database, name: 'cleanup'): Lease {
  const holder = randomUUID();
  return {
    take: async (seconds) => {
      const now = epochSeconds();
      const free = database('leases').where({ name });
      free.where((row) =>
        row
          .where({ holder })
          .orWhere('ends_at', '<=', now)
          .orWhere('ends_at', '>', now + LONGEST),
      );
      return (await free.update({ holder, ends_at: now + seconds })) > 0;
    },
    release: async () => {
      await database('leases').where({ name, holder }).update({ ends_at: 0 });
    },
  };
}
