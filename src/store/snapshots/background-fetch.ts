// Fetches the snapshot in force in the background.

import { type BackgroundWork, createBackgroundWork, DoneElsewhere } from './background-work.ts';
import type { Distribution, Moved } from './distribution.ts';
import { ImportLocked } from './import-lock.ts';
import type { SnapshotEntry } from './registry.ts';

export interface BackgroundFetch extends Pick<BackgroundWork, 'close'> {
  /**
   * What keeps the file from being opened; undefined once it is here. Until then the file is fetched, and fetched again after a failure. Call it
   * again and again.
   */
  obstacleTo(entry: SnapshotEntry): 'fetching' | 'not fetched' | undefined;
}

interface BackgroundFetchOptions {
  distribution: Pick<Distribution, 'has' | 'fetch'>;
  onFetched: (entry: SnapshotEntry, moved: Moved & { seconds: number }) => void;
  onError: (error: Error) => void;
}

export function createBackgroundFetch({ distribution, onFetched, onError }: BackgroundFetchOptions): BackgroundFetch {
  const { begin, close } = createBackgroundWork({
    async work(entry, signal) {
      const started = performance.now();
      const moved = await distribution.fetch(entry, { signal }).catch((error: Error) => {
        // Another process of this folder fetches it.
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
