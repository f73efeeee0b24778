// Adds the metrics from the database, which concern all instances: current edition, imports, queues, keys. In each instance, one process
// reads the database when somebody requests the metrics. If the database cannot be reached, the response is two seconds late.

import type { Settings } from '#config/settings.ts';
import { currentPlan } from '#openid/keys/key-changes.ts';
import { nextRotation } from '#openid/keys/key-plan.ts';
import { IMPORT_EVENTS } from '#server/audit/operator-audit.ts';
import { openKeyVault } from '#server/open-service-keys.ts';
import type { AuditEventName } from '#shared/audit/events.ts';
import { oneAtATime, withinTime } from '#shared/promises.ts';
import { type AuditEvents, openAuditEvents } from '#store/audit/audit-events.ts';
import { type Database, epochSeconds, ping } from '#store/database/connection.ts';
import { COMMON, countValues, openInstances, type SeenInstance } from '#store/instances.ts';
import { KEY_KINDS } from '#store/oidc/service-keys.ts';
import { openLogoutDeliveries } from '#store/outbox/logout-deliveries.ts';
import { type MailQueue, openMailQueue } from '#store/outbox/mail-queue.ts';
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
  const audit = openAuditEvents(database);
  const instances = openInstances(database);
  const [logouts, mails] = [openLogoutDeliveries(database), openMailQueue(database)];
  const vault = openKeyVault(database, settings);
  // While a reading hangs, other requests wait for it and do not start another.
  const read = oneAtATime(async (): Promise<Reading[]> => {
    await ping(database);
    // The parts read one after the other, so that together they use only one database connection.
    return [
      ...(await directoryReadings(database)),
      ...instanceReadings(await instances.list()),
      ...(await importReadings(database, audit)),
      ...(await backupReadings(audit)),
      ...queueReadings(await logouts.waiting(), await mails.waiting()),
      ...keyReadings(await currentPlan(vault), settings.keys.rotateAfter),
    ];
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

async function directoryReadings(database: Database): Promise<Reading[]> {
  const { current, changedAt } = await readPointer(database);
  const entry = current === undefined ? undefined : await findSnapshot(database, current);
  if (!entry) return [];
  return [
    ['directory_snapshot_created_timestamp_seconds', {}, entry.createdAt.getTime() / 1000],
    ['directory_snapshot_activated_timestamp_seconds', {}, changedAt && changedAt.getTime() / 1000],
    ['directory_snapshot_bytes', {}, entry.bytes],
    ...Object.entries(entry.counts).map(([type, count]): Reading => ['directory_resources', { type }, count]),
  ];
}

function instanceReadings(all: readonly SeenInstance[]): Reading[] {
  const values = countValues(all);
  return [
    ['instances', {}, new Set(all.map(({ name }) => name)).size],
    ...COMMON.map((of): Reading => ['instances_values', { of }, values[of]]),
  ];
}

/**
 * Reads the figures about imports from the audit trail, because imports run in separate processes, and a failed import leaves nothing but
 * its record there. The edition in force is shown as a successful import even if the trail has no record of it: none is made for the
 * fictional directory, and old records are removed.
 */
async function importReadings(database: Database, audit: SearchedAudit): Promise<Reading[]> {
  const inForce = (await findCurrentSnapshot(database))?.createdAt.getTime() ?? 0;
  const readings: Reading[] = [];
  for (const [outcome, event] of Object.entries(IMPORT_EVENTS)) {
    const time = Math.max(await timeOfLast(event, audit), outcome === 'imported' ? inForce : 0);
    readings.push(['directory_last_import_timestamp_seconds', { outcome }, time / 1000]);
  }
  return readings;
}

async function backupReadings(audit: SearchedAudit): Promise<Reading[]> {
  const readings: Reading[] = [];
  for (const event of ['made', 'verified'] as const) {
    readings.push(['backup_timestamp_seconds', { event }, (await timeOfLast(`backup.${event}`, audit)) / 1000]);
  }
  return readings;
}

type SearchedAudit = Pick<AuditEvents, 'search'>;

/** Returns the time of the last record of an event in milliseconds, or 0 if there is none. */
async function timeOfLast(event: AuditEventName, audit: SearchedAudit): Promise<number> {
  const [last] = await audit.search({ events: [event], limit: 1 });
  return last ? Date.parse(last.time) : 0;
}

type Waiting = Awaited<ReturnType<MailQueue['waiting']>>;

function queueReadings(logouts: Waiting, mails: Waiting): Reading[] {
  const age = ({ since }: Waiting) => (since === undefined ? 0 : Math.max(0, epochSeconds() - since));
  return [
    ['backchannel_logouts_waiting', {}, logouts.count],
    ['backchannel_logouts_oldest_age_seconds', {}, age(logouts)],
    ['mails_waiting', {}, mails.count],
    ['mails_oldest_age_seconds', {}, age(mails)],
  ];
}

function keyReadings(plan: Awaited<ReturnType<typeof currentPlan>>, rotateAfter: number): Reading[] {
  return KEY_KINDS.flatMap((kind): Reading[] => {
    const active = plan.find((key) => key.kind === kind && key.state === 'active');
    return [
      ['key_active_timestamp_seconds', { kind }, active?.activeAt],
      ['key_rotation_timestamp_seconds', { kind }, nextRotation(plan, kind, rotateAfter)],
    ];
  });
}
