// Seconds that an import reports, in all and by phase.

/** A clock that began at `started` (milliseconds of `performance.now`); seconds are rounded to hundredths. */
export function createClock(started: number) {
  const phases: Record<string, number> = {};
  let last = started;
  const seconds = (from: number) => Math.round((performance.now() - from) / 10) / 100;
  return {
    mark(phase: string): void {
      phases[phase] = seconds(last);
      last = performance.now();
    },
    phases: () => phases,
    total: () => seconds(started),
  };
}
