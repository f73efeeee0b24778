// The calls that wait for a thread, in two lanes: what is cheap goes first, and what is costly never fills every thread.

import type { Call } from './messages.ts';

/** A call that has not been answered. */
export interface Job {
  number: number;
  snapshot: number;
  call: Call;
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
  /** False where too many wait. */
  add(job: Job): boolean;
  /** The next job of the lane. */
  take(costly: boolean): Job | undefined;
  /** Puts a job in front of the others. */
  putBack(job: Job): void;
  /** Removes and returns those that `pick` picks. */
  remove(pick: (job: Job) => boolean): Job[];
  size(): number;
}

/** @param most jobs that may wait in each lane */
export function createJobQueue(most: number): JobQueue {
  const lanes: { cheap: Job[]; costly: Job[] } = { cheap: [], costly: [] };
  const laneOf = (costly: boolean) => (costly ? lanes.costly : lanes.cheap);
  return {
    add(job) {
      const lane = laneOf(job.costly);
      if (lane.length >= most) return false;
      lane.push(job);
      return true;
    },
    take: (costly) => laneOf(costly).shift(),
    putBack: (job) => void laneOf(job.costly).unshift(job),
    remove(pick) {
      const removed: Job[] = [];
      for (const lane of ['cheap', 'costly'] as const) {
        if (!lanes[lane].some(pick)) continue;
        removed.push(...lanes[lane].filter(pick));
        lanes[lane] = lanes[lane].filter((job) => !removed.includes(job));
      }
      return removed;
    },
    size: () => lanes.cheap.length + lanes.costly.length,
  };
}
