// After an upgrade: makes the index of the edition in force anew where its snapshot has the layout of an earlier release. One instance does
// it, and instances of the release before serve meanwhile.

import { join } from 'node:path';
import type { Settings } from '#config/settings.ts';
import { isOfOlderLayout } from '#search-index/index.ts';
import type { Logger } from '#shared/log/log.ts';
import type { Database } from '#store/database/connection.ts';
import { openLease } from '#store/database/lease.ts';
import { snapshotFolder } from '#store/snapshots/folder.ts';
import type { SnapshotEntry } from '#store/snapshots/registry.ts';
import { rebuildInChildProcess } from './directory-watch/import-in-child-process.ts';

/** Seconds after which another process takes over from one that died, and milliseconds after which a living one renews its lease. */
const LEASE = 60;
const RENEW = 20_000;
/** Milliseconds before another try. */
const PAUSE = 10_000;
const LONG_PAUSE = 300_000;

interface BackgroundRebuild {
  /** Undefined for a snapshot of this release. Another one is rebuilt, here or by another process. Call it again and again. */
  obstacleTo(entry: SnapshotEntry): 'rebuilding' | 'not rebuilt' | undefined;
  close(): Promise<void>;
}

export function rebuildInBackground(options: {
  database: Database;
  settings: Settings;
  log: Logger;
}): BackgroundRebuild {
  const { database, settings, log } = options;
  const lease = openLease(database, 'distribution');
  const ended = new AbortController();
  let running: Promise<void> | undefined;
  let nextAt = 0;
  let failed = false;

  const rebuild = async ({ id }: SnapshotEntry) => {
    nextAt = performance.now() + PAUSE;
    if (!(await lease.take(LEASE))) return;
    const renewing = setInterval(() => void lease.take(LEASE).catch(() => {}), RENEW);
    try {
      log.info({ snapshot: id }, 'the directory has the layout of an earlier release: its index is being rebuilt');
      const started = performance.now();
      const result = await rebuildInChildProcess(ended.signal);
      failed = 'cause' in result && result.cause !== 'busy' && !ended.signal.aborted;
      if ('rebuilt' in result) {
        const seconds = Math.round((performance.now() - started) / 1000);
        log.info({ snapshot: result.rebuilt, before: id, seconds }, 'the index of the directory is rebuilt');
      } else if (failed) {
        log.error({ snapshot: id, reason: result.message }, 'the index of the directory cannot be rebuilt');
        nextAt = performance.now() + LONG_PAUSE;
      }
    } finally {
      clearInterval(renewing);
      await lease.release().catch(() => {});
    }
  };

  return {
    obstacleTo(entry) {
      if (!isOfOlderLayout(join(snapshotFolder(settings.dataFolder), entry.file))) return undefined;
      if (!running && performance.now() >= nextAt && !ended.signal.aborted) {
        running = rebuild(entry)
          .catch((err) => log.error({ err }, 'the index of the directory cannot be rebuilt'))
          .finally(() => {
            running = undefined;
          });
      }
      return failed ? 'not rebuilt' : 'rebuilding';
    },
    async close() {
      ended.abort();
      await running;
    },
  };
}
