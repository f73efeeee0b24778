// Limits what a process takes of the machine, and keeps Node's `nextTick` fast.

import { executionAsyncResource } from 'node:async_hooks';
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

/**
 * Keeps an object in which Node has stored a call of `process.nextTick`, until the returned function is called. If a full collection finds
 * no such object alive, V8 forgets their hidden class, and from then on makes all of them in a slow way. That took 1.4 to 5 microseconds of
 * each request, because it happened in the collection before the process listens (decision 119).
 */
export async function keepTickObject(): Promise<() => void> {
  const kept = new Set<object>();
  await new Promise<void>((resolve) => {
    process.nextTick(() => {
      kept.add(executionAsyncResource());
      resolve();
    });
  });
  return () => kept.clear();
}

/** Lets a long command run at a lower priority than the service: this process, and the threads that it starts from now on. */
export function lowerPriority(): void {
  setPriority(Math.max(getPriority(), constants.priority.PRIORITY_BELOW_NORMAL));
}
