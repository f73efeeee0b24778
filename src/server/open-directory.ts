// Opens the directory of a service. Search threads open the snapshot in force, which is read into memory. When another snapshot comes into
// force, it replaces the earlier one.

import type { Settings } from '#config/settings.ts';
import type { IndexEntries } from '#directory/corrections/affected.ts';
import { correctedSnapshots } from '#directory/corrections/corrected-snapshots.ts';
import { CHECKS_MODULE } from '#directory/search/resource-checks.ts';
import { type DirectoryResource, indexResource } from '#import/fhir/index-entries.ts';
import { type ReadAheadEvent, startReadAhead, startSearchThreads, threadCount } from '#search-index/index.ts';
import type { AuditTrail } from '#shared/audit/events.ts';
import type { Logger } from '#shared/log/log.ts';
import type { Database } from '#store/database/connection.ts';
import { watchCorrections } from '#store/snapshots/corrections.ts';
import { type CurrentSnapshot, watchCurrentSnapshot } from '#store/snapshots/current-snapshot.ts';
import { snapshotFolder } from '#store/snapshots/folder.ts';
import { judgementOf } from '#store/snapshots/judgements.ts';
import { cleanUpCorrections, countDirectoryUse, type DirectoryUse } from './audit/directory-events.ts';
import { distributeDirectory, rebuildInBackground } from './bring-directory.ts';
import { addDirectoryState } from './metrics/process-state.ts';
import type { Metrics } from './metrics/registry.ts';
import type { Closers } from './process/closers.ts';

export interface Directory {
  /** The snapshots, without the records and elements that the operator hides. */
  snapshots: CurrentSnapshot;
  /** Returns, for each element, how many resources of a snapshot have it. The import has counted them. */
  filled(snapshot: string): Promise<Readonly<Record<string, number>> | undefined>;
  /** Returns the records that the operator hides, as `Practitioner/ID`. */
  hidden(): ReadonlySet<string>;
  /** Ends expired corrections, and removes corrections that ended long ago. */
  cleanUpCorrections(): Promise<void>;
  /** Counts the requests of clients that use the directory with tokens of their own (client credentials), not with tokens of people. */
  use: Pick<DirectoryUse, 'count'>;
}

interface DirectoryOptions {
  database: Database;
  settings: Settings;
  log: Logger;
  audit: AuditTrail;
  metrics: Metrics | undefined;
  /** Milliseconds between two checks for corrections and for another snapshot. By default a second. */
  lookEvery?: number | undefined;
}

export async function openDirectory(options: DirectoryOptions, closers: Closers): Promise<Directory> {
  const { database, settings, log, metrics, lookEvery: everyMs } = options;
  const readAhead = startReadAhead({ onEvent: (event) => reportReadAhead(event, log) });
  const searches = startSearchThreads({
    isInMemory: readAhead.holds,
    threads: threadCount(settings.directory.searchThreads, settings.processes),
    checks: CHECKS_MODULE,
    onDeath: (err, jobs) => log.error({ err, jobs }, 'a search thread died, another one takes its place'),
    onOverload: (refused) =>
      log.warn({ refused }, 'searches are refused with 503, or were not done in time: the directory is overloaded'),
  });
  const corrections = await watchCorrections({
    database,
    everyMs,
    onError: (err) => log.error({ err }, 'the corrections of the directory cannot be read'),
  });
  closers.add(corrections.close);
  const distributed = distributeDirectory({ database, settings, log });
  closers.add(() => distributed?.close());
  const rebuilt = rebuildInBackground({ database, settings, log });
  const snapshots = await watchCurrentSnapshot({
    database,
    everyMs,
    prepare: {
      obstacleTo: (entry) => distributed?.fetch.obstacleTo(entry) ?? rebuilt.obstacleTo(entry),
      close: async () => void (await Promise.all([distributed?.fetch.close(), rebuilt.close()])),
    },
    folder: snapshotFolder(settings.dataFolder),
    open: searches.open,
    readAhead: readAhead.read,
    onError: (err) => log.error({ err }, 'the directory cannot be opened'),
    onChange: (snapshot) => {
      log.info({ snapshot }, 'the directory is served');
      distributed?.switched();
    },
  });
  closers.add(async () => {
    // `snapshots.close` waits for a running check for another snapshot, and this check may be waiting for the read-ahead. So the read-ahead
    // is closed first.
    await readAhead.close();
    await snapshots.close();
    await searches.close();
  });
  if (metrics) addDirectoryState(metrics, { snapshots, load: searches.load });
  const use = countDirectoryUse(options.audit);
  closers.add(use.close);
  return {
    snapshots: correctedSnapshots(snapshots, corrections.current, entriesOf),
    filled: async (snapshot) => (await judgementOf(database, snapshot))?.statistics.elements,
    hidden: () => corrections.current().hidden,
    cleanUpCorrections: () =>
      cleanUpCorrections(database, { secrets: settings.keys.secrets, keep: settings.audit.keep, log }),
    use,
  };
}

const entriesOf: IndexEntries = (resource) => indexResource(resource as DirectoryResource).index;

const READ_AHEAD = {
  read: ['info', 'the directory was read into memory'],
  lost: ['info', 'part of the directory had left memory and was read again'],
  failed: ['warn', 'the directory cannot be read into memory'],
  'too-large': [
    'warn',
    'the directory is larger than four fifths of the memory available for it, in bytes: it is not kept in memory, and searches wait for the disk',
  ],
} as const;

function reportReadAhead({ event, ...details }: ReadAheadEvent, log: Logger): void {
  if ('milliseconds' in details) details.milliseconds = Math.round(details.milliseconds);
  const [level, text] = READ_AHEAD[event];
  log[level](details, text);
}
