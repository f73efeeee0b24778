// The pool of search threads. It distributes calls among them, limits how many calls wait and for how long, and replaces a dead thread. So
// the thread that answers requests is blocked neither by a long search nor by a file that is not in memory.

import { stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { SMALL_FILE } from '#search-index/file-layout.ts';
import { openSnapshot } from '#search-index/read/reader.ts';
import { Abandoned, TooCostly, Unavailable } from '#search-index/search-errors.ts';
import type { ResourceChecks, Snapshot } from '#search-index/snapshot.ts';
import { createJobQueue, isCostly, type Job, presentCaller } from './job-queue.ts';
import { type Answer, type Call, type Description, describe, type SentError } from './messages.ts';
import { pointLookups } from './point-lookup.ts';
import { startThread, type ThreadHandle } from './thread-handle.ts';
import { threadedSnapshot } from './threaded-snapshot.ts';

/**
 * Returns the maximum number of search threads of one process.
 * @param wanted the setting `directory.searchThreads`; `auto` gives at least two, so that a short search need not wait for a long one
 * @param processes number of processes that share the machine
 */
export function threadCount(wanted: number | 'auto', processes: number, cores = availableParallelism()): number {
  return wanted === 'auto' ? Math.max(2, Math.min(4, Math.floor(cores / processes))) : wanted;
}

export interface SearchThreadsOptions {
  /**
   * Maximum number of threads. The first thread starts when `open` opens a large file, or else at the first search. A further thread starts
   * when all running threads are busy.
   */
  threads: number;
  /** Address of a module that exports `checks: ResourceChecks`. Without it, snapshots are opened without checks. */
  checks?: string;
  /** Checks whether a file is known to be in memory. While it is, single resources are looked up in the calling thread. */
  isInMemory?: (file: string) => boolean;
  /**
   * Maximum number of cheap calls that wait, and also of costly calls that wait; 500 by default. If another call comes, one of the waiting
   * calls is refused: in the group with the most calls, the newest call of the member with the most calls.
   */
  waiting?: number;
  /** A call is given up after this many milliseconds; 30 000 by default. */
  within?: number;
  /** Called when a thread has died and is about to be replaced. `jobs` is the number of calls that were running in it. */
  onDeath?(error: Error, jobs: number): void;
  /** Called at most once a minute with the number of calls that were refused or given up. */
  onOverload?(refused: number): void;
}

export interface SearchThreads {
  /** Opens a snapshot file. Throws like `openSnapshot`. Calls of the snapshot may also reject with `Unavailable`. */
  open(file: string): Promise<Snapshot>;
  /** Numbers of calls: those that wait, those that run, and those that were refused or given up since the start. */
  load(): { waiting: number; running: number; refused: number };
  /** Ends the threads. Call it after all snapshots are closed. */
  close(): Promise<void>;
}

/** Maximum number of calls that run in one thread at the same time. The thread switches between them every few milliseconds. */
const MOST_RUNNING = 32;
/** Maximum number of costly calls that run in one thread at the same time. */
const MOST_COSTLY = 4;
/** Milliseconds between two checks for calls that have taken too long, or that nobody waits for any more. */
const LOOK_EVERY = 500;
const REPORT_EVERY = 60_000;
/**
 * Milliseconds before a dead thread is replaced. The first dead thread is replaced at once. If another thread dies before any call was
 * answered, its replacement waits. The pause doubles with each further death, up to `LONGEST_PAUSE`.
 */
const [FIRST_PAUSE, LONGEST_PAUSE] = [100, 10_000];

interface Slot {
  thread: ThreadHandle;
  running: Map<number, Job>;
  costly: number;
}

export function startSearchThreads(options: SearchThreadsOptions): SearchThreads {
  const { threads, checks, waiting = 500, within = 30_000, onDeath = () => {}, onOverload = () => {} } = options;
  const { isInMemory = () => false } = options;
  const files = new Map<number, string>();
  const queue = createJobQueue(waiting);
  // One slot for each thread that may run, undefined while the thread does not run. The index is the number of the thread. If several
  // threads are allowed, thread 0 gets no costly calls, so that cheap calls need not wait for them.
  const slots: (Slot | undefined)[] = Array.from({ length: threads });
  let numbers = 0;
  let deaths = 0;
  let resting: NodeJS.Timeout | undefined;
  let closed = false;
  let refused = 0;
  let refusedInAll = 0;
  const refuse = () => {
    refused++;
    refusedInAll++;
  };
  let reportedAt = Number.NEGATIVE_INFINITY;

  const start = (number: number): Slot => {
    const slot: Slot = {
      running: new Map(),
      costly: 0,
      thread: startThread(checks, {
        onAnswer: (answer) => {
          deaths = 0;
          answered(slot, answer);
        },
        onDeath: (error) => died(number, slot, error),
      }),
    };
    slots[number] = slot;
    for (const [open, file] of files) slot.thread.send({ open, file });
    return slot;
  };

  /** Returns the slot with the fewest calls among those that have room, from number `first` on. */
  const leastBusy = (first: number, costly: boolean): Slot | undefined => {
    let best: Slot | undefined;
    for (let number = first; number < threads; number++) {
      const slot = slots[number];
      if (slot && hasRoom(slot, costly) && (!best || slot.running.size < best.running.size)) best = slot;
    }
    return best;
  };

  /**
   * Returns the slot for a further call. If all running threads are busy, starts another one, except while the replacement of a dead thread
   * waits. Undefined if no slot has room.
   */
  const slotFor = (costly: boolean): Slot | undefined => {
    const first = costly && threads > 1 ? 1 : 0;
    const best = leastBusy(first, costly);
    if (best?.running.size === 0 || resting !== undefined) return best;
    const unused = slots.indexOf(undefined, first);
    return unused < 0 ? best : start(unused);
  };

  const dispatch = () => {
    for (const costly of [false, true]) {
      while (queue.has(costly)) {
        const slot = slotFor(costly);
        const job = slot && queue.take(costly);
        if (!job) break;
        if (job.abandoned()) {
          job.reject(new Abandoned());
          continue;
        }
        slot.running.set(job.number, job);
        if (costly) slot.costly++;
        const { number, snapshot, call } = job;
        slot.thread.run({ number, snapshot, call });
      }
    }
  };

  const submit = (snapshot: number, call: Call, abandoned = () => false): Promise<unknown> => {
    if (closed) return Promise.reject(stopping());
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const common = { number: numbers++, snapshot, call, caller: presentCaller(), abandoned, resolve, reject };
    const job: Job = { ...common, costly: isCostly(call), since: performance.now(), failures: 0, givenUp: false };
    const turnedAway = queue.add(job);
    if (turnedAway) {
      refuse();
      turnedAway.reject(new Unavailable('Too many searches are waiting.', 2));
    }
    if (turnedAway !== job) dispatch();
    return promise;
  };

  const release = (slot: Slot, number: number): Job | undefined => {
    const job = slot.running.get(number);
    slot.running.delete(number);
    if (job?.costly) slot.costly--;
    return job;
  };

  /** Repeats a job after its thread has failed. If this happens a second time, rejects the job instead. */
  const again = (job: Job, reason: string) => {
    if (job.givenUp) return;
    // The pool is closing, so no thread would take the job.
    if (closed) job.reject(stopping());
    else if (job.failures++ > 0) job.reject(new Unavailable(reason, 5));
    else queue.repeat(job);
  };

  const answered = (slot: Slot, answer: Answer) => {
    const job = release(slot, answer.number);
    if (job && 'value' in answer) job.resolve(answer.value);
    else if (job && 'error' in answer) {
      if (answer.error.notOpen && job.call.method !== 'describe') again(job, 'This edition cannot be read any more.');
      else job.reject(revived(answer.error));
    }
    if (queue.size() > 0) dispatch();
  };

  const died = (number: number, slot: Slot, error: Error) => {
    slots[number] = undefined;
    onDeath(error, slot.running.size);
    for (const job of slot.running.values()) again(job, 'A thread of the search ended early.');
    deaths++;
    if (deaths > 1 && !closed) {
      clearTimeout(resting);
      const pause = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (deaths - 2));
      resting = setTimeout(() => {
        resting = undefined;
        dispatch();
      }, pause).unref();
    }
    dispatch();
  };

  const look = () => {
    const now = performance.now();
    // The opening of a file (`describe`) is never given up, because it takes as long as the disk needs.
    const late = ({ since, call }: Job) => call.method !== 'describe' && now - since > within;
    const giveUp = (job: Job) => {
      job.givenUp = true;
      if (job.abandoned()) return job.reject(new Abandoned());
      refuse();
      job.reject(new Unavailable(`The search was not done within ${within / 1000} s.`, 10));
    };
    for (const job of queue.remove((one) => late(one) || one.abandoned())) giveUp(job);
    for (const slot of slots) {
      // The job stays in `running` until the thread reports its end, because the thread is occupied until then.
      for (const job of slot?.running.values() ?? [])
        if (!job.givenUp && (late(job) || job.abandoned())) {
          slot?.thread.send({ abandon: job.number });
          giveUp(job);
        }
    }
    if (refused > 0 && now - reportedAt > REPORT_EVERY) {
      onOverload(refused);
      [refused, reportedAt] = [0, now];
    }
  };
  const timer = setInterval(look, LOOK_EVERY).unref();

  return {
    async open(file) {
      const number = numbers++;
      files.set(number, file);
      for (const slot of slots) slot?.thread.send({ open: number, file });
      const forget = () => {
        files.delete(number);
        for (const slot of slots) slot?.thread.send({ close: number });
      };
      try {
        const own = checks === undefined ? {} : ((await import(checks)) as { checks: ResourceChecks }).checks;
        const size = (await stat(file).catch(() => undefined))?.size ?? 0;
        // A thread takes 90 ms of processor time and 15 MB. A service in which people only sign in needs no search thread. So a small file
        // is opened in this thread, and no search thread is started yet.
        const here = slots.some(Boolean) || size > SMALL_FILE ? undefined : await openSnapshot(file, own);
        const description = here
          ? await describe(here)
          : ((await submit(number, { method: 'describe', arguments: [] })) as Description);
        const lookups = pointLookups(file, own, isInMemory, here);
        const close = () => {
          forget();
          return lookups.close();
        };
        // `point-lookup.ts` may answer a look-up of one id or identifier in this thread. Other calls go to a search thread.
        const hereOrInThread = (call: Call, abandoned?: () => boolean) =>
          lookups.answer(call) ?? submit(number, call, abandoned);
        return threadedSnapshot(description, hereOrInThread, close);
      } catch (error) {
        forget();
        throw error;
      }
    },
    load: () => ({
      waiting: queue.size(),
      running: slots.reduce((sum, slot) => sum + (slot?.running.size ?? 0), 0),
      refused: refusedInAll,
    }),
    async close() {
      closed = true;
      clearInterval(timer);
      clearTimeout(resting);
      for (const job of queue.remove(() => true)) job.reject(stopping());
      await Promise.all(slots.map((slot) => slot?.thread.end()));
      for (const slot of slots) for (const job of slot?.running.values() ?? []) job.reject(stopping());
    },
  };
}

function hasRoom({ running, costly: ofCostly }: Slot, costly: boolean): boolean {
  return running.size < MOST_RUNNING && !(costly && ofCostly >= MOST_COSTLY);
}

function stopping(): Unavailable {
  return new Unavailable('The service is stopping.', 5);
}

const ERRORS: Readonly<Record<string, new (message: string) => Error>> = { TooCostly, Abandoned };

function revived({ name, message, stack }: SentError): Error {
  const error = new (ERRORS[name] ?? Error)(message);
  if (stack !== undefined) error.stack = stack;
  return error;
}
