// On whose behalf a snapshot is called: turns and places in the queue of the threads are shared out among callers, so that a flood from
// one delays and displaces only its own.

import { AsyncLocalStorage } from 'node:async_hooks';

const callers = new AsyncLocalStorage<string>();

/** Runs `work`; what it asks of snapshots, then and later, takes the turns of this caller. */
export function onBehalfOf<Result>(caller: string, work: () => Result): Result {
  return callers.run(caller, work);
}

/** Empty for the service itself. */
export function presentCaller(): string {
  return callers.getStore() ?? '';
}
