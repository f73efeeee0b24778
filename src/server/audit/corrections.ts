// Records corrections of the directory in the audit trail, and ends those whose time has come.

import type { AuditEvent, AuditTrail } from '#shared/audit/events.ts';
import type { Database } from '#store/database/connection.ts';
import { type Correction, endExpired } from '#store/snapshots/corrections.ts';

/** The record of a correction. It leaves out the address or number that is hidden. */
export function correctionEvent(
  event: 'directory.corrected' | 'directory.correction-ended',
  { id, record, what, reason, endsAt }: Pick<Correction, 'id' | 'record' | 'what' | 'reason' | 'endsAt'>,
): AuditEvent {
  return { event, details: { correction: id, record, what, reason, ends: endsAt?.toISOString() } };
}

/** Ends the corrections whose time has come, which instances have noticed by themselves, and records it. */
export async function endExpiredCorrections(database: Database, audit: Pick<AuditTrail, 'record'>): Promise<void> {
  for (const one of await endExpired(database)) await audit.record(correctionEvent('directory.correction-ended', one));
}
