// Puts a running service together from its settings, and takes it apart again: database, keys, directory, app.

import cluster from 'node:cluster';
import type { RequestListener } from 'node:http';
import { type ConfigurationError, issueReport, watchClients } from '#config/index.ts';
import { ownClient } from '#config/own-client.ts';
import type { ClientSettings, Settings } from '#config/settings.ts';
import { createClientRegistry } from '#openid/clients/client-registry.ts';
import { outgoingFetch } from '#openid/clients/outbound-fetch.ts';
import { openKeyRing } from '#openid/keys/key-ring.ts';
import { startLogoutSender } from '#openid/logout/backchannel-sender.ts';
import { withNotices } from '#openid/mail/notices.ts';
import type { AuditTrail } from '#shared/audit/events.ts';
import { DecryptionError } from '#shared/crypto/encryption.ts';
import type { Logger } from '#shared/log/log.ts';
import { withinContext } from '#shared/request-context.ts';
import { openAccounts } from '#store/accounts/accounts.ts';
import { openActionTokens } from '#store/accounts/action-tokens.ts';
import { openAccountDeletion } from '#store/accounts/delete-account.ts';
import { openPasskeys } from '#store/accounts/factors/passkeys.ts';
import { openSecondFactors } from '#store/accounts/factors/second-factors.ts';
import { openAccountLinks } from '#store/accounts/links/account-links.ts';
import { openPageSessions } from '#store/accounts/page-sessions.ts';
import { openPictures } from '#store/accounts/pictures.ts';
import { openSeenDevices } from '#store/accounts/seen-devices.ts';
import { openSignInLimiters } from '#store/accounts/sign-in-limiters.ts';
import { openAccountActivity } from '#store/audit/account-activity.ts';
import { openAuditEvents } from '#store/audit/audit-events.ts';
import { openAuditTrail } from '#store/audit/audit-trail.ts';
import { startCheckpoints } from '#store/database/checkpoints.ts';
import { openDatabase, ping } from '#store/database/connection.ts';
import { watchDataVersion } from '#store/database/data-version.ts';
import { openLease } from '#store/database/lease.ts';
import { openPageRelease } from '#store/database/vacuum.ts';
import { openMailQueue } from '#store/mail/mail-queue.ts';
import { openConsents } from '#store/oidc/consents.ts';
import { openLogoutDeliveries } from '#store/oidc/logout-deliveries.ts';
import { openOidcRecords } from '#store/oidc/oidc-records.ts';
import { createApp } from './app.ts';
import { recordClientEdits } from './audit/client-changes.ts';
import { countDirectoryUse } from './audit/directory-use.ts';
import { keyEvent } from './audit/operator-audit.ts';
import { serviceStarted } from './audit/service-started.ts';
import { startCleanup } from './cleanup/cleanup-schedule.ts';
import { countAuditEvents } from './metrics/audit-metrics.ts';
import { openMetrics } from './metrics/open-metrics.ts';
import { addDirectoryState, addProcessState, countCleanup } from './metrics/process-state.ts';
import type { Metrics } from './metrics/registry.ts';
import { addSharedState } from './metrics/shared-state.ts';
import type { Scrape } from './metrics/worker-metrics.ts';
import { openDirectory } from './open-directory.ts';
import { openMail } from './open-mail.ts';
import { openKeyVault, unreadableKeys } from './open-service-keys.ts';
import type { LifeCycle } from './process/life-cycle.ts';
import { readinessChecks } from './readiness-checks.ts';
import { demoClients } from './start/demo-clients.ts';
import { keepConsents, keepFactors, sharedPeople } from './start/fictional-people.ts';
import type { Tracing } from './tracing/tracing.ts';

export interface Service {
  app: RequestListener;
  /** The text of all metrics of this instance, where the settings want them. */
  scrape: Scrape | undefined;
  /** Those of this process. */
  metrics: Metrics | undefined;
  /** As after an edit of `clients.yaml`. */
  replaceClients(clients: readonly ClientSettings[]): void;
  /** Records the start in the audit trail; to be called once requests are answered. */
  recordStart(): void;
  /** Stops the timers and closes the database; requests should have ended. */
  close(): Promise<void>;
}

interface ServiceOptions {
  settings: Settings;
  clients: readonly ClientSettings[];
  /** Of the clients, where they come from the file (`loadMarkedClients`): an edit since then takes effect at once. */
  clientsMark?: string;
  log: Logger;
  /** Whether this process records edits of the clients; with workers the primary process does (`auditPrimaryProcess`). */
  recordEdits?: boolean;
  /** Where requests, and what is done beside them, are traced. */
  tracing?: Tracing | undefined;
  /** Of this process. By default it never stops. */
  lifeCycle?: Readonly<LifeCycle>;
}

/** Opens a migrated database and builds the application. Rejects when the database does not answer. */
export function openService(options: ServiceOptions): Promise<Service> {
  const { tracing } = options;
  // What is started here goes on in this context: timers, queues, connections.
  return tracing ? withinContext({ tracer: tracing.tracer }, () => open(options)) : open(options);
}

