// A waiting queue that networks share fairly, so that a flood from one network delays and displaces only itself. Turns go round robin (RFC
// 970). A full queue drops a task of the largest share, as FQ-CoDel does (RFC 8290 section 4.1). `crypto/secret-hash.ts` sets how many
// passwords are hashed at a time, and how many wait.

import { prefixesOf } from './network-prefix.ts';

/** The place of a task in the queue: a lane, and a group and member within the lane. */
export interface QueueKey {
  /**
   * `own` is the service's own work, which is never turned away. Tasks of `known` go before those of `strangers`, but every fourth turn is
   * the strangers'.
   */
  lane: 'own' | 'known' | 'strangers';
  /** The groups of a lane take turns, and the members of a group take the turns of their group. */
  group: string;
  member: string;
}

export const OWN: QueueKey = { lane: 'own', group: '', member: '' };

/** Returns the `QueueKey` of a request from this address. `known` identifies a browser that has signed in before. */
export function queueKeyOf(address: string, known?: string): QueueKey {
  const { narrow, wide } = prefixesOf(address);
  return { lane: known === undefined ? 'strangers' : 'known', group: wide, member: known ?? narrow };
}

export interface FairQueue {
  <T>(queueKey: QueueKey, task: () => Promise<T>): Promise<T>;
  /** Checks whether a task with this `queueKey` would be turned away now, so that the caller can skip preparing it. */
  isFull(queueKey: QueueKey): boolean;
}

/**
 * One turn in `TURNS` takes a task of the strangers first, so that they never wait for ever. All other turns take the service's own tasks
 * first.
 */
const TURNS = 4;

/**
 * Makes a queue that runs a limited number of tasks at once. In each lane, a limited number of tasks waits. If one more comes, one task is
 * turned away: in the group with most tasks, the newest task of the member with most tasks. Its promise rejects with `refusal()`.
 */
export function fairQueue({
  running,
  waiting,
  refusal,
}: {
  running: number;
  waiting: number;
  refusal(): Error;
}): FairQueue {
  const lanes = { own: createLane(), known: createLane(), strangers: createLane() };
  const mostly = [lanes.own, lanes.known, lanes.strangers];
  const sometimes = [lanes.strangers, lanes.known, lanes.own];
  let active = 0;
  let turn = 0;

  const next = (): Waiting | undefined => {
    turn = (turn + 1) % TURNS;
    for (const lane of turn === 0 ? sometimes : mostly) {
      const one = lane.take();
      if (one) return one;
    }
    return undefined;
  };
  const start = () => {
    while (active < running) {
      const one = next();
      if (!one) return;
      active += 1;
      void one.run().finally(() => {
        active -= 1;
        start();
      });
    }
  };
  const enter = <T>(queueKey: QueueKey, task: () => Promise<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      const lane = lanes[queueKey.lane];
      lane.add(queueKey, {
        run: () => task().then(resolve, reject),
        refuse: () => reject(refusal()),
      });
      start();
      if (queueKey.lane !== 'own' && lane.size() > waiting) lane.drop(queueKey).refuse();
    });
  const isFull = (queueKey: QueueKey): boolean => {
    const lane = lanes[queueKey.lane];
    return queueKey.lane !== 'own' && active >= running && lane.size() >= waiting && lane.hasLargest(queueKey);
  };
  return Object.assign(enter, { isFull });
}

interface Waiting {
  run(): Promise<void>;
  refuse(): void;
}

/** The waiting tasks of each member of a group, oldest first. The members are in the order of their turns, like the groups of a lane. */
type Group = Map<string, Waiting[]>;

function createLane() {
  const groups = new Map<string, Group>();
  let size = 0;
  return {
    size: () => size,
    add: ({ group, member }: QueueKey, one: Waiting): void => {
      const members = groups.get(group) ?? new Map<string, Waiting[]>();
      const line = members.get(member) ?? [];
      line.push(one);
      members.set(member, line);
      groups.set(group, members);
      size += 1;
    },
    /** Takes the oldest task of the next member in the next group. This group and this member then go to the end of their orders. */
    take: (): Waiting | undefined => {
      const [group, members] = groups.entries().next().value ?? [];
      const [member, line] = members?.entries().next().value ?? [];
      if (group === undefined || !members || member === undefined || !line) return undefined;
      groups.delete(group);
      members.delete(member);
      const one = line.shift();
      if (line.length > 0) members.set(member, line);
      if (members.size > 0) groups.set(group, members);
      size -= 1;
      return one;
    },
    /** Checks whether group and member would have the largest shares if they had one more task. */
    hasLargest: ({ group, member }: QueueKey): boolean => {
      const members = groups.get(group) ?? new Map<string, Waiting[]>();
      const ofGroup = lengthOf(members) + 1;
      const ofMember = (members.get(member)?.length ?? 0) + 1;
      return (
        groups.values().every((other) => lengthOf(other) <= ofGroup) &&
        members.values().every((line) => line.length <= ofMember)
      );
    },
    /** Removes the newest task of the largest share. If several shares are equally large, the share of `queueKey` is chosen. */
    drop: (queueKey: QueueKey): Waiting => {
      const [group, members] = largest(groups, queueKey.group, lengthOf);
      const [member, line] = largest(members, queueKey.member, (waiting) => waiting.length);
      const one = line.pop() as Waiting;
      if (line.length === 0) members.delete(member);
      if (members.size === 0) groups.delete(group);
      size -= 1;
      return one;
    },
  };
}

function lengthOf(group: Group): number {
  return group.values().reduce((length, line) => length + line.length, 0);
}

/**
 * Returns the largest entry of a map that is not empty. If several entries are equally large, it is the preferred one, or else the last of
 * them.
 */
function largest<T>(shares: ReadonlyMap<string, T>, preferred: string, sizeOf: (share: T) => number): [string, T] {
  return [...shares].reduce((best, entry) => {
    const difference = sizeOf(entry[1]) - sizeOf(best[1]);
    return difference > 0 || (difference === 0 && best[0] !== preferred) ? entry : best;
  });
}
