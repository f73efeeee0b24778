// With several worker processes, the primary process alone records the start and edits of `clients.yaml` in the audit trail.

import { watchClients } from '../../config/index.ts';
import type { ClientSettings, Settings } from '../../config/settings.ts';
import type { Logger } from '../../shared/log/log.ts';
import { openAuditEvents } from '../../store/audit/audit-events.ts';
import { openAuditTrail } from '../../store/audit/audit-trail.ts';
import { openDatabase } from '../../store/database/connection.ts';
import { recordClientEdits } from './client-changes.ts';
import { serviceStarted } from './service-started.ts';

/** Watches the clients until closed; `recordStart` is to be called once the first worker listens. */
export function auditPrimaryProcess(options: {
  settings: Settings;
  clients: readonly ClientSettings[];
  clientsMark: string;
  log: Logger;
}): { recordStart(): void; close(): Promise<void> } {
  const { settings, clients, clientsMark, log } = options;
  const database = openDatabase(settings.database, log);
  const audit = openAuditTrail({ events: openAuditEvents(database, settings.keys.secrets), log, actor: 'service' });
  const { accepted, refused } = recordClientEdits(audit, clients);
  const watch = watchClients(settings, accepted, refused, process.env, clientsMark);
  return {
    recordStart: () => void audit.record(serviceStarted(settings, clients)),
    close: async () => {
      watch.close();
      await audit.close();
      await database.destroy();
    },
  };
}
