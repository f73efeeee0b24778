// Records corrections of the directory in the audit trail, ends those whose time has come, and removes old ones.

import type { AuditEvent, AuditTrail } from '#shared/audit/events.ts';
import type { Database } from '#store/database/connection.ts';
import { type Correction, endExpired, removeEnded } from '#store/snapshots/corrections.ts';

/** The record of a correction. It leaves out the address or number that is hidden. */
export function correctionEvent(
  event: 'directory.corrected' | 'directory.correction-ended',
  { id, record, what, reason, endsAt }: Pick<Correction, 'id' | 'record' | 'what' | 'reason' | 'endsAt'>,
): AuditEvent {
  return { event, details: { correction: id, record, what, reason, ends: endsAt?.toISOString() } };
}

/** Seconds after its end for which a correction is kept at least, so that copies learn of the end from `_lastUpdated`. */
const LEAST_KEPT = 90 * 86_400;

/**
 * Ends the corrections whose time has come, which instances have noticed by themselves, and records it. Removes those that ended more than
 * `keep` seconds ago.
 */
export async function cleanUpCorrections(
  database: Database,
  audit: Pick<AuditTrail, 'record'>,
  keep: number,
): Promise<void> {
  await removeEnded(database, Math.max(keep, LEAST_KEPT));
  for (const one of await endExpired(database)) await audit.record(correctionEvent('directory.correction-ended', one));
}
