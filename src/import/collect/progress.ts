// Progress of an import, and the time that its phases took.

import { notePhase } from '#shared/request-context.ts';

/**
 * `switching` is the last phase. It is reported once, just before the directory is switched to the new edition. From then on, an
 * interruption comes too late.
 */
export type Phase = 'reading' | 'people' | 'structures' | 'indexing' | 'distributing' | 'switching';

export interface Progress {
  phase: Phase;
  /** Share (0-1) of the phase that is finished; undefined if it cannot be known. */
  done?: number;
  lines: number;
  resources: number;
}

export type PhaseClock = ReturnType<typeof startPhaseClock>;

/** Measures the time of each phase of an import. The first phase begins now. Each further phase begins when the phase before it ends. */
export function startPhaseClock() {
  const started = performance.now();
  const phases: Partial<Record<Phase, number>> = {};
  let phaseStarted = started;
  return {
    /** Seconds that each finished phase took. */
    phases,
    /** Seconds since the start of the import. */
    seconds: () => secondsSince(started),
    endPhase(name: Phase): void {
      phases[name] = secondsSince(phaseStarted);
      notePhase(`import: ${name}`, performance.now() - phaseStarted);
      phaseStarted = performance.now();
    },
  };
}

/** Seconds since `instant`, rounded to hundredths. */
function secondsSince(instant: number): number {
  return Math.round((performance.now() - instant) / 10) / 100;
}

/**
 * Calls `show` at once, and then every second until `work` ends. If `show` throws an error, such as an interruption, the function rejects
 * with this error and does not wait for `work`.
 */
export async function showProgressDuring<Result>(work: Promise<Result>, show: () => void): Promise<Result> {
  const { promise: stopped, reject } = Promise.withResolvers<never>();
  const again = () => {
    try {
      show();
    } catch (error) {
      reject(error);
    }
  };
  again();
  const timer = setInterval(again, 1000);
  return Promise.race([work, stopped]).finally(() => clearInterval(timer));
}
