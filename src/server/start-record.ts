// Records a start of the service in the audit trail (SEC-48). If there are several worker processes, the primary process records the start,
// and edits of the clients.

import { hostname } from 'node:os';
import { type ClientSettings, maskClient, maskSettings, type Settings } from '#config/settings.ts';
import type { AuditEvent } from '#shared/audit/events.ts';
import { digest } from '#shared/crypto/digest.ts';
import type { Logger } from '#shared/log/log.ts';
import { VERSION } from '#shared/version.ts';
import { recordClientEdits } from './audit/client-changes.ts';
import type { Metrics } from './metrics/registry.ts';
import { openAuditedDatabase } from './open-audited-database.ts';
import { followClients, type WrittenClients } from './open-clients.ts';
import { openWithClosers } from './process/closers.ts';

/**
 * The audit event of a start of the service (SEC-48): its version, instance and settings.
 *
 * `settings` and `clients` are SHA-256 digests of the output of `check --json`. A digest that differs from the one at the last start means
 * that the configuration was changed in between. No secret is part of them (SEC-16).
 */
export function serviceStarted(settings: Settings, clients: readonly ClientSettings[]): AuditEvent {
  return {
    event: 'service.started',
    details: {
      version: VERSION,
      ...(settings.sandbox && { sandbox: true }),
      instance: `${hostname()}:${settings.listen.port}`,
      settings: digest(JSON.stringify(maskSettings(settings))),
      clients: digest(JSON.stringify(clients.map(maskClient))),
    },
  };
}

interface PrimaryOptions extends WrittenClients {
  log: Logger;
  /** The metrics of the primary process. They get the figures that the database has for all processes. */
  metrics: Metrics | undefined;
}

/**
 * Records edits of `clients.yaml` for a service with several worker processes. The primary process calls this, and workers record no edits.
 * The recording ends with `close`. Call `recordStart` once the first worker listens.
 */
export function auditPrimaryProcess(options: PrimaryOptions): Promise<{ recordStart(): void; close(): Promise<void> }> {
  return openWithClosers(async (closers) => {
    const { settings, clients } = options;
    const { audit } = await openAuditedDatabase(options, closers);
    followClients(options, [recordClientEdits(audit, clients)], closers);
    return { recordStart: () => void audit.record(serviceStarted(settings, clients)), close: closers.close };
  });
}
