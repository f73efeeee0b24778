// What the primary process records in the audit trail where several workers serve: the start, and edits of `clients.yaml`.

import type { Logger } from '#shared/log/log.ts';
import { recordClientEdits } from './audit/client-changes.ts';
import { serviceStarted } from './audit/service-started.ts';
import type { Metrics } from './metrics/registry.ts';
import { openAuditedDatabase } from './open-audited-database.ts';
import { followClients, type WrittenClients } from './open-clients.ts';
import { openWithClosers } from './process/closers.ts';

interface PrimaryOptions extends WrittenClients {
  log: Logger;
  /** The metrics of this process, which also reads the database's figures for all processes. */
  metrics: Metrics | undefined;
}

/**
 * Follows the clients until closed, and records edits of `clients.yaml`: with several workers, none of them does. Call `recordStart` once the first worker listens.
 */
export function auditPrimaryProcess(options: PrimaryOptions): Promise<{ recordStart(): void; close(): Promise<void> }> {
  return openWithClosers(async (closers) => {
    const { settings, clients } = options;
    const { audit } = await openAuditedDatabase(options, closers);
    followClients(options, [recordClientEdits(audit, clients)], closers);
    return { recordStart: () => void audit.record(serviceStarted(settings, clients)), close: closers.close };
  });
}
