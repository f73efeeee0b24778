// The end of a process: stop signals become one request to stop and a second, impatient one, and closing has a time limit.

import type { Logger } from '#shared/log/log.ts';
import { withinTime } from '#shared/promises.ts';

/** The end of the process, as its parts see it: readiness is withdrawn at once. */
export interface LifeCycle {
  /** True from the first stop signal on. */
  stopping: boolean;
}

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
/** Milliseconds within which a repeated signal counts as the same one: a terminal signals a whole group, and npm forwards the signal. */
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

// Notices the end of the npm that started the service. If npm is killed, or a closed terminal ends it, it forwards no signal, and the
// service would keep its port with nobody left to stop it.

/** Milliseconds between two looks. */
const LOOK_EVERY = 1000;

/** Calls `ended` once when the npm that started this process has ended. If npm did not start it, it is never called. */
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

/** Resolves when `closing` does, or after that many milliseconds, with a line in the log. If `closing` rejects before, so does this. */
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
 * Ends the process with this code after that many milliseconds, unless it has ended by itself. Call it when everything is closed: passwords
 * of requests that were cut off, for example in a flood of sign-ins, may still wait minutes for their check.
 */
export function exitSoon(code: number, milliseconds = 1000): void {
  setTimeout(() => process.exit(code), milliseconds).unref();
}
