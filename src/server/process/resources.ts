// Limits what a process takes of the machine: the growth of its heaps, and its priority.

import { constants, getPriority, setPriority } from 'node:os';
import { setFlagsFromString } from 'node:v8';

/**
 * Percentage by which the old generation of the heap may exceed the objects that its last collection found alive. Without this flag, V8
 * computes the percentage from the speed of collections, and it may be 300. A process with 47 MB of living objects then took 345 MB in all
 * (decision 119).
 */
const GROWTH = 70;

/**
 * Keeps the heaps of this process and of its threads near the size of their living objects (decision 119). It sets no limit at which a
 * process would end. Call it once, before threads are started.
 */
export function boundHeapGrowth(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH}`);
  // Without this flag, V8 may learn to allocate small things of each request among the old objects, such as the array of two listeners of
  // one event. Each answered request then survives the cheap collections, and costs up to twice the processor time.
  setFlagsFromString('--no-allocation-site-pretenuring');
  // Resets the flag `--max-semi-space-size` of the command line. It limits the young generation of a heap, and was meant only for the main
  // thread. The heap of the main thread exists by now and keeps this limit. For threads that start later, the flag would override their
  // `resourceLimits`.
  setFlagsFromString('--max-semi-space-size=0');
}

/** Lets a long command run at a lower priority than the service: this process, and the threads that it starts from now on. */
export function lowerPriority(): void {
  setPriority(Math.max(getPriority(), constants.priority.PRIORITY_BELOW_NORMAL));
}
