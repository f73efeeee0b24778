// A lease. One of several processes that share a database holds it at a time, for work that only one of them should do.

import { randomUUID } from 'node:crypto';
import { type Database, epochSeconds } from './connection.ts';

export interface Lease {
  /** Tries to take the lease for that many seconds. Resolves with whether this process holds it. */
  take(seconds: number): Promise<boolean>;
  release(): Promise<void>;
}

/** Seconds. A longer lease was taken by a clock that was set back since. */
const LONGEST = 3600;

/** Opens a lease of a migrated database, which has a row for each name. */
export function openLease(database: Database, name: 'cleanup' | 'distribution'): Lease {
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
