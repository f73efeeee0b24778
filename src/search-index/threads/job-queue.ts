// The calls that wait for a thread, in two lanes: what is cheap goes first, and what is costly never fills every thread. In each lane
// turns go round robin among groups of callers and within one among its members, and a full one drops from the longest share, as FQ-CoDel
// does (RFC 8290 section 4.1).

import { AsyncLocalStorage } from 'node:async_hooks';
import type { Call } from './messages.ts';

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

/** A call that has not been answered. */
export interface Job {
  number: number;
  snapshot: number;
  call: Call;
  /** Whose turn it takes (`caller.ts`). */
  caller: Caller;
  costly: boolean;
  abandoned: () => boolean;
  /** `performance.now()` when it came. */
  since: number;
  /** Threads that failed it. */
  failures: number;
  /** It was rejected while it ran. */
  givenUp: boolean;
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/** Whether a call may take long though the snapshot is in memory: it reads much, or unites most lists of a field. */
export function isCostly(call: Call): boolean {
  if (call.method === 'scan' || call.method === 'listGone') return true;
  if (call.method !== 'search') return false;
  const [{ clauses, exactly, order, total }] = call.arguments;
  return (
    exactly !== undefined ||
    order?.by === 'updated' ||
    clauses.some(
      (clause) =>
        clause.match === 'present' ||
        clause.match === 'range' ||
        (clause.match === 'exact' ? clause.not === true : total === true),
    )
  );
}

export interface JobQueue {
  /** The job that is turned away because too many wait: the newest of the group, and in it of the caller, with most; perhaps this one. */
  add(job: Job): Job | undefined;
  /** The next job of the lane. */
  take(costly: boolean): Job | undefined;
  /** Whether a lane has a job. */
  has(costly: boolean): boolean;
  /** Puts a job that was taken in front of the others. */
  repeat(job: Job): void;
  /** Removes and returns those that `pick` picks. */
  remove(pick: (job: Job) => boolean): Job[];
  size(): number;
}

/** @param most jobs that may wait in each lane */
export function createJobQueue(most: number): JobQueue {
  // `repeated`: before all others.
  const create = () => ({ repeated: createLine(), waiting: createLine('group', 'member') });
  const lanes = { cheap: create(), costly: create() };
  const laneOf = (costly: boolean) => (costly ? lanes.costly : lanes.cheap);
  const sizeOf = ({ repeated, waiting }: ReturnType<typeof create>) => repeated.size() + waiting.size();
  return {
    add(job) {
      const lane = laneOf(job.costly);
      lane.waiting.add(job);
      return sizeOf(lane) > most ? lane.waiting.drop(job.caller) : undefined;
    },
    take: (costly) => laneOf(costly).repeated.take() ?? laneOf(costly).waiting.take(),
    has: (costly) => sizeOf(laneOf(costly)) > 0,
    repeat: (job) => laneOf(job.costly).repeated.add(job),
    remove: (pick) =>
      Object.values(lanes).flatMap(({ repeated, waiting }) => [...repeated.remove(pick), ...waiting.remove(pick)]),
    size: () => sizeOf(lanes.cheap) + sizeOf(lanes.costly),
  };
}

interface Line {
  size(): number;
  add(job: Job): void;
  take(): Job | undefined;
  /** Removes the newest of the longest line; where lines are equally long, of the caller's own, else of the last whose turn it is. */
  drop(caller: Caller): Job | undefined;
  remove(pick: (job: Job) => boolean): Job[];
}

/** Jobs in the order of their turns: by the first of these names, then among those with the same one by the next; else oldest first. */
function createLine(name?: keyof Caller, ...names: (keyof Caller)[]): Line {
  if (name === undefined) return createPlainLine();
  const lines = new Map<string, Line>();
  let size = 0;
  /** What was removed of a line. */
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
      // To the end.
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
