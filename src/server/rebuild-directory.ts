// Rebuilds the index of the edition in force after an upgrade, if its snapshot has the layout of an earlier release. One instance does
// that. Meanwhile, instances of the earlier release go on serving.

import { join } from 'node:path';
import type { Settings } from '#config/settings.ts';
import { isOfOlderLayout } from '#search-index/index.ts';
import type { Logger } from '#shared/log/log.ts';
import type { Database } from '#store/database/connection.ts';
import { openLease } from '#store/database/lease.ts';
import { type BackgroundWork, createBackgroundWork, DoneElsewhere } from '#store/snapshots/background-work.ts';
import { snapshotFolder } from '#store/snapshots/folder.ts';
import type { SnapshotEntry } from '#store/snapshots/registry.ts';
import { rebuildInChildProcess } from './directory-watch/import-in-child-process.ts';

/** Seconds after which another process takes over from one that died, and milliseconds after which a living one renews its lease. */
const LEASE = 60;
const RENEW = 20_000;

interface BackgroundRebuild extends Pick<BackgroundWork, 'close'> {
  /**
   * Returns undefined for a snapshot of this release. For a snapshot of an earlier release, begins to rebuild it, unless that is under way
   * here or at another instance. Every look for the edition in force calls this again.
   */
  obstacleTo(entry: SnapshotEntry): 'rebuilding' | 'not rebuilt' | undefined;
}

interface RebuildOptions {
  database: Database;
  settings: Settings;
  log: Logger;
}

export function rebuildInBackground({ database, settings, log }: RebuildOptions): BackgroundRebuild {
  const lease = openLease(database, 'distribution');
  const { begin, close } = createBackgroundWork({
    async work({ id }, signal) {
      if (!(await lease.take(LEASE))) throw new DoneElsewhere();
      const renewing = setInterval(() => void lease.take(LEASE).catch(() => {}), RENEW);
      try {
        log.info({ snapshot: id }, 'the directory has the layout of an earlier release: its index is being rebuilt');
        const started = performance.now();
        const result = await rebuildInChildProcess(signal);
        if ('cause' in result) throw result.cause === 'busy' ? new DoneElsewhere() : new Error(result.message);
        const seconds = Math.round((performance.now() - started) / 1000);
        log.info({ snapshot: result.rebuilt, before: id, seconds }, 'the index of the directory is rebuilt');
      } finally {
        clearInterval(renewing);
        await lease.release().catch(() => {});
      }
    },
    onError: (err) => log.error({ err }, 'the index of the directory cannot be rebuilt'),
  });
  return {
    obstacleTo(entry) {
      if (!isOfOlderLayout(join(snapshotFolder(settings.dataFolder), entry.file))) return undefined;
      return begin(entry) === 'running' ? 'rebuilding' : 'not rebuilt';
    },
    close,
  };
}
