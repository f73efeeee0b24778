// A lease, for work that only one of several processes should do. One of the processes that share a database holds it at a time.

import { randomUUID } from 'node:crypto';
import { type Database, epochSeconds } from './connection.ts';

export type Lease = ReturnType<typeof openLease>;

/** Maximum seconds of a lease. A longer one was taken by a clock that was set back since. */
const LONGEST = 3600;

/** Opens a lease of a migrated database, which has a row for each name. */
export function openLease(database: Database, name: 'cleanup' | 'distribution') {
  const holder = randomUUID();
  return {
    /** Tries to take the lease for that many seconds. Resolves with true if this process holds it. */
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
