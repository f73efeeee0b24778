// The calls that wait for a thread, in two queues. Cheap calls go before costly ones, and if there are several threads, costly calls never
// occupy all of them. In each queue, groups of callers take turns (round robin), and so do the members of a group. If a queue is full, it
// drops a call of the caller that has the most calls in it, as FQ-CoDel does (RFC 8290 section 4.1). So a flood of calls from one caller
// delays and displaces only that caller's own calls.

import { AsyncLocalStorage } from 'node:async_hooks';
import { isWideKey } from '#search-index/file-layout.ts';
import { type ChainedClause, type FieldClause, isChained, REFERENCES } from '#search-index/snapshot.ts';
import type { Call } from './messages.ts';

/** The caller of a snapshot's methods. Groups take turns (round robin), and so do the members of a group. */
interface Caller {
  group: string;
  member: string;
}

const SERVICE: Caller = { group: '', member: '' };

const callers = new AsyncLocalStorage<Caller>();

/** Runs `work`. Every snapshot call that `work` makes, now or later, runs in a turn of this caller. */
export function onBehalfOf<Result>(caller: Caller, work: () => Result): Result {
  return callers.run(caller, work);
}

/** Returns the caller for whom the present code runs. It is the service itself if `onBehalfOf` has not named another caller. */
export function presentCaller(): Caller {
  return callers.getStore() ?? SERVICE;
}

/** A call that has not been answered yet. */
export interface Job {
  number: number;
  snapshot: number;
  call: Call;
  /** The call runs in the turn of this caller. */
  caller: Caller;
  costly: boolean;
  abandoned: () => boolean;
  /** `performance.now()` when the call came. */
  since: number;
  /** Number of threads that failed with the job, because they died while they ran it or could not open its snapshot. */
  failures: number;
  /** True if the job was rejected before a thread had finished it. */
  givenUp: boolean;
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/** Checks whether a call may take long even if the snapshot is in memory, because it reads much or unites most lists of a field. */
export function isCostly(call: Call): boolean {
  if (call.method === 'scan' || call.method === 'listGone') return true;
  if (call.method === 'spellings' || call.method === 'codes') return true;
  if (call.method !== 'search') return false;
  const [{ clauses, exactly, order, total }] = call.arguments;
  return (
    exactly !== undefined ||
    (order !== undefined && order.by !== 'alphabet') ||
    clauses.some((clause) => {
      if (isChained(clause)) return isCostlyChain(clause);
      if (clause.match === 'present' || clause.match === 'range') return true;
      return clause.match === 'exact' ? clause.not === true : total === true;
    })
  );
}

/**
 * Checks whether a chain is costly. A chain is cheap if one of its criteria names single resources. Other chains follow the references of a
 * whole type.
 */
function isCostlyChain({ clauses, exactly }: ChainedClause): boolean {
  const namesFew = (one: FieldClause) =>
    one.match === 'exact' && !one.not && NAMING.has(one.field) && !one.anyOf.some(isWideKey);
  return !!exactly || !clauses.some(namesFew);
}

const NAMING: ReadonlySet<string> = new Set(['id', 'identifier', ...Object.values(REFERENCES).flatMap(Object.keys)]);

interface JobQueue {
  /**
   * Adds a job. If too many jobs wait then, removes and returns one of them: in the group with the most jobs, the newest job of the member
   * with the most jobs. Otherwise returns undefined.
   */
  add(job: Job): Job | undefined;
  /** Removes and returns the next costly or cheap job; undefined if none waits. */
  take(costly: boolean): Job | undefined;
  /** Checks whether a costly or cheap job waits. */
  has(costly: boolean): boolean;
  /** Puts a job back into its queue, before all jobs that no thread has taken yet. */
  repeat(job: Job): void;
  /** Removes and returns the jobs for which `pick` returns true. */
  remove(pick: (job: Job) => boolean): Job[];
  size(): number;
}

/**
 * Makes the two queues.
 * @param most maximum number of jobs that wait in each queue
 */
export function createJobQueue(most: number): JobQueue {
  // Repeated jobs are taken before all others.
  const create = () => ({ repeated: createLine(), waiting: createLine('group', 'member') });
  const queues = { cheap: create(), costly: create() };
  const queueOf = (costly: boolean) => (costly ? queues.costly : queues.cheap);
  const sizeOf = ({ repeated, waiting }: ReturnType<typeof create>) => repeated.size() + waiting.size();
  return {
    add(job) {
      const queue = queueOf(job.costly);
      queue.waiting.add(job);
      return sizeOf(queue) > most ? queue.waiting.drop(job.caller) : undefined;
    },
    take: (costly) => queueOf(costly).repeated.take() ?? queueOf(costly).waiting.take(),
    has: (costly) => sizeOf(queueOf(costly)) > 0,
    repeat: (job) => queueOf(job.costly).repeated.add(job),
    remove: (pick) =>
      Object.values(queues).flatMap(({ repeated, waiting }) => [...repeated.remove(pick), ...waiting.remove(pick)]),
    size: () => sizeOf(queues.cheap) + sizeOf(queues.costly),
  };
}

interface Line {
  size(): number;
  add(job: Job): void;
  take(): Job | undefined;
  /**
   * Removes the newest job of the longest line. If several lines are equally long, takes the line of `caller` if it is one of them, and
   * otherwise the line that gets its turn last.
   */
  drop(caller: Caller): Job | undefined;
  remove(pick: (job: Job) => boolean): Job[];
}

/**
 * Makes a line from which jobs are taken in turns. With the names `group` and `member`, groups take turns (round robin), and so do the
 * members of a group when the turn of the group comes. Without names, the oldest job comes first.
 */
function createLine(name?: keyof Caller, ...names: (keyof Caller)[]): Line {
  if (name === undefined) return createPlainLine();
  const lines = new Map<string, Line>();
  let size = 0;
  /** Updates `size` and `lines` after jobs were removed from one of the inner lines. An empty inner line is deleted. */
  const without = <Removed extends Job[]>(key: string, line: Line, removed: Removed): Removed => {
    size -= removed.length;
    if (line.size() === 0) lines.delete(key);
    return removed;
  };
  const taken = (key: string, line: Line, job: Job | undefined) => without(key, line, job ? [job] : [])[0];
  return {
    size: () => size,
    add(job) {
      const key = job.caller[name];
      const line = lines.get(key) ?? createLine(...names);
      line.add(job);
      lines.set(key, line);
      size++;
    },
    take() {
      const [key, line] = lines.entries().next().value ?? [];
      if (key === undefined || !line) return undefined;
      // Moves the line to the end of the turns.
      lines.delete(key);
      lines.set(key, line);
      return taken(key, line, line.take());
    },
    drop(caller) {
      let [longest, line] = [caller[name], lines.get(caller[name])];
      for (const [key, other] of lines) {
        const more = other.size() - (line?.size() ?? 0);
        if (more > 0 || (more === 0 && longest !== caller[name])) [longest, line] = [key, other];
      }
      return line && taken(longest, line, line.drop(caller));
    },
    remove: (pick) => [...lines].flatMap(([key, line]) => without(key, line, line.remove(pick))),
  };
}

function createPlainLine(): Line {
  let jobs: Job[] = [];
  return {
    size: () => jobs.length,
    add: (job) => void jobs.push(job),
    take: () => jobs.shift(),
    drop: () => jobs.pop(),
    remove(pick) {
      const removed = jobs.filter(pick);
      if (removed.length > 0) jobs = jobs.filter((job) => !removed.includes(job));
      return removed;
    },
  };
}
