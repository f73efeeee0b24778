// A lease, for work that only one of several processes should do. Of the processes that share a database, only one at a time holds the
// lease.

import { randomUUID } from 'node:crypto';
import { type Database, epochSeconds } from './connection.ts';

export type Lease = ReturnType<typeof openLease>;

/**
 * Maximum seconds of a lease. If a lease ends later than this many seconds from now, the clock of its holder was ahead and has been set
 * back since. Then any process may take the lease.
 */
const LONGEST = 3600;

/** Opens the lease of this name. The migrations must have been applied, because they insert a row for each name. */
export function openLease(database: Database, name: 'cleanup' | 'distribution') {
  const holder = randomUUID();
  return {
    /** Tries to take the lease for this number of seconds, or to extend it. Resolves with true if this process holds the lease now. */
    take: async (seconds: number): Promise<boolean> => {
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
