// The end of a process. The first stop signal asks the process to stop, and a later signal ends it at once. Closing has a time limit. An
// error that nothing handles is logged, and ends the process, too. Warnings of Node are also logged: Node itself would print them beside
// the log, with the secrets in them. `end-http-server.ts` ends the servers meanwhile (`listen.drain`, `listen.finish`).

import type { Logger } from '#shared/log/log.ts';
import { withinTime } from '#shared/promises.ts';

/** Shows the parts of the process whether it is stopping. Once it is, the process is no longer ready. */
export interface LifeCycle {
  /** True from the first stop signal on. */
  stopping: boolean;
}

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
/**
 * Milliseconds in which a repeated signal is taken to be the same one. A signal can come twice, because a terminal sends it to a whole
 * group of processes, and npm forwards it, too.
 */
const SAME_SIGNAL = 1000;

/**
 * Calls `first` with the first signal and `again` with each later one. By default, `again` ends the process at once. Returns a function
 * that removes the listeners.
 */
export function onStopSignals(
  first: (signal: NodeJS.Signals) => void,
  again: () => void = () => process.exit(130),
): () => void {
  let receivedAt: number | undefined;
  const listener = (signal: NodeJS.Signals) => {
    if (receivedAt === undefined) {
      receivedAt = performance.now();
      first(signal);
    } else if (performance.now() - receivedAt > SAME_SIGNAL) again();
  };
  for (const signal of SIGNALS) process.on(signal, listener);
  return () => {
    for (const signal of SIGNALS) process.off(signal, listener);
  };
}

// If npm is killed, or ended by a closed terminal, it forwards no signal to the service that it started. The service would keep its port,
// and nobody would be left to stop it. So the service itself looks for the end of npm.

/** Milliseconds between two checks whether npm has ended. */
const LOOK_EVERY = 1000;

/** Calls `ended` once when the npm that started this process has ended. If npm did not start it, `ended` is never called. */
export function onNpmEnd(ended: () => void, env: NodeJS.ProcessEnv = process.env): void {
  const parent = process.ppid;
  if (env['npm_lifecycle_event'] === undefined || parent <= 1) return;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    ended();
  }, LOOK_EVERY);
  timer.unref();
}

/**
 * Resolves when `closing` does. If that takes more than `milliseconds`, logs a line and resolves without waiting any longer. Rejects if
 * `closing` rejects in time.
 */
export async function closeWithin(
  milliseconds: number,
  closing: Promise<unknown>,
  log: Pick<Logger, 'error'>,
): Promise<void> {
  const closed = await withinTime(
    closing.then(() => true),
    milliseconds,
    false,
  );
  if (!closed) log.error('stopping: queues and database did not close in time; the process ends without');
}

/**
 * Ends the process with this code after `milliseconds`, if it has not ended by itself. Call it when everything is closed. It is needed
 * because passwords of requests that were cut off might still wait minutes for their check, for example in a flood of sign-ins.
 */
export function exitSoon(code: number, milliseconds = 1000): void {
  setTimeout(() => process.exit(code), milliseconds).unref();
}

/**
 * From now on, an unhandled error or rejection becomes one line of the log, and the process ends with the exit code 1. Secrets are masked
 * in this line as in all others, because an error of the database or of a client library may quote them. `from` is the process; tests pass
 * another one.
 */
export function logProcessMessages(
  log: Pick<Logger, 'fatal' | 'warn'>,
  from: Pick<NodeJS.Process, 'on' | 'removeAllListeners' | 'exit' | 'env'> = process,
): void {
  from.on('uncaughtException', (err: unknown, origin: string) => {
    log.fatal({ err, origin }, 'an error that nothing handles: the process ends');
    from.exit(1);
  });
  // The only listener until now is Node's own, which would print the warning beside the log.
  from.removeAllListeners('warning');
  from.on('warning', (err: Error) => log.warn({ err }, 'Node warns'));
  const { NODE_DEBUG: parts } = from.env;
  if (parts) {
    log.warn(
      { parts },
      'NODE_DEBUG is set: Node prints addresses and headers, and the secrets in them, beside this log. Unset it.',
    );
  }
}
