// Progress of an import, and the time that its phases took.

import { notePhase } from '#shared/request-context.ts';

/** `switching` comes once, when everything is decided. After it, an interruption comes too late. */
export type Phase = 'reading' | 'people' | 'structures' | 'indexing' | 'distributing' | 'switching';

export interface Progress {
  phase: Phase;
  /** Finished share of the phase, 0-1; undefined if it cannot be known. */
  done?: number;
  lines: number;
  resources: number;
}

export type PhaseClock = ReturnType<typeof startPhaseClock>;

/** Measures the phases of an import. The first phase begins now, and each further one when the phase before it ends. */
export function startPhaseClock() {
  const started = performance.now();
  const phases: Partial<Record<Phase, number>> = {};
  let phaseStarted = started;
  return {
    /** Seconds by phase. */
    phases,
    /** Seconds since the start. */
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

/** Calls `show` every second until the work ends. An error that `show` throws, such as an interruption, ends the wait. */
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
