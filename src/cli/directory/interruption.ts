// Ctrl-C and other stop signals during an import.

import type { Phase } from '../../import/import-progress.ts';
import { onStopSignals } from '../../server/process/stop-signals.ts';
import { Refusal } from '../../shared/operator-errors.ts';

export const INTERRUPTED = 'Interrupted: the directory is unchanged.';

/**
 * A stop signal ends an import at its next step, so that it clears up; while it only waits, and at a second signal, at once:
 * `last` is what is done before. Once the directory is switched, it is not stopped any more.
 */
export function listenForInterruption(last: () => void, exit: (code: number) => void = process.exit) {
  let interrupted = false;
  let phase: Phase = 'reading';
  const stop = () => {
    if (phase === 'switching') return;
    last();
    exit(130);
  };
  const end = onStopSignals(() => {
    interrupted = true;
    // No progress is reported until the index is finished.
    if (phase === 'indexing') stop();
  }, stop);
  return {
    /** Throws a `Refusal` after a signal. */
    check(now: Phase): void {
      if (interrupted) throw new Refusal(INTERRUPTED);
      phase = now;
    },
    end,
  };
}
