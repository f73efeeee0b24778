// Puts a running service together from its settings, part by part, and takes it apart again.

import { outgoingFetch } from '#openid/clients/outbound-fetch.ts';
import { startLogoutSender } from '#openid/logout/backchannel-logout.ts';
import { withNotices } from '#openid/mail/notices.ts';
import { createSecretHashing } from '#shared/crypto/secret-hash.ts';
import type { Logger } from '#shared/log/log.ts';
import { withinContext } from '#shared/request-context.ts';
import { openLease } from '#store/database/lease.ts';
import { createApp } from './app.ts';
import { startCleanup } from './cleanup.ts';
import { startHeartbeat } from './instances/heartbeat.ts';
import { type OpenMetrics, openMetrics } from './metrics/open-metrics.ts';
import { countCleanup } from './metrics/process-state.ts';
import { openAuditedDatabase } from './open-audited-database.ts';
import { openClients, type WrittenClients } from './open-clients.ts';
import { openDirectory } from './open-directory.ts';
import { openMail } from './open-mail.ts';
import { followKeys, openKeyVault } from './open-service-keys.ts';
import { openStores } from './open-stores.ts';
import { type Closers, openWithClosers } from './process/closers.ts';
import type { ExpressListener } from './process/http-server.ts';
import { readinessChecks } from './readiness-checks.ts';
import { openDemo } from './start/demo-clients.ts';
import { sharedPeople } from './start/fictional-people.ts';
import { serviceStarted } from './start-record.ts';
import type { Tracing } from './tracing/tracing.ts';

interface Service {
  app: ExpressListener;
  /** Absent if the settings want no metrics. */
  metrics: OpenMetrics | undefined;
  /** Replaces the clients, with the same effect as an edit of `clients.yaml`. */
  replaceClients: ReturnType<typeof openClients>['replace'];
  /** Records the start in the audit trail. Call it once requests are answered. */
  recordStart(): void;
  /** Stops the timers and closes the database. Requests should have ended by then. */
  close(): Promise<void>;
}

interface ServiceOptions extends WrittenClients {
  log: Logger;
  /** True if this process records edits of the clients. If there are workers, the primary process records them (`auditPrimaryProcess`). */
  recordEdits?: boolean;
  /** Traces requests, and work that no request waits for. */
  tracing?: Tracing | undefined;
  /** Cost of hashing passwords, and of hashing the client secret of the demo. By default, the usual cost of each (`secret-hash.ts`). */
  passwordCost?: Parameters<typeof createSecretHashing>[0];
  /** Milliseconds between two checks for mails, logout tokens, corrections of the directory, and another edition. By default a second. */
  lookEvery?: number | undefined;
  /** The life cycle of this process. By default it never stops. */
  lifeCycle?: Parameters<typeof createApp>[0]['health']['lifeCycle'];
}

/** Opens a migrated database and builds the application. Rejects when the database does not answer. */
export function openService(options: ServiceOptions): Promise<Service> {
  const { tracing } = options;
  const openParts = () => openWithClosers((closers) => open(options, closers));
  // Timers, queues and connections that `openParts` starts keep this context, so that their work is traced.
  return tracing ? withinContext({ tracer: tracing.tracer }, openParts) : openParts();
}

async function open(options: ServiceOptions, closers: Closers): Promise<Service> {
  const { settings, clients, log, tracing, lifeCycle = { stopping: false }, recordEdits = true } = options;
  const opened = await openMetrics(settings);
  const metrics = opened?.metrics;
  const { database, audit: trail } = await openAuditedDatabase({ settings, log, metrics }, closers);
  const vault = openKeyVault(database, settings);
  const keys = await followKeys({ vault, settings, log, audit: trail }, closers);
  const isShared = sharedPeople(settings);
  const stores = await openStores({ database, settings, log, encryption: vault.encryption, isShared }, closers);

  const sealingKeys = () => keys.current().cookies;
  const mails = openMail({ settings, stores, sealingKeys, audit: trail, log, lookEvery: options.lookEvery }, closers);
  const addressOf = async (id: string) => (await stores.accounts.find(id))?.email;
  const audit = withNotices(trail, { enqueue: mails.enqueue, addressOf, log });
  closers.add(audit.settled);

  const demo = settings.demo ? await openDemo(settings, options.passwordCost) : undefined;
  const registry = openClients(
    { ...options, demoClients: demo?.clients ?? [], audit: recordEdits ? audit : undefined, metrics },
    closers,
  );
  const directory = await openDirectory(
    { database, settings, log, audit, metrics, lookEvery: options.lookEvery },
    closers,
  );
  const { snapshots } = directory;
  const heartbeat = startHeartbeat({ database, settings, snapshots, clients: registry.digest, metrics, log });
  closers.add(heartbeat.stop);
  const { app, logoutToken } = createApp({
    settings,
    log,
    audit,
    clients: registry.clients,
    keys,
    hashing: createSecretHashing(options.passwordCost),
    stores,
    directory,
    outgoing: {
      mails,
      loggedOut: async (ended) => {
        await stores.logoutDeliveries.add(ended);
        sender.wake();
      },
    },
    health: { checks: readinessChecks(database, snapshots, settings.directory, heartbeat.clockAhead), lifeCycle },
    observability: { metrics: opened, tracing },
    fictional: { isShared, demo: demo?.options },
  });

  const sender = startLogoutSender({
    deliveries: stores.logoutDeliveries,
    token: logoutToken,
    fetch: outgoingFetch(settings),
    audit,
    log,
    lookEvery: options.lookEvery,
  });
  closers.add(sender.close);
  const cleanup = startCleanup({
    stores,
    cleanUpCorrections: directory.cleanUpCorrections,
    lease: openLease(database, 'cleanup'),
    engine: settings.database.engine,
    keepAudit: settings.audit.keep,
    log,
    passed: (result) => metrics && countCleanup(metrics, result),
  });
  closers.add(cleanup.stop);

  return {
    app,
    metrics: opened,
    replaceClients: registry.replace,
    recordStart: () => void audit.record(serviceStarted(settings, clients)),
    close: closers.close,
  };
}
