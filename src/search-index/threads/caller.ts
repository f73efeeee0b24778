// On whose behalf a snapshot is called: turns and places in the queue of the threads are shared out among callers, so that a flood from
// one delays and displaces only its own.

import { AsyncLocalStorage } from 'node:async_hooks';

/** Turns go round among groups, and within one among its members. */
export interface Caller {
  group: string;
  member: string;
}

const SERVICE: Caller = { group: '', member: '' };

const callers = new AsyncLocalStorage<Caller>();

/** Runs `work`; what it asks of snapshots, then and later, takes the turns of this caller. */
export function onBehalfOf<Result>(caller: Caller, work: () => Result): Result {
  return callers.run(caller, work);
}

/** Without names for the service itself. */
export function presentCaller(): Caller {
  return callers.getStore() ?? SERVICE;
}
