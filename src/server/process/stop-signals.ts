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
