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
 * Sets flags of V8 for the heaps of this process and of its threads: they stay near the size of their living objects, and new objects start
 * in the young generation (decision 119). No flag sets a limit at which a process would end. Call it once, before threads are started.
 */
export function setHeapFlags(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH}`);
  // Without this flag, V8 may allocate small objects of each request in the old generation, such as the array of two listeners of one event.
  // They keep the answered request alive until the next full collection.
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
