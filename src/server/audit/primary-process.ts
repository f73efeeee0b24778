// With several worker processes, the primary process alone records the start and edits of `clients.yaml` in the audit trail.

import { watchClients } from '#config/index.ts';
import type { ClientSettings, Settings } from '#config/settings.ts';
import { countAuditEvents } from '#server/metrics/audit-metrics.ts';
import { addProcessState } from '#server/metrics/process-state.ts';
import type { Metrics } from '#server/metrics/registry.ts';
import { addSharedState } from '#server/metrics/shared-state.ts';
import type { Logger } from '#shared/log/log.ts';
import { openAuditEvents } from '#store/audit/audit-events.ts';
import { openAuditTrail } from '#store/audit/audit-trail.ts';
import { openDatabase } from '#store/database/connection.ts';
import { recordClientEdits } from './client-changes.ts';
import { serviceStarted } from './service-started.ts';

/** Watches the clients until closed; `recordStart` is to be called once the first worker listens. */
export function auditPrimaryProcess(options: {
  settings: Settings;
  clients: readonly ClientSettings[];
  clientsMark: string;
  log: Logger;
  /** Of this process, which also reads what the database says of all. */
  metrics?: Metrics | undefined;
}): { recordStart(): void; close(): Promise<void> } {
  const { settings, clients, clientsMark, log, metrics } = options;
  const database = openDatabase(settings.database, log);
  const trail = openAuditTrail({ events: openAuditEvents(database, settings.keys.secrets), log, actor: 'service' });
  const audit = countAuditEvents(trail, metrics);
  const endState = metrics && addProcessState(metrics, { database, settings, trail });
  if (metrics) addSharedState(metrics, { database, settings });
  const { accepted, refused } = recordClientEdits(audit, clients);
  const watch = watchClients(settings, accepted, refused, process.env, clientsMark);
  return {
    recordStart: () => void audit.record(serviceStarted(settings, clients)),
    close: async () => {
      watch.close();
      await audit.close();
      endState?.();
      await database.destroy();
    },
  };
}
