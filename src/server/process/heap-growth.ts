// Keeps the heaps of a serving process near what lives in them (decision 119). Nothing here is a limit at which a process would end.

import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';

/**
 * By how much an old generation may exceed what the last collection found alive, in percent. V8's own choice follows the speed of collections,
 * up to 300 where the machine has memory: 40,000 introspections left 345 MB around 47 MB that lived.
 */
const GROWTH = 100;
/** Milliseconds between two looks at the load, and the share of them below which the process is idle: a process with any load collects in steps. */
const [LOOK_EVERY, IDLE] = [1000, 0.03];

/** Bounds the heaps of this process and of its threads, until it ends. Call it once, before threads are started. */
export function boundHeapGrowth(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH}`);
  // The flag is for the main thread, which has its young generation by now. Of a thread it would override `resourceLimits`.
  setFlagsFromString('--max-semi-space-size=0');
  // V8 (13.6) keeps the pages that collections empty until one that is to save memory. It makes such a one eight seconds after another, unless
  // the process allocates much; it takes nothing at all for much, and then waits for two minutes. With this flag it does not look at that.
  let before = performance.eventLoopUtilization();
  let idle = false;
  const look = () => {
    const now = performance.eventLoopUtilization();
    const isIdle = performance.eventLoopUtilization(now, before).utilization < IDLE;
    before = now;
    if (isIdle !== idle) setFlagsFromString(isIdle ? '--optimize-for-size' : '--no-optimize-for-size');
    idle = isIdle;
  };
  setInterval(look, LOOK_EVERY).unref();
}
