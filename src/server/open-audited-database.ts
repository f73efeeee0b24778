// Opens the database and the audit trail for one process of the service, and adds the metrics of both.

import cluster from 'node:cluster';
import type { Settings } from '#config/settings.ts';
import type { AuditTrail } from '#shared/audit/events.ts';
import type { Logger } from '#shared/log/log.ts';
import { openAuditEvents } from '#store/audit/audit-events.ts';
import { openAuditTrail } from '#store/audit/audit-trail.ts';
import { type Database, openDatabase, ping } from '#store/database/connection.ts';
import { countAuditEvents } from './metrics/count-events.ts';
import { addProcessState } from './metrics/process-state.ts';
import type { Metrics } from './metrics/registry.ts';
import { addSharedState } from './metrics/shared-state.ts';
import type { Closers } from './process/closers.ts';

interface AuditedDatabaseOptions {
  settings: Settings;
  log: Logger;
  metrics: Metrics | undefined;
}

/** Opens the database and the audit trail. Rejects if the database does not answer. */
export async function openAuditedDatabase(
  { settings, log, metrics }: AuditedDatabaseOptions,
  closers: Closers,
): Promise<{ database: Database; audit: AuditTrail }> {
  const database = openDatabase(settings.database, log);
  closers.add(() => database.destroy());
  await ping(database);
  const trail = openAuditTrail({ events: openAuditEvents(database, settings.keys.secrets), log, actor: 'service' });
  if (metrics) {
    closers.add(addProcessState(metrics, { database, settings, trail }));
    // Some metrics are read from the database and concern all processes. If there are several processes, only the primary one reads them.
    if (!cluster.isWorker) addSharedState(metrics, { database, settings });
  }
  closers.add(() => trail.close());
  return { database, audit: countAuditEvents(trail, metrics) };
}
