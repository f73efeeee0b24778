// Counts the requests that clients make to the directory with their own tokens (`directoryAccess`). Nobody is signed in for them, and a
// record for each search would fill the audit trail. `token.issued` has a record of the token.

import type { AuditTrail } from '#shared/audit/events.ts';

const HOUR = 3_600_000;

export interface DirectoryUse {
  /** Counts one more request of this client. */
  count(clientId: string): void;
  /** Records the counts since the last record. Call it before the audit trail is closed. */
  close(): void;
}

/**
 * Records one `directory.used` for each client that made requests, each hour and at the end. A killed process loses at most the counts of
 * the hour. Each worker process counts for itself.
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
