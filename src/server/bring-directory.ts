// Brings the edition in force to this instance, in the background.
//
// If `directory.distribution` says so (`distributionFor` in `store/snapshots/distribution.ts`), the instances of a service share the files
// of editions through the database. Each instance fetches the edition in force from there, or stores it there if only this machine has the
// file. If another instance has dropped an old edition (`pruneSnapshots` in `store/snapshots/registry.ts`), this instance removes its own
// file of that edition too.
//
// After an upgrade, the index of the edition in force may have the layout of an earlier release. One instance then rebuilds it, and
// meanwhile, instances of the earlier release go on serving.

import { join } from 'node:path';
import type { Settings } from '#config/settings.ts';
import { isOfOlderLayout } from '#search-index/index.ts';
import type { Logger } from '#shared/log/log.ts';
import { sparingly } from '#shared/promises.ts';
import type { Database } from '#store/database/connection.ts';
import { openLease } from '#store/database/lease.ts';
import {
  type BackgroundFetch,
  type BackgroundWork,
  createBackgroundFetch,
  createBackgroundWork,
  DoneElsewhere,
} from '#store/snapshots/background-work.ts';
import { distributionFor, NotDistributed, storeIfLacking } from '#store/snapshots/distribution.ts';
import { snapshotFolder } from '#store/snapshots/folder.ts';
import { findCurrentSnapshot, pruneFolder, type SnapshotEntry } from '#store/snapshots/registry.ts';
import { rebuildInChildProcess } from './directory-watch/import-in-child-process.ts';

interface DistributedDirectory {
  fetch: BackgroundFetch;
  /** Call this when another edition begins to be served. */
  switched(): void;
  close(): Promise<void>;
}

/**
 * Milliseconds between two checks whether the edition in force must be stored in the database. Usually it is there already, because each
 * import stores its own edition.
 */
const EVERY = 60_000;
/**
 * Seconds of a lease. If its holder dies, another instance takes over after this time. While the holder stores an edition in the database,
 * it renews the lease after each part.
 */
const LEASE = 60;
/** Milliseconds between two renewals of the lease during a rebuild. */
const RENEW = 20_000;

interface BringOptions {
  database: Database;
  settings: Settings;
  log: Logger;
}

/** Starts to share the directory. Returns undefined with SQLite, or if the settings leave the distribution of files to the operator. */
export function distributeDirectory({ database, settings, log }: BringOptions): DistributedDirectory | undefined {
  const distribution = distributionFor(database, settings);
  if (!distribution) return undefined;
  const ended = new AbortController();
  const report = sparingly((err) => log.error({ err }, 'the directory cannot be distributed'));
  const lease = openLease(database, 'distribution');
  // Ids of snapshots that have a damaged file on this machine. These files are not read again.
  const unfit = new Set<string>();
  // Stores the file of the edition in force in the database, if this machine has the file and the database lacks it. This happens after an
  // upgrade, if the operator had copied the folder of snapshots from machine to machine before.
  const storeCurrent = async () => {
    const entry = await findCurrentSnapshot(database);
    if (!entry || unfit.has(entry.id)) return;
    const take = () => lease.take(LEASE);
    const options = { signal: ended.signal, begin: take, onProgress: take };
    try {
      const started = performance.now();
      const moved = await storeIfLacking(database, distribution, entry, options);
      if (!moved) return;
      const seconds = Math.round((performance.now() - started) / 1000);
      const details = { snapshot: entry.id, bytes: moved.bytes, stored: moved.through, seconds };
      log.info(details, 'the directory was stored for others');
    } catch (error) {
      if (error instanceof NotDistributed) unfit.add(entry.id);
      throw error;
    } finally {
      await lease.release().catch(() => {});
    }
  };
  let working = Promise.resolve();
  const work = () => {
    working = working.then(async () => {
      if (ended.signal.aborted) return;
      await pruneFolder(database, snapshotFolder(settings.dataFolder));
      await storeCurrent();
    });
    working = working.catch((error) => {
      if (!ended.signal.aborted) report(error);
    });
  };
  work();
  const timer = setInterval(work, EVERY).unref();
  return {
    fetch: createBackgroundFetch({
      distribution,
      onFetched: ({ id }, { bytes, through, seconds }) =>
        log.info({ snapshot: id, bytes, fetched: through, seconds: Math.round(seconds) }, 'the directory was fetched'),
      onError: (err) => log.error({ err }, 'the edition of the directory in force cannot be fetched'),
    }),
    switched: work,
    async close() {
      ended.abort();
      clearInterval(timer);
      await working;
      await lease.release().catch(() => {});
    },
  };
}

interface BackgroundRebuild extends Pick<BackgroundWork, 'close'> {
  /**
   * Returns undefined for a snapshot that does not have the layout of an earlier release. Otherwise begins to rebuild its index, unless the
   * rebuild is already under way here or at another instance. Returns `not rebuilt` if the last attempt failed. It is called at every look
   * for the edition in force, so a failed attempt is repeated.
   */
  obstacleTo(entry: SnapshotEntry): 'rebuilding' | 'not rebuilt' | undefined;
}

export function rebuildInBackground({ database, settings, log }: BringOptions): BackgroundRebuild {
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
