// The command `serve`: runs one process or several, prints the welcome, and stops gracefully.

import cluster from 'node:cluster';
import { setTimeout as pause } from 'node:timers/promises';
import {
  adviceOn,
  ConfigurationError,
  certificateIssues,
  type LoadedClients,
  loadSettings,
  loadWatchedClients,
  tryClientIssues,
} from '#config/index.ts';
import type { ClientSettings, Settings } from '#config/settings.ts';
import { releaseMemory } from '#search-index/index.ts';
import { startDirectoryWatch } from '#server/directory-watch/directory-watch.ts';
import { startMetricsServer } from '#server/metrics/metrics-server.ts';
import { openMetrics } from '#server/metrics/open-metrics.ts';
import { withOpenDatabase } from '#server/open-database.ts';
import { openServers, refusePortsInUse, type Servers } from '#server/process/open-servers.ts';
import {
  closeWithin,
  exitSoon,
  type LifeCycle,
  logProcessMessages,
  onNpmEnd,
  onStopSignals,
} from '#server/process/process-end.ts';
import { keepTickObject, setHeapFlags } from '#server/process/resources.ts';
import { runAsWorker, runWorkers } from '#server/process/workers.ts';
import { openService } from '#server/service.ts';
import { demoClients } from '#server/start/demo-clients.ts';
import { prepareStart } from '#server/start/prepare-start.ts';
import { secureKeys } from '#server/start/secure-keys.ts';
import { auditPrimaryProcess } from '#server/start-record.ts';
import { openTracing } from '#server/tracing/open-tracing.ts';
import { createLog, type Logger } from '#shared/log/log.ts';
import { action, type Command } from './support/command.ts';
import { welcome } from './welcome.ts';

/**
 * Milliseconds that the current step of the start may still take after a stop signal. Such a step may be a migration or the first import of
 * the directory. It gets this long because an interrupted step leaves work half done that needs repair.
 */
const PREPARED_WITHIN = 25_000;
/**
 * Maximum milliseconds in which a process closes its queues and the database, after its requests were cut off. A worker that needs longer
 * is killed.
 */
const CLOSES_WITHIN = 5000;

export const serveCommand: Command = {
  name: 'serve',
  untraced: true,
  summary: 'Runs the service, sign-in and directory, like `npm start`',
  // The command has no options, because settings come from files and the environment. So `serve --port 8080` is refused and not silently
  // ignored.
  action: action({
    text: `
Runs the service until it is stopped (Ctrl+C, SIGTERM or SIGHUP). Then /health/ready is 503 at once, the service goes on for listen.drain, and requests in flight may end within listen.finish. A second signal ends it at once.
Brings the database to the newest schema, and creates the keys on the first start. In development, an empty service gets a fictional directory and demo accounts, and has a demo application at /demo.
For all settings, see config/README.md and config/environment.md.`,
    run: async () => {
      setHeapFlags();
      const letGo = await keepTickObject();
      try {
        if (cluster.isWorker) {
          return await runAsWorker(async (listening) => serve(await load(), stopSignal(), listening));
        }
        const code = await runPrimary(await load());
        exitSoon(code);
        return code;
      } finally {
        letGo();
      }
    },
  }),
};

interface Loaded {
  settings: Settings;
  clients: ClientSettings[];
  loadedClients: LoadedClients;
  log: Logger;
}

async function load(): Promise<Loaded> {
  const settings = await loadSettings(process.env);
  // Pages and mails show times in this time zone. It is set in the environment, because worker processes inherit the environment.
  process.env['TZ'] ??= settings.branding.timeZone;
  const { clients, loaded } = await loadWatchedClients(settings);
  const unfit = tryClientIssues(settings, clients);
  if (unfit.length > 0) throw new ConfigurationError(unfit);
  const log = createLog(settings.log);
  logProcessMessages(log);
  return { settings, clients, loadedClients: loaded, log };
}

