// Loaded into the service by `node --import`: tells on SIGUSR2 for how long its event loop was held up since the last time, as
// one line appended to the file BENCH_PAUSES.
//
// A pause has two parts: what the service itself did, and the time in which another process had the processor. Only the first is the
// service's; on a machine where anything else runs, the second is the longer one. Linux tells it (schedstat), elsewhere it counts as none.

import { appendFileSync, closeSync, openSync, readSync } from 'node:fs';
import { PerformanceObserver } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

export interface Pauses {
  /** Milliseconds: the longest pause, and the 99.9th percentile of looks once a millisecond. */
  max: number;
  p999: number;
  /** The longest pause without the time that the thread waited for the processor. */
  own: number;
  /** The longest garbage collection, waiting for the processor and for the threads that help it included. */
  collection: number;
  /** Milliseconds in which the thread could have run and another one had the processor, where the system tells. */
  waited: number;
}

/** Milliseconds between two looks. */
const RESOLUTION = 1;

if (isMainThread) {
  const waitedSoFar = openWaited();
  let pauses: number[] = [];
  let own = 0;
  let collection = 0;
  let last = performance.now();
  let lastWaited = waitedSoFar();
  let since = lastWaited;
  const collections = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) collection = Math.max(collection, duration);
  });
  collections.observe({ entryTypes: ['gc'] });
  const look = () => {
    const now = performance.now();
    const waited = waitedSoFar();
    const pause = Math.max(0, now - last - RESOLUTION);
    pauses.push(pause);
    own = Math.max(own, pause - (waited - lastWaited));
    [last, lastWaited] = [now, waited];
  };
  setInterval(look, RESOLUTION).unref();
  process.on('SIGUSR2', () => {
    look();
    pauses.sort((one, other) => one - other);
    const p999 = pauses[Math.floor(pauses.length * 0.999)] ?? 0;
    const told: Pauses = { max: pauses.at(-1) ?? 0, p999, own, collection, waited: lastWaited - since };
    appendFileSync(process.env['BENCH_PAUSES'] ?? '/dev/null', `${JSON.stringify(told)}\n`);
    [pauses, own, collection] = [[], 0, 0];
    [last, lastWaited] = [performance.now(), waitedSoFar()];
    since = lastWaited;
  });
}

/** proc(5), schedstat of the main thread: nanoseconds on the processor, and waiting for it. Returns the latter in milliseconds. */
function openWaited(): () => number {
  const buffer = Buffer.alloc(128);
  let file: number;
  try {
    file = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
  } catch {
    return () => 0;
  }
  process.once('exit', () => closeSync(file));
  return () => Number(buffer.toString('latin1', 0, readSync(file, buffer, 0, buffer.length, 0)).split(' ')[1]) / 1e6;
}
