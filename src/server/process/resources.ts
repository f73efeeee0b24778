// How much of the machine a process takes: the growth of its heaps, and its priority.

import { constants, getPriority, setPriority } from 'node:os';
import { setFlagsFromString } from 'node:v8';

/**
 * By how much an old generation may exceed what the last collection found alive, in percent. V8's own choice follows the speed of collections,
 * up to 300 where the machine has memory: 40,000 introspections left 345 MB around 47 MB that lived.
 */
const GROWTH = 100;

/**
 * Keeps the heaps of this process and of its threads near what lives in them, until it ends (decision 119). Nothing here is a limit at which a
 * process would end. Call it once, before threads are started.
 */
export function boundHeapGrowth(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH}`);
  // Resets the flag of the command line. It was meant for the main thread, which has its young generation by now, and would override the
  // `resourceLimits` of threads.
  setFlagsFromString('--max-semi-space-size=0');
}

/** Lets a long command run at a lower priority than the service: this process, and the threads that it starts from now on. */
export function lowerPriority(): void {
  setPriority(Math.max(getPriority(), constants.priority.PRIORITY_BELOW_NORMAL));
}
