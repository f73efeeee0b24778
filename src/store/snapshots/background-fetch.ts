// Fetches the snapshot in force beside the one that is served. The pointer may move meanwhile: then the newer one is fetched.

import type { Distribution, Moved } from './distribution.ts';
import { ImportLocked } from './import-lock.ts';
import type { SnapshotEntry } from './registry.ts';

export interface BackgroundFetch {
  /** Undefined once the file is here. Until then it is fetched, and after a failure fetched again. Call it again and again. */
  obstacleTo(entry: SnapshotEntry): 'fetching' | 'not fetched' | undefined;
  /** Ends a fetch; the next one goes on where it stood. */
  close(): Promise<void>;
}

interface BackgroundFetchOptions {
  distribution: Pick<Distribution, 'has' | 'fetch'>;
  onFetched: (entry: SnapshotEntry, moved: Moved & { seconds: number }) => void;
  /** Called if it fails. It is tried again after a pause. */
  onError: (error: Error) => void;
}

/** Milliseconds before another try. They double with each failure of the same snapshot. */
const FIRST_PAUSE = 2000;
const LONGEST_PAUSE = 60_000;

interface Job {
  id: string;
  end: AbortController;
  running: Promise<void> | undefined;
  pause: number;
  nextAt: number;
}

export function createBackgroundFetch({ distribution, onFetched, onError }: BackgroundFetchOptions): BackgroundFetch {
  let job: Job | undefined;
  const newJob = (id: string): Job => ({
    id,
    end: new AbortController(),
    running: undefined,
    pause: FIRST_PAUSE,
    nextAt: 0,
  });

  const run = async (own: Job, entry: SnapshotEntry, before: Promise<void> | undefined) => {
    await before;
    const started = performance.now();
    try {
      const moved = await distribution.fetch(entry, { signal: own.end.signal });
      onFetched(entry, { ...moved, seconds: (performance.now() - started) / 1000 });
    } catch (error) {
      // Another process of this folder fetches it, or it is wanted no more.
      if (error instanceof ImportLocked || own.end.signal.aborted) return;
      own.nextAt = performance.now() + own.pause;
      own.pause = Math.min(2 * own.pause, LONGEST_PAUSE);
      onError(error as Error);
    } finally {
      own.running = undefined;
    }
  };

  return {
    obstacleTo(entry) {
      if (distribution.has(entry)) return undefined;
      const before = job?.id === entry.id ? undefined : job?.running;
      if (job?.id !== entry.id) {
        job?.end.abort();
        job = newJob(entry.id);
      }
      if (!job.running && performance.now() >= job.nextAt) job.running = run(job, entry, before);
      return job.pause === FIRST_PAUSE ? 'fetching' : 'not fetched';
    },
    async close() {
      job?.end.abort();
      await job?.running;
    },
  };
}
