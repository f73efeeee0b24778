// Makes the audit events of corrections of the directory, ends expired corrections, and removes old ones. Also records how many requests
// clients make to the directory with tokens of their own.

import type { AuditEvent, AuditTrail } from '#shared/audit/events.ts';
import { type Logger, logAudit } from '#shared/log/log.ts';
import { openAuditEvents, recordOf } from '#store/audit/audit-events.ts';
import type { Database } from '#store/database/connection.ts';
import { type Correction, endExpired, removeEnded } from '#store/snapshots/corrections.ts';

/** Makes the audit event of a correction. The hidden address or number itself is left out. */
export function correctionEvent(
  event: 'directory.corrected' | 'directory.correction-ended',
  { id, record, what, reason, endsAt }: Pick<Correction, 'id' | 'record' | 'what' | 'reason' | 'endsAt'>,
): AuditEvent {
  return { event, details: { correction: id, record, what, reason, ends: endsAt?.toISOString() } };
}

/**
 * Minimum seconds for which a correction is kept after its end. During this time, copies of the directory learn from `_lastUpdated` that
 * the correction has ended.
 */
const LEAST_KEPT = 90 * 86_400;

interface CleanUpOptions {
  /** Secrets for the seals of the audit trail. */
  secrets: readonly string[];
  /** Seconds for which corrections are kept after their end, but at least `LEAST_KEPT`. */
  keep: number;
  log: Logger;
}

/**
 * Marks expired corrections as ended, and records this in the same transaction. So if the process dies before the transaction is committed,
 * the next process does both. Serving processes need not wait for this, because they notice an expiry by themselves. Also removes
 * corrections that ended long ago.
 */
export async function cleanUpCorrections(database: Database, { secrets, keep, log }: CleanUpOptions): Promise<void> {
  await removeEnded(database, Math.max(keep, LEAST_KEPT));
  const records = await database.transaction(async (transaction) => {
    const ended = await endExpired(transaction);
    const events = ended.map((one) => recordOf(correctionEvent('directory.correction-ended', one), 'service'));
    if (events.length > 0) await openAuditEvents(transaction, secrets).append(events);
    return events;
  });
  for (const record of records) logAudit(log, record);
}

const HOUR = 3_600_000;

export interface DirectoryUse {
  /** Counts one more request of this client. */
  count(clientId: string): void;
  /** Records the counts since the last record. Call it before the audit trail is closed. */
  close(): void;
}

/**
 * Counts the requests of clients. Every hour and at the end, records one `directory.used` for each client that made requests, because a
 * record for each search would fill the audit trail. Each token of a client already has a record (`token.issued`). Each worker process has
 * counts of its own. If a process is killed, its counts of one hour at most are lost.
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
