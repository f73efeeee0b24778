// Counts the requests that clients make to the directory with tokens of their own (`directoryAccess`), without a person. The audit trail
// gets the counts, because a record for each search would fill it. Each of these tokens has a record (`token.issued`).

import type { AuditTrail } from '#shared/audit/events.ts';

const HOUR = 3_600_000;

export interface DirectoryUse {
  /** Counts one more request of this client. */
  count(clientId: string): void;
  /** Records the counts since the last record. Call it before the audit trail is closed. */
  close(): void;
}

/**
 * Records one `directory.used` for each client that made requests, every hour and at the end. A killed process loses the counts of one hour
 * at most. Each worker process has counts of its own.
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
