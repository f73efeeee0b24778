// Adds the metrics from the database, which concern all instances: current edition, imports, queues, keys. In each instance, one process
// reads the database when somebody requests the metrics. If the database cannot be reached, the response is two seconds late.

import type { Settings } from '#config/settings.ts';
import { currentPlan, type KeyVault } from '#openid/keys/key-changes.ts';
import { nextRotation } from '#openid/keys/key-plan.ts';
import { IMPORT_EVENTS } from '#server/audit/operator-audit.ts';
import { openKeyVault } from '#server/open-service-keys.ts';
import { oneAtATime, withinTime } from '#shared/promises.ts';
import { type AuditEvents, openAuditEvents } from '#store/audit/audit-events.ts';
import { type Database, epochSeconds, ping } from '#store/database/connection.ts';
import { COMMON, countValues, openInstances } from '#store/instances.ts';
import { KEY_KINDS } from '#store/oidc/service-keys.ts';
import { openLogoutDeliveries } from '#store/outbox/logout-deliveries.ts';
import { openMailQueue } from '#store/outbox/mail-queue.ts';
import { findCurrentSnapshot, findSnapshot, readPointer } from '#store/snapshots/registry.ts';
import type { NamesOf } from './metric-definitions.ts';
import type { Labels, Metrics } from './registry.ts';

/** Milliseconds for which a reading is reused, so that several requests for the metrics at about the same time cause only one reading. */
const KEPT = 5000;
/** Milliseconds that the database may take for a reading. */
const WITHIN = 2000;

type Reading = [name: NamesOf<'gauge'>, labels: Labels, value: number | undefined];

interface Sources {
  database: Database;
  settings: Pick<Settings, 'keys' | 'lifetimes'>;
}

/** Adds the metrics from the database to those of this process. */
export function addSharedState(metrics: Metrics, { database, settings }: Sources): void {
  const parts = [
    directoryReadings(database),
    instanceReadings(database),
    importReadings(database, openAuditEvents(database)),
    backupReadings(openAuditEvents(database)),
    queueReadings(database),
    keyReadings(openKeyVault(database, settings), settings.keys.rotateAfter),
  ];
  // While a reading hangs, other requests wait for it and do not start another.
  const read = oneAtATime(async (): Promise<Reading[]> => {
    await ping(database);
    const readings: Reading[] = [];
    // The parts read one after the other, so that together they use only one database connection.
    for (const part of parts) readings.push(...(await part()));
    return readings;
  });
  let shown: Reading[] = [];
  let shownAt = Number.NEGATIVE_INFINITY;
  metrics.addSource(async () => {
    if (performance.now() - shownAt < KEPT) return;
    const found = await withinTime<Reading[] | undefined>(
      read().catch(() => undefined),
      WITHIN,
      undefined,
    );
    metrics.set('database_up', {}, found ? 1 : 0);
    // The values of the last reading are removed first, so that a value that could not be read again is no longer shown.
    for (const [name, labels] of shown) metrics.set(name, labels, undefined);
    shown = found ?? [];
    for (const [name, labels, value] of shown) metrics.set(name, labels, value);
    shownAt = found ? performance.now() : Number.NEGATIVE_INFINITY;
  });
}

function directoryReadings(database: Database) {
  return async (): Promise<Reading[]> => {
    const { current, changedAt } = await readPointer(database);
    const entry = current === undefined ? undefined : await findSnapshot(database, current);
    if (!entry) return [];
    return [
      ['directory_snapshot_created_timestamp_seconds', {}, entry.createdAt.getTime() / 1000],
      ['directory_snapshot_activated_timestamp_seconds', {}, changedAt && changedAt.getTime() / 1000],
      ['directory_snapshot_bytes', {}, entry.bytes],
      ...Object.entries(entry.counts).map(([type, count]): Reading => ['directory_resources', { type }, count]),
    ];
  };
}

function instanceReadings(database: Database) {
  const instances = openInstances(database);
  return async (): Promise<Reading[]> => {
    const all = await instances.list();
    const values = countValues(all);
    return [
      ['instances', {}, new Set(all.map(({ name }) => name)).size],
      ...COMMON.map((of): Reading => ['instances_values', { of }, values[of]]),
    ];
  };
}

/**
 * Reads the figures about imports from the audit trail, because imports run in separate processes, and a failed import leaves nothing but
 * its record there. The edition in force is shown as a successful import even if the trail has no record of it: none is made for the
 * fictional directory, and old records are removed.
 */
function importReadings(database: Database, audit: Pick<AuditEvents, 'search'>) {
  return async (): Promise<Reading[]> => {
    const inForce = (await findCurrentSnapshot(database))?.createdAt.getTime() ?? 0;
    const readings: Reading[] = [];
    for (const [outcome, event] of Object.entries(IMPORT_EVENTS)) {
      const [last] = await audit.search({ events: [event], limit: 1 });
      const time = Math.max(last ? Date.parse(last.time) : 0, outcome === 'imported' ? inForce : 0);
      readings.push(['directory_last_import_timestamp_seconds', { outcome }, time / 1000]);
    }
    return readings;
  };
}

function backupReadings(audit: Pick<AuditEvents, 'search'>) {
  return async (): Promise<Reading[]> => {
    const readings: Reading[] = [];
    for (const event of ['made', 'verified'] as const) {
      const [last] = await audit.search({ events: [`backup.${event}`], limit: 1 });
      readings.push(['backup_timestamp_seconds', { event }, last ? Date.parse(last.time) / 1000 : 0]);
    }
    return readings;
  };
}

function queueReadings(database: Database) {
  const logouts = openLogoutDeliveries(database);
  const mails = openMailQueue(database);
  const age = (since: number | undefined) => (since === undefined ? 0 : Math.max(0, epochSeconds() - since));
  return async (): Promise<Reading[]> => {
    const [logout, mail] = [await logouts.waiting(), await mails.waiting()];
    return [
      ['backchannel_logouts_waiting', {}, logout.count],
      ['backchannel_logouts_oldest_age_seconds', {}, age(logout.since)],
      ['mails_waiting', {}, mail.count],
      ['mails_oldest_age_seconds', {}, age(mail.since)],
    ];
  };
}

function keyReadings(vault: KeyVault, rotateAfter: number) {
  return async (): Promise<Reading[]> => {
    const plan = await currentPlan(vault);
    return KEY_KINDS.flatMap((kind): Reading[] => {
      const own = plan.filter((key) => key.kind === kind);
      const active = own.find(({ state }) => state === 'active');
      return [
        ['key_active_timestamp_seconds', { kind }, active?.activeAt],
        ['key_rotation_timestamp_seconds', { kind }, nextRotation(plan, kind, rotateAfter)],
      ];
    });
  };
}
