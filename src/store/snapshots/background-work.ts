// Does in the background what a snapshot needs before it can be opened: the fetch of its file, or the rebuilding of its index
// (`server/bring-directory.ts`). Meanwhile another snapshot is served. If a different snapshot comes into force before the work has ended,
// the work is given up, and the work for that snapshot begins.

import type { Distribution, Moved } from './distribution.ts';
import { ImportLocked } from './import-lock.ts';
import type { SnapshotEntry } from './registry.ts';

/** Thrown when another process does the same work just now, so that this process cannot. Nothing is wrong. */
export class DoneElsewhere extends Error {
  override name = 'DoneElsewhere';
}

export interface BackgroundWork {
  /**
   * Begins the work for a snapshot, unless the same work is running, or has failed a moment ago. It does not wait for the work. It is
   * called again each time somebody looks whether the snapshot can be opened. Returns 'failed' if an earlier try for this snapshot has
   * failed.
   */
  begin(entry: SnapshotEntry): 'running' | 'failed';
  /** Ends the work that is running. */
  close(): Promise<void>;
}

interface WorkOptions {
  /** Does the work until `signal` aborts. Throws `DoneElsewhere` if another process does it. */
  work(entry: SnapshotEntry, signal: AbortSignal): Promise<void>;
  /** Called if the work fails. The work is tried again after a pause. */
  onError(error: Error): void;
}

/** Milliseconds before another try. The pause doubles with each failure for the same snapshot, up to LONGEST_PAUSE. */
const FIRST_PAUSE = 2000;
const LONGEST_PAUSE = 60_000;

interface Job {
  id: string;
  end: AbortController;
  running: Promise<void> | undefined;
  failures: number;
  nextAt: number;
}

export function createBackgroundWork({ work, onError }: WorkOptions): BackgroundWork {
  let job: Job | undefined;
  const run = async (own: Job, entry: SnapshotEntry, before: Promise<void> | undefined) => {
    await before;
    let pause = FIRST_PAUSE;
    try {
      await work(entry, own.end.signal);
    } catch (error) {
      if (own.end.signal.aborted) return;
      if (!(error instanceof DoneElsewhere)) {
        pause = Math.min(FIRST_PAUSE * 2 ** own.failures, LONGEST_PAUSE);
        own.failures += 1;
        onError(error as Error);
      }
    } finally {
      own.nextAt = performance.now() + pause;
      own.running = undefined;
    }
  };
  return {
    begin(entry) {
      const before = job;
      if (before?.id !== entry.id) {
        before?.end.abort();
        job = { id: entry.id, end: new AbortController(), running: undefined, failures: 0, nextAt: 0 };
        job.running = run(job, entry, before?.running);
      } else if (!before.running && performance.now() >= before.nextAt) before.running = run(before, entry, undefined);
      return (job?.failures ?? 0) > 0 ? 'failed' : 'running';
    },
    async close() {
      job?.end.abort();
      await job?.running;
    },
  };
}

export interface BackgroundFetch extends Pick<BackgroundWork, 'close'> {
  /**
   * Returns undefined if the folder of snapshots has the file. Otherwise begins to fetch the file, if this has not begun, and returns why
   * it cannot be opened yet. Called each time somebody looks whether the snapshot can be opened, so a failed fetch is tried again.
   */
  obstacleTo(entry: SnapshotEntry): 'fetching' | 'not fetched' | undefined;
}

interface BackgroundFetchOptions {
  distribution: Pick<Distribution, 'has' | 'fetch'>;
  onFetched: (entry: SnapshotEntry, moved: Moved & { seconds: number }) => void;
  onError: (error: Error) => void;
}

/** Fetches the files of snapshots in the background. */
export function createBackgroundFetch({ distribution, onFetched, onError }: BackgroundFetchOptions): BackgroundFetch {
  const { begin, close } = createBackgroundWork({
    async work(entry, signal) {
      const started = performance.now();
      const moved = await distribution.fetch(entry, { signal }).catch((error: Error) => {
        // Another process that uses this folder is fetching the file.
        throw error instanceof ImportLocked ? new DoneElsewhere() : error;
      });
      onFetched(entry, { ...moved, seconds: (performance.now() - started) / 1000 });
    },
    onError,
  });
  return {
    obstacleTo(entry) {
      if (distribution.has(entry)) return undefined;
      return begin(entry) === 'running' ? 'fetching' : 'not fetched';
    },
    close,
  };
}
