// Records in the audit trail the corrections of the directory, which it also ends and removes, and the requests that clients make to the
// directory with tokens of their own.

import type { AuditEvent, AuditTrail } from '#shared/audit/events.ts';
import { type Logger, logAudit } from '#shared/log/log.ts';
import { openAuditEvents, recordOf } from '#store/audit/audit-events.ts';
import type { Database } from '#store/database/connection.ts';
import { type Correction, endExpired, removeEnded } from '#store/snapshots/corrections.ts';

/** Makes the record of a correction. It leaves out the address or number that is hidden. */
export function correctionEvent(
  event: 'directory.corrected' | 'directory.correction-ended',
  { id, record, what, reason, endsAt }: Pick<Correction, 'id' | 'record' | 'what' | 'reason' | 'endsAt'>,
): AuditEvent {
  return { event, details: { correction: id, record, what, reason, ends: endsAt?.toISOString() } };
}

/** Minimum seconds for which a correction is kept after its end, so that copies of the directory learn of the end from `_lastUpdated`. */
const LEAST_KEPT = 90 * 86_400;

interface CleanUpOptions {
  /** Keys of the seals of the audit trail. */
  secrets: readonly string[];
  /** Seconds for which corrections are kept after their end. `LEAST_KEPT` is the minimum. */
  keep: number;
  log: Logger;
}

/**
 * Ends expired corrections. The same transaction records that, so that a process that dies in between leaves both to the next one. Serving
 * processes notice an expiry by themselves. Corrections that ended long ago are removed.
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
 * Records one `directory.used` for each client that made requests, every hour and at the end, because a record for each search would fill
 * the audit trail. Each of the tokens has a record (`token.issued`). A killed process loses the counts of one hour at most. Each worker
 * process has counts of its own.
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
