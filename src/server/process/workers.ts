// Runs a service in several worker processes (`processes`, by `node:cluster`): starts them, replaces dead ones, and ends them all.

import cluster, { type Worker } from 'node:cluster';
import { redactText } from '#shared/log/redaction.ts';

/** Message of a worker to the primary process: that it listens, or the reason why it cannot start. */
type Started = { listens: true } | { cannotStart: string };

interface WorkersOptions {
  count: number;
  log: { info(entry: object, message: string): void; error(entry: object, message: string): void };
  /** Milliseconds that a worker may take to end before it is killed. */
  endWithin: number;
  /** Called once, when the first worker listens. */
  listening(): void;
  /** Called when a worker has ended by itself and will be replaced. */
  died?(): void;
  /** Resolves when the service has to stop. */
  stop: Promise<unknown>;
}

/**
 * Milliseconds before a dead worker is replaced. They double with each death, up to LONGEST_PAUSE. If the dead worker had lived for
 * STABLE_AFTER, they start again at FIRST_PAUSE.
 */
const FIRST_PAUSE = 1000;
const LONGEST_PAUSE = 30_000;
const STABLE_AFTER = 60_000;

/**
 * Runs `count` workers until `stop`, then waits until all have ended. Rejects if a worker cannot start. A worker that replaces a dead one
 * is an exception: as long as other workers serve, its start is tried again.
 */
export async function runWorkers({
  count,
  log,
  endWithin,
  listening,
  died = () => {},
  stop,
}: WorkersOptions): Promise<void> {
  const serving = new Set<Worker>();
  const timers = new Set<NodeJS.Timeout>();
  let stopping = false;
  let pause = FIRST_PAUSE;
  let started = 0;

  const failed = new Promise<never>((_, reject) => {
    const start = (replacing: boolean) => {
      const worker = cluster.fork();
      const startedAt = Date.now();
      let reason = '';
      worker.on('message', (message: Started | object) => {
        if ('cannotStart' in message) reason = message.cannotStart;
        // Ignores messages of other parts, which share the channel (`metrics/scrape-workers.ts`).
        if (!('listens' in message)) return;
        serving.add(worker);
        started += 1;
        log.info({ worker: worker.process.pid }, 'a worker process listens');
        if (started === 1) listening();
      });
      // If the process could not be started, no exit event follows, so its end is handled here.
      worker.on('error', ({ message }) => {
        reason = message;
        if (worker.process.pid === undefined) ended(null, '');
      });
      worker.once('exit', (code, signal) => ended(code, signal));
      const ended = (code: number | null, signal: string) => {
        const served = serving.delete(worker);
        if (stopping) return;
        if (!served && (!replacing || serving.size === 0)) {
          reject(new Error(reason || `a worker process ended before it listened (${signal || `exit code ${code}`})`));
          return;
        }
        if (Date.now() - startedAt >= STABLE_AFTER) pause = FIRST_PAUSE;
        const entry = { worker: worker.process.pid, code, signal, ...(reason && { reason }), replacedIn: pause };
        log.error(entry, 'a worker process ended and is replaced');
        died();
        const timer = setTimeout(() => {
          timers.delete(timer);
          start(true);
        }, pause);
        timers.add(timer);
        pause = Math.min(2 * pause, LONGEST_PAUSE);
      };
    };
    for (let number = 0; number < count; number += 1) start(false);
  });

  try {
    await Promise.race([stop, failed]);
  } finally {
    stopping = true;
    for (const timer of timers) clearTimeout(timer);
    await stopAll(endWithin, log);
  }
}

async function stopAll(endWithin: number, log: WorkersOptions['log']): Promise<void> {
  const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
  const alive = workers.filter((worker) => !worker.isDead());
  await Promise.all(
    alive.map(async (worker) => {
      const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
      worker.process.kill('SIGTERM');
      const late = setTimeout(() => {
        log.error({ worker: worker.process.pid }, 'a worker process does not end and is killed');
        worker.process.kill('SIGKILL');
      }, endWithin);
      await ended;
      clearTimeout(late);
    }),
  );
}

/**
 * Runs `work` in a worker process. The process ends afterwards, because its channel to the primary process, which would keep it alive, is
 * closed. `work` calls `listening` once it listens. Resolves with the exit code. A failure goes to the primary process, which reports it.
 */
export async function runAsWorker(work: (listening: () => void) => Promise<number>): Promise<number> {
  try {
    return await work(() => void tell({ listens: true }));
  } catch (error) {
    await tell({ cannotStart: redactText(error instanceof Error ? error.message : String(error)) });
    return 1;
  } finally {
    cluster.worker?.disconnect();
  }
}

function tell(message: Started): Promise<void> {
  return new Promise((resolve) => process.send?.(message, undefined, undefined, () => resolve()));
}
