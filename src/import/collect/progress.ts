// How far an import has come.

/** `switching`: once, when all is decided; what interrupts comes too late from then on. */
export type Phase = 'reading' | 'people' | 'structures' | 'indexing' | 'switching';

export interface Progress {
  phase: Phase;
  /** Share of the phase that is done, 0-1; absent where it cannot be known. */
  done?: number;
  lines: number;
  resources: number;
}

/** Shows every second that the work goes on; ends with what `show` throws, such as an interruption. */
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
