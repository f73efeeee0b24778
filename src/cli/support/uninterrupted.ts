// Lets a command finish what it has begun when it is asked to stop: a change without its record in the audit trail, and the mail about it,
// would be half of it, and a repeated command would find nothing left to do.

import { onStopSignals } from '../../server/process/stop-signals.ts';

/** Runs `work` to its end; a stop signal that came meanwhile then ends the process. A second one, a second later, ends it at once. */
export async function uninterrupted<Result>(work: () => Promise<Result>): Promise<Result> {
  let stopped: NodeJS.Signals | undefined;
  const release = onStopSignals((signal) => {
    stopped = signal;
  });
  try {
    return await work();
  } finally {
    release();
    if (stopped) process.kill(process.pid, stopped);
  }
}
