// The calls that wait for a thread, in two lanes: what is cheap goes first, and what is costly never fills every thread. In each lane
// turns go round robin among callers, and a full one drops from the longest share, as FQ-CoDel does (RFC 8290 section 4.1).

import type { Call } from './messages.ts';

/** A call that has not been answered. */
export interface Job {
  number: number;
  snapshot: number;
  call: Call;
  /** Whose turn it takes (`caller.ts`). */
  caller: string;
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
  /** The job that is turned away because too many wait: the newest of the caller with most, perhaps this one. */
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
  const lanes = { cheap: createLane(), costly: createLane() };
  const laneOf = (costly: boolean) => (costly ? lanes.costly : lanes.cheap);
  return {
    add(job) {
      const lane = laneOf(job.costly);
      lane.add(job);
      return lane.size() > most ? lane.drop(job.caller) : undefined;
    },
    take: (costly) => laneOf(costly).take(),
    has: (costly) => laneOf(costly).size() > 0,
    repeat: (job) => laneOf(job.costly).repeat(job),
    remove: (pick) => [...lanes.cheap.remove(pick), ...lanes.costly.remove(pick)],
    size: () => lanes.cheap.size() + lanes.costly.size(),
  };
}

function createLane() {
  /** Before all others. */
  const repeated: Job[] = [];
  /** What waits of each caller, oldest first; in the order of their turns. */
  const lines = new Map<string, Job[]>();
  let size = 0;
  const replace = (caller: string, line: Job[]) => {
    if (line.length > 0) lines.set(caller, line);
    else lines.delete(caller);
  };
  return {
    size: () => size,
    add(job: Job) {
      const line = lines.get(job.caller);
      if (line) line.push(job);
      else lines.set(job.caller, [job]);
      size++;
    },
    take(): Job | undefined {
      let job = repeated.shift();
      if (!job) {
        const [caller, line] = lines.entries().next().value ?? [];
        if (caller === undefined || !line) return undefined;
        job = line.shift();
        // To the end.
        lines.delete(caller);
        replace(caller, line);
      }
      size--;
      return job;
    },
    repeat(job: Job) {
      repeated.unshift(job);
      size++;
    },
    /** Removes the newest of the longest line; where lines are equally long, of the caller's own. */
    drop(caller: string): Job | undefined {
      let longest = caller;
      const lengthOf = (one: string) => lines.get(one)?.length ?? 0;
      for (const one of lines.keys()) if (lengthOf(one) > lengthOf(longest)) longest = one;
      const line = lines.get(longest) ?? [];
      const job = line.pop();
      replace(longest, line);
      if (job) size--;
      return job;
    },
    remove(pick: (job: Job) => boolean): Job[] {
      const removed: Job[] = [];
      const stays = (job: Job) => !pick(job) || removed.push(job) === 0;
      repeated.splice(0, repeated.length, ...repeated.filter(stays));
      for (const [caller, line] of [...lines]) replace(caller, line.filter(stays));
      size -= removed.length;
      return removed;
    },
  };
}
