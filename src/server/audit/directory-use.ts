// Counts what clients ask the directory with tokens of their own (`directoryAccess`): nobody signed in for it, and a record for each
// search would fill the audit trail. Which token it was done with is in `token.issued`.

import type { AuditTrail } from '#shared/audit/events.ts';

const HOUR = 3_600_000;

export interface DirectoryUse {
  /** One more request of this client. */
  count(clientId: string): void;
  /** Records what was counted since the last record; to be called before the audit trail is closed. */
  close(): void;
}

/**
 * Records one `directory.used` for each client that asked, each hour and at the end. A process that is killed loses the count of the
 * hour at most. Each worker process counts for itself.
 */
export function countDirectoryUse(audit: Pick<AuditTrail, 'note'>): DirectoryUse {
  let counts = new Map<string, { requests: number; since: string }>();
  const record = () => {
    const counted = counts;
    counts = new Map();
    for (const [client, details] of counted) {
      audit.note({ event: 'directory.used', actor: `client:${client}`, client, details });
    }
  };
  const timer = setInterval(record, HOUR).unref();
  return {
    count: (clientId) => {
      const counted = counts.get(clientId);
      if (counted) counted.requests += 1;
      else counts.set(clientId, { requests: 1, since: new Date().toISOString() });
    },
    close: () => {
      clearInterval(timer);
      record();
    },
  };
}