/** Runs the service in this process, or runs this process as the primary one of several. */
async function runPrimary(written: Loaded): Promise<number> {
  const { log } = written;
  const refused = await certificateIssues(written.settings);
  if (refused.length > 0) throw new ConfigurationError(refused);
  // From here on, a stop signal does not end the process at once, although the service does not listen yet: the current step of the start
  // ends first.
  const stopRequested = Promise.race([stopSignal(), npmEnd()]);
  let prepared = false;
  let late: NodeJS.Timeout | undefined;
  void stopRequested.then(() => {
    // The step may never end, for example because the database hangs. So the process ends itself after a limited time.
    if (!prepared) late = setTimeout(() => process.exit(130), PREPARED_WITHIN);
  });
  const state = await prepareStart(written.settings, log, stopRequested);
  const settings = await withOpenDatabase(written.settings, (database) => secureKeys(database, written.settings, log));
  // The first start makes the secret by which the watch of `clients.yaml` finds the hash of a client's secret again. So the clients are
  // loaded once more; otherwise the watch would take each secret for a new one.
  const isFirst = written.settings.keys.secrets.length < settings.keys.secrets.length;
  const again = isFirst ? await loadWatchedClients(settings) : undefined;
  const loaded = { ...written, settings, ...(again && { clients: again.clients, loadedClients: again.loaded }) };
  prepared = true;
  clearTimeout(late);
  if (late) return 0;
  for (const advice of adviceOn(settings)) log.warn(advice);
  let watch: ReturnType<typeof startDirectoryWatch> | undefined;
  const listening = () => {
    welcome(settings, { ...state, clients: written.clients.length > 0 });
    const { watch: folder, settle } = settings.directory;
    if (folder !== undefined) watch = startDirectoryWatch({ folder, settle }, settings, log);
  };
  try {
    if (settings.processes === 1) return await serve(loaded, stopRequested, listening);
    await refusePortsInUse(settings.listen);
    // Creates the secret of the demo client before the worker processes are started, because they inherit it.
    if (settings.demo) await demoClients(settings);
    const opened = await openMetrics(settings, true);
    const audit = await auditPrimaryProcess({ ...loaded, metrics: opened?.metrics });
    let endMetrics: (() => Promise<void>) | undefined;
    try {
      endMetrics = opened && (await startMetricsServer(settings, { ...opened, log, main: undefined }));
      await runWorkers({
        count: settings.processes,
        log,
        endWithin: (settings.listen.drain + settings.listen.finish) * 1000 + CLOSES_WITHIN,
        listening: () => {
          listening();
          audit.recordStart();
        },
        died: () => opened?.metrics.count('worker_deaths_total'),
        stop: stopRequested,
      });
    } finally {
      await endMetrics?.();
      opened?.close();
      await audit.close();
    }
    return 0;
  } finally {
    await watch?.stop();
  }
}

async function serve(
  loaded: Loaded,
  stopRequested: Promise<StopReason>,
  listening: () => void = () => {},
): Promise<number> {
  const { settings, log } = loaded;
  const lifeCycle: LifeCycle = { stopping: false };
  const tracing = await openTracing(process.env, (message) => log.warn(message));
  const service = await openService({ ...loaded, recordEdits: !cluster.isWorker, lifeCycle, tracing });
  let endMetrics = async () => {};
  let servers: Servers | undefined;
  try {
    const opened = await openServers(service.app, settings, log);
    servers = opened;
    const metrics = service.metrics?.metrics;
    metrics?.addSource(() => {
      const expiry = opened.certificateExpiry();
      metrics.set('tls_certificate_expiry_timestamp_seconds', {}, expiry && expiry.getTime() / 1000);
    });
    // Frees memory that only the start needed. Otherwise the process would keep it for minutes.
    releaseMemory();
    await servers.listen();
    if (!cluster.isWorker && service.metrics) {
      endMetrics = await startMetricsServer(settings, { ...service.metrics, log, main: service.app });
    }
    listening();
    if (!cluster.isWorker) service.recordStart();
    const signal = await stopRequested;
    lifeCycle.stopping = true;
    const { drain, finish } = settings.listen;
    log.info({ signal, drain }, 'stopping: requests in flight are finished first');
    await servers.end(pause(drain * 1000), finish);
  } finally {
    servers?.close();
    await endMetrics();
    const closing = service.close().then(() => tracing?.close());
    // A worker needs no time limit of its own, because the primary process kills a worker that takes too long.
    await (cluster.isWorker ? closing : closeWithin(CLOSES_WITHIN, closing, log));
  }
  log.info('stopped');
  return 0;
}

type StopReason = NodeJS.Signals | 'end of npm';

function npmEnd(): Promise<StopReason> {
  return new Promise((resolve) => onNpmEnd(() => resolve('end of npm')));
}

/** Resolves with the first stop signal. A later signal ends the process and its workers at once. */
function stopSignal(): Promise<NodeJS.Signals> {
  // A worker ignores a second signal, because it may be a copy of the first one. The system sends a signal to the worker and to the primary
  // process, and the primary process then forwards it.
  const again = cluster.isWorker ? () => {} : undefined;
  return new Promise((resolve) => void onStopSignals(resolve, again));
}