async function open(options: ServiceOptions): Promise<Service> {
  const { settings, clients, log } = options;
  const database = openDatabase(settings.database, log);
  await ping(database);
  const auditEvents = openAuditEvents(database, settings.keys.secrets);
  const opened = await openMetrics(settings);
  const metrics = opened?.metrics;
  const ownTrail = openAuditTrail({ events: auditEvents, log, actor: 'service' });
  const trail = countAuditEvents(ownTrail, metrics);
  const accounts = openAccounts(database);
  const actionTokens = openActionTokens(database, settings.lifetimes);
  const mailQueue = openMailQueue(database);
  const audit = withNotices(trail, {
    enqueue: (mail) => mails.enqueue(mail),
    addressOf: async (id) => (await accounts.find(id))?.email,
    log,
  });
  const vault = openKeyVault(database, settings);
  const keys = await openKeyRing({
    vault,
    rotateAfter: settings.keys.rotateAfter,
    log,
    changed: (change) => void audit.record(keyEvent(change)),
  }).catch(async (error: unknown) => {
    await database.destroy();
    throw error instanceof DecryptionError ? unreadableKeys(error) : error;
  });

  const file = settings.database.engine === 'sqlite' ? settings.database.file : undefined;
  const slower = (err: Error) =>
    log.warn({ err }, 'the thread of the checkpoints ended: requests wait for the disk now');
  const checkpoints = file === undefined ? undefined : startCheckpoints(file, slower);
  const dataVersion = file === undefined ? undefined : watchDataVersion(file);
  const demo = settings.demo ? await demoClients(settings) : undefined;
  const own = [ownClient(settings), ...(demo?.clients ?? [])];
  const registry = followClients(options, own, audit);

  const records = openOidcRecords(database, dataVersion);
  const pageSessions = openPageSessions(database);
  const signInLimiters = openSignInLimiters(database, settings.limits);
  const { snapshots, load, ...directory } = await openDirectory(database, settings, log);

  const endState = metrics && addProcessState(metrics, { database, settings, trail: ownTrail });
  if (metrics) addDirectoryState(metrics, { snapshots, load });
  // Of several processes the primary one reads it (`auditPrimaryProcess`).
  if (metrics && !cluster.isWorker) addSharedState(metrics, { database, settings });

  const directoryUse = countDirectoryUse(audit);
  const deliveries = openLogoutDeliveries(database);
  const sealingKeys = () => keys.current().cookies;
  const mails = openMail({ settings, queue: mailQueue, accounts, actionTokens, sealingKeys, audit: trail, log });
  const isShared = sharedPeople(settings);
  const { app, logoutToken } = createApp({
    settings,
    log,
    clients: registry.clients,
    keys,
    records,
    accounts,
    links: openAccountLinks(database),
    pictures: await openPictures(database),
    accountDeletion: openAccountDeletion(database),
    auditEvents,
    isShared,
    consents: keepConsents(openConsents(database), isShared),
    secondFactors: keepFactors(openSecondFactors(database, vault.encryption), isShared),
    passkeys: openPasskeys(database),
    pageSessions: () => openPageSessions(database),
    audit,
    mails,
    loggedOut: async (ended) => {
      await deliveries.add(ended);
      sender.wake();
    },
    signInLimiters,
    actionTokens,
    seenDevices: openSeenDevices(database),
    activity: openAccountActivity(database),
    snapshots,
    directoryUse,
    ...(demo && { demo: demo.options }),
    checks: readinessChecks(database, snapshots),
    lifeCycle: options.lifeCycle ?? { stopping: false },
    metrics: opened,
    tracing: options.tracing,
  });

  const fetch = outgoingFetch(settings);
  const sender = startLogoutSender({ deliveries, token: logoutToken, fetch, audit, log });
  const keepAudit = settings.audit.keep;
  const cleanup = startCleanup({
    engine: settings.database.engine,
    records,
    pageSessions,
    signInLimiters,
    actionTokens,
    auditEvents,
    deliveries,
    mails: mailQueue,
    releasePages: openPageRelease(database),
    lease: openLease(database, 'cleanup'),
    keepAudit,
    log,
    passed: (result) => metrics && countCleanup(metrics, result),
  });

  return {
    app,
    scrape: opened?.scrape,
    metrics,
    replaceClients: registry.replace,
    recordStart: () => void audit.record(serviceStarted(settings, clients)),
    close: async () => {
      await cleanup.stop();
      registry.close();
      await sender.close();
      await audit.settled();
      await mails.close();
      await keys.close();
      await directory.close();
      dataVersion?.close();
      directoryUse.close();
      await audit.close();
      endState?.();
      await checkpoints?.stop();
      await database.destroy();
    },
  };
}

/** The registry of clients: those of `clients.yaml`, whose edits it follows, and the service's own. */
function followClients(
  { settings, clients, clientsMark, log, recordEdits = true }: ServiceOptions,
  own: readonly ClientSettings[],
  audit: AuditTrail,
) {
  const registry = createClientRegistry([...clients, ...own]);
  const replace = (list: readonly ClientSettings[]) => registry.replace([...list, ...own]);
  const edits = recordEdits ? recordClientEdits(audit, clients) : undefined;
  const accepted = (edited: readonly ClientSettings[]) => {
    edits?.accepted(edited);
    replace(edited);
    log.info({ clients: edited.length }, 'clients.yaml: the edit is in force');
  };
  const refused = (error: ConfigurationError) => {
    edits?.refused(error);
    log.error(
      { faults: error.issues.length },
      `clients.yaml: the edit is refused, the last good version stays in force\n${issueReport(error)}`,
    );
  };
  const watch = watchClients(settings, accepted, refused, process.env, clientsMark);
  return { clients: registry, replace, close: () => watch.close() };
}
