// Turns SIGTERM, SIGINT and SIGHUP (a closed terminal) into one request to stop, and into a second, impatient one.

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
/** Milliseconds within which a repeated signal is the same one: a terminal signals a whole group, and npm forwards it. */
const SAME_SIGNAL = 1000;

/**
 * Calls `first` with the first signal and `again` with each later one: by default the process exits at once. Returns a
 * function that removes the listeners.
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

// Notices the end of npm, where npm has started the service: npm that is killed, or that a closed terminal ends, hands no signal on,
// and the service would keep its port with nobody left to stop it.

/** Milliseconds between two looks. */
const LOOK_EVERY = 1000;

/** Calls `ended` once when the npm that started this process has ended; never where the process was started otherwise. */
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
