// Owns what counts as being asked to stop, once or impatiently: SIGTERM, and SIGINT as from Ctrl-C. Does not own how
// anything stops.

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;
/**
 * Milliseconds within which a signal that comes again is the same wish: a terminal or supervisor tells all processes of a group,
 * and npm hands on what it is told.
 */
const SAME_WISH = 1000;

/**
 * Calls `first` with the first signal, and `again` with each that comes later than that wish; by default that one ends the
 * process at once. Returns what ends the listening.
 */
export function onStopSignals(
  first: (signal: NodeJS.Signals) => void,
  again: () => void = () => process.exit(130),
): () => void {
  let asked: number | undefined;
  const listener = (signal: NodeJS.Signals) => {
    if (asked === undefined) {
      asked = performance.now();
      first(signal);
    } else if (performance.now() - asked > SAME_WISH) again();
  };
  for (const signal of SIGNALS) process.on(signal, listener);
  return () => {
    for (const signal of SIGNALS) process.off(signal, listener);
  };
}
