// Owns the command `serve`: one process or several, the port, the welcome, the graceful stop.
// Does not own what is served (`service.ts`) nor what a first start loads (`first-start.ts`).

import cluster from 'node:cluster';
import { createServer, type Server } from 'node:http';
import { adviceOn, loadClients, loadSettings } from '../shared/config/index.ts';
import { createLog, type Logger } from '../shared/log.ts';
import type { ClientSettings, Settings } from '../shared/settings.ts';
import type { Command } from './command.ts';
import { demoClients } from './demo-clients.ts';
import { prepareStart } from './first-start.ts';
import { openService } from './service.ts';
import { welcome } from './welcome.ts';

/** Milliseconds that requests in flight have to end when the service is asked to stop. */
const STOP_WITHIN = 10_000;
/** Longer than the idle time of the usual reverse proxies, so that none is cut off in the middle of a reuse. */
const KEEP_ALIVE = 65_000;

export const serveCommand: Command = {
  name: 'serve',
  summary: 'Runs the service: sign-in and directory (what `npm start` runs)',
  help: `Runs the service until it is stopped (Ctrl+C, or SIGTERM: requests in flight are finished first).

Usage: hygie serve

Brings the database to the newest schema, and creates the keys on the first start. In development an empty service is
filled with a fictional directory and demo accounts, and shows its own demo application at /demo.

Environment: HYGIE_ISSUER, HYGIE_PORT, HYGIE_HOST, HYGIE_CONFIG, HYGIE_DATA, DATABASE_URL, HYGIE_PROCESSES, NODE_ENV,
LOG_LEVEL, LOG_FORMAT. What they mean, and all other settings: config/README.md`,
  run: async () => {
    const settings = await loadSettings(process.env);
    const clients = await loadClients(settings);
    const log = createLog(settings.log);
    return cluster.isWorker ? work(settings, clients, log) : lead(settings, clients, log);
  },
};

/** The only process, or the one that starts the others and replaces those that die. */
async function lead(settings: Settings, clients: ClientSettings[], log: Logger): Promise<number> {
  for (const advice of adviceOn(settings)) log.warn(advice);
  await prepareStart(settings, log);
  if (settings.processes === 1) return work(settings, clients, log, () => welcome(settings));
  // Fixes the demo's secret before the others are started, which inherit it.
  if (settings.demo) await demoClients(settings.issuer);
  let stopping = false;
  for (let count = 0; count < settings.processes; count += 1) cluster.fork();
  cluster.on('exit', (worker, code, signal) => {
    if (stopping) return;
    log.error({ worker: worker.process.pid, code, signal }, 'a worker process ended and is replaced');
    setTimeout(() => cluster.fork(), 1000);
  });
  cluster.once('listening', () => welcome(settings));
  await stopSignal();
  stopping = true;
  const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
  await Promise.all(
    workers.map((worker) => {
      const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
      worker.process.kill('SIGTERM');
      return ended;
    }),
  );
  return 0;
}

async function work(
  settings: Settings,
  clients: ClientSettings[],
  log: Logger,
  listening: () => void = () => {},
): Promise<number> {
  const service = await openService({ settings, clients, log });
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE }, service.app);
  try {
    await listen(server, settings);
    listening();
    const signal = await stopSignal();
    log.info({ signal }, 'stopping: requests in flight are finished first');
    await stop(server);
  } finally {
    await service.close();
  }
  log.info('stopped');
  return 0;
}

function listen(server: Server, { listen: { host, port } }: Settings): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const remedy = error.code === 'EADDRINUSE' ? ': it is in use; stop the other program or set HYGIE_PORT' : '';
      reject(new Error(`cannot listen on ${host} port ${port}${remedy || ` (${error.message})`}`));
    });
    server.listen(port, host, resolve);
  });
}

/** Resolves with the first signal that asks for a stop; a second one ends the process at once. */
function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.once(signal, () => {
        process.once(signal, () => process.exit(130));
        resolve(signal);
      });
    }
  });
}

function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const late = setTimeout(() => server.closeAllConnections(), STOP_WITHIN);
    late.unref();
    server.close(() => {
      clearTimeout(late);
      resolve();
    });
    server.closeIdleConnections();
  });
}
