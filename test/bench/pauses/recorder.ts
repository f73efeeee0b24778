// Loaded into the service by `node --import`: tells on SIGUSR2 for how long its event loop was held up since the last time, as
// one line appended to the file BENCH_PAUSES.

import { appendFileSync, readFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

export interface Pauses {
  /** Milliseconds: the longest pause, and the 99.9th percentile of looks once a millisecond. */
  max: number;
  p999: number;
  /** Milliseconds in which the thread could have run and another one had the processor, where the system tells. */
  waited: number;
}

/** Milliseconds between two looks. */
const RESOLUTION = 1;

if (isMainThread) {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION });
  delay.enable();
  let before = waitedSoFar();
  process.on('SIGUSR2', () => {
    const waited = waitedSoFar();
    const of = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - RESOLUTION);
    const pauses: Pauses = { max: of(delay.max), p999: of(delay.percentile(99.9)), waited: waited - before };
    appendFileSync(process.env['BENCH_PAUSES'] ?? '/dev/null', `${JSON.stringify(pauses)}\n`);
    before = waited;
    delay.reset();
  });
}

/** proc(5), schedstat of the main thread: nanoseconds on the processor, and waiting for it. */
function waitedSoFar(): number {
  try {
    return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6;
  } catch {
    return Number.NaN;
  }
}
