// Messages between the thread of the service and a search thread. Node copies them (structured clone).

import type { Edition, ResourceType, Snapshot } from '#search-index/snapshot.ts';

/** The methods of a snapshot that run in a thread. */
type Method = 'search' | 'spellings' | 'codes' | 'read' | 'gone' | 'scan' | 'listGone';

/** A call of one method of a snapshot. `describe` asks for the data that never changes. */
export type Call =
  | { [M in Method]: { method: M; arguments: Parameters<Snapshot[M]> } }[Method]
  | { method: 'describe'; arguments: [] };

/** The data of an open snapshot that never changes. */
export interface Description {
  id: string;
  counts: Record<ResourceType, number>;
  history: readonly Edition[];
}

export async function describe(snapshot: Snapshot): Promise<Description> {
  const [counts, history] = await Promise.all([snapshot.counts(), snapshot.history()]);
  return { id: snapshot.id, counts, history };
}

export interface SentJob {
  /** Unique among all jobs of the pool. */
  number: number;
  snapshot: number;
  call: Call;
}

export interface ThreadStart {
  /** Address of a module that exports `checks: ResourceChecks`. */
  checks: string | undefined;
}

/** A message to a thread. `open` and `close` are the number that the pool has given to a snapshot, and `abandon` is the number of a job. */
export type ToThread =
  | { open: number; file: string }
  | { close: number }
  | { jobs: readonly SentJob[] }
  | { abandon: number }
  | 'end';

export interface SentError {
  name: string;
  message: string;
  stack: string | undefined;
  /** True if the thread could not open the snapshot. The call is then repeated, because another thread may have opened it. */
  notOpen: boolean;
}

export type Answer = { number: number; value: unknown } | { number: number; error: SentError };

export type FromThread = readonly Answer[];
