// Owns that of several worker processes, each of which takes the edits of `clients.yaml`, the leading one alone tells the audit trail
// of them, and of what was changed before a start. Does not own what is told (`client-edits.ts`, `configuration-memory.ts`).

import { watchClients } from '../../config/index.ts';
import type { ClientSettings, Settings } from '../../config/settings.ts';
import type { Logger } from '../../shared/log/log.ts';
import { openAuditEvents } from '../../store/audit/audit-events.ts';
import { openAuditTrail } from '../../store/audit/audit-trail.ts';
import { openDatabase } from '../../store/database/connection.ts';
import { tellClientEdits } from './client-changes.ts';
import { openConfigurationMemory } from './configuration-memory.ts';

/** Watches the clients until closed; `inForce` is to be called once the first worker listens. */
export function watchClientEdits(options: {
  settings: Settings;
  clients: readonly ClientSettings[];
  clientsMark: string;
  log: Logger;
}): { inForce(): void; close(): Promise<void> } {
  const { settings, clients, clientsMark, log } = options;
  const database = openDatabase(settings.database, log);
  const audit = openAuditTrail({ events: openAuditEvents(database), log, actor: 'service' });
  const memory = openConfigurationMemory({ database, settings, clients, log });
  const { taken, refused } = tellClientEdits(audit, clients, memory);
  const watch = watchClients(settings, taken, refused, process.env, clientsMark);
  return {
    inForce: memory.inForce,
    close: async () => {
      watch.close();
      await audit.close();
      await memory.close();
      await database.destroy();
    },
  };
}
