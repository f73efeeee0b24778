// An import from paths to the switched directory: recognise, read, map people, map structures, build the index, guard, switch.

import type { Settings } from '../config/settings.ts';
import {
  createSnapshotWriter,
  type IndexedResource,
  RESOURCE_TYPES,
  type SnapshotSummary,
  type SnapshotWriter,
} from '../search-index/index.ts';
import type { Database } from '../store/database/connection.ts';
import { snapshotFolder } from '../store/snapshots/folder.ts';
import { ImportError, toMachineError } from './import-error.ts';
import type { BucketDone } from './passes/mapper.ts';
import { openPasses, type Passes } from './passes/passes.ts';
import { startWorkerPool, type WorkerPool } from './passes/worker-pool.ts';
import {
  guardColumns,
  guardMinimum,
  guardPeople,
  guardRegisters,
  guardRemoved,
  guardShrinkage,
  guardUnattended,
  guardUnusableLines,
  type PeopleCheck,
  refuseUndated,
  type Verdict,
} from './publish/guards.ts';
import { type Collector, createCollector, type ImportReport } from './publish/report.ts';
import { currentDirectory, noteDamage, publish, snapshotName, withSnapshot } from './publish/switch-snapshot.ts';
import { openWorkspace, type Workspace } from './publish/workspace.ts';
import { type Input, listInputs } from './sources/inputs.ts';
import { editionsOf, recogniseInputs, type Source, sourcesChecksum } from './sources/sources.ts';

export type Phase = 'reading' | 'people' | 'structures' | 'indexing';

export interface Progress {
  phase: Phase;
  /** Share of the phase that is done, 0-1; absent where it cannot be known. */
  done?: number;
  lines: number;
  resources: number;
}

export interface ImportOptions {
  /** Files and folders. */
  paths: readonly string[];
  settings: Pick<Settings, 'dataFolder' | 'namespace'> & { directory: Pick<Settings['directory'], 'guards' | 'keep'> };
  database: Database;
  /** Everything but the switch. */
  dryRun?: boolean;
  /** Other people are meant, as after a demonstration: nothing is compared with the directory that is there. */
  replace?: boolean;
  /**
   * Nobody chose the files, as in a watched folder: they count as found, not named; and the directory does not go back to
   * an older edition by them.
   */
  unattended?: boolean;
  /** A directory of other files stays as it is; the outcome is then `unchanged`. */
  onlySameFiles?: boolean;
  /** Called before the switch, and when the directory holds the edition already. */
  checkPeople?: PeopleCheck;
  onProgress?: (progress: Progress) => void;
  /** For tests that want the threads of a large edition for a small one, see `PassesOptions`. */
  bucketBytes?: number;
}

/** Raised when the same files must give other resources: an edition is then loaded again though it did not change. */
const MAPPING_VERSION = 1;
/** Practitioners, and as many structures, that are looked up in the finished snapshot. */
const CANARIES = 32;

/**
 * Loads an edition. Resolves with the report, `refused` included; throws an `ImportError` for input that cannot be
 * read. In both cases the current directory is untouched and nothing is left behind that the next import does not clear up.
 */
export async function importEdition(options: ImportOptions): Promise<ImportReport> {
  const started = performance.now();
  const inputs = await listInputs(options.paths, !options.unattended);
  let workspace: Workspace | undefined;
  try {
    workspace = await openWorkspace(options.settings.dataFolder, options.database);
    return await runImport({ ...options, onProgress: options.onProgress ?? (() => {}) }, inputs, workspace, started);
  } catch (error) {
    throw toMachineError(error, options.settings.dataFolder);
  } finally {
    await workspace?.close();
  }
}

async function runImport(
  {
    settings,
    database,
    dryRun = false,
    replace = false,
    unattended = false,
    onlySameFiles = false,
    checkPeople = async () => undefined,
    onProgress,
    bucketBytes,
  }: ImportOptions & { onProgress: (progress: Progress) => void },
  inputs: readonly Input[],
  workspace: Workspace,
  started: number,
): Promise<ImportReport> {
  const { guards, keep } = settings.directory;
  const folder = snapshotFolder(settings.dataFolder);
  const collector = createCollector();
  const phases: Record<string, number> = {};
  let phaseStarted = started;
  const endPhase = (name: string) => {
    phases[name] = secondsSince(phaseStarted);
    phaseStarted = performance.now();
  };
  const sources = await recogniseInputs(inputs, collector);
  if (sources.length === 0) throw nothingToRead(inputs.length);
  if (unattended) refuseUndated(sources);
  const before = await currentDirectory(database, folder, collector.warn);
  const counts = { Practitioner: 0, Organization: 0, PractitionerRole: 0 };
  let verdicts: Verdict[] = [];
  const refused = () => verdicts.some((verdict) => !verdict.passed);

  const report = (outcome: ImportReport['outcome'], summary?: SnapshotSummary): ImportReport => ({
    outcome,
    ...(summary && outcome === 'imported' && { snapshot: summary.id }),
    files: sources.map((source) => source.report),
    lines: linesOf(sources),
    resources: counts,
    ...(summary && { changes: summary.changes }),
    warnings: collector.warnings(),
    linesLeftOut: collector.linesLeftOut(),
    guards: verdicts,
    seconds: secondsSince(started),
    phases,
  });

  const passes = openPasses({
    folder: workspace.folder,
    sources,
    namespace: settings.namespace,
    collector,
    ...(before?.file !== undefined && !replace && { previous: before.file }),
    ...(bucketBytes !== undefined && { bucketBytes }),
  });
  let writer: SnapshotWriter | undefined;
  let pool: WorkerPool | undefined;
  try {
    await passes.read((done, lines) => onProgress({ phase: 'reading', done, lines, resources: 0 }));
    endPhase('reading');
    const checksum = sourcesChecksum(sources, `mapping ${MAPPING_VERSION}, ${settings.namespace}`);
    const compared = replace ? undefined : before?.entry;
    if (before?.file !== undefined && before.entry.sourcesChecksum === checksum && !dryRun) {
      verdicts = await withSnapshot(before.file, (snapshot) => guardPeople(snapshot, checkPeople));
      return report(refused() ? 'refused' : 'unchanged');
    }
    if (onlySameFiles && before && before.entry.sourcesChecksum !== checksum) return report('unchanged');
    verdicts = guardUnusableLines(sources, guards, collector);
    if (unattended) verdicts.push(...(await guardUnattended(sources, checksum, before?.entry, database)));
    if (refused()) return report('refused');

    const id = snapshotName(new Date());
    workspace.announce(id);
    writer = createSnapshotWriter({
      folder,
      id,
      ...(before?.file !== undefined && { previous: before.file }),
      freshVersions: before !== undefined && (before.overtaken || before.file === undefined),
    });
    pool = startWorkerPool(passes.job(), writer);
    const canaries = await map(passes, pool, writer, { collector, sources, counts, onProgress, endPhase });
    await pool.close();
    verdicts = [
      ...guardUnusableLines(sources, guards, collector),
      ...guardColumns(collector),
      ...guardRegisters(editionsOf(sources), compared?.editions, guards),
      ...guardMinimum(counts, guards),
      ...guardShrinkage(counts, compared?.counts, guards),
    ];
    if (refused()) return report('refused');

    const waiting = () => onProgress({ phase: 'indexing', lines: linesOf(sources), resources: sum(counts) });
    const summary = await showProgressDuring(writer.finish(), waiting);
    endPhase('indexing');
    verdicts.push(...guardRemoved(summary.changes, compared?.counts, guards));
    const candidate = { summary, canaries, sources, checksum };
    await workspace.confirm();
    const last = await publish(candidate, {
      database,
      folder,
      keep,
      dryRun: dryRun || refused(),
      checkPeople,
      warn: collector.warn,
    });
    endPhase('switching');
    verdicts.push(...last.verdicts);
    if (last.published) return report('imported', summary);
    return report(refused() ? 'refused' : 'checked', summary);
  } catch (error) {
    throw await noteDamage(error, before, database);
  } finally {
    passes.close();
    await pool?.close();
    await writer?.abandon();
  }
}

/** Shows every second that the work goes on; ends with what `show` throws, such as an interruption. */
async function showProgressDuring<Result>(work: Promise<Result>, show: () => void): Promise<Result> {
  const { promise: stopped, reject } = Promise.withResolvers<never>();
  const again = () => {
    try {
      show();
    } catch (error) {
      reject(error);
    }
  };
  again();
  const timer = setInterval(again, 1000);
  return Promise.race([work, stopped]).finally(() => clearInterval(timer));
}

/** Maps all people, then all structures, into the writer; returns some of each to be looked up afterwards. */
async function map(
  passes: Passes,
  pool: WorkerPool,
  writer: SnapshotWriter,
  { collector, sources, counts, onProgress, endPhase }: MapContext,
): Promise<IndexedResource[]> {
  const samples = { people: [] as IndexedResource[], structures: [] as IndexedResource[] };
  const lines = linesOf(sources);
  const onBucket = (phase: 'people' | 'structures') => (bucket: BucketDone, done: number) => {
    for (const type of RESOURCE_TYPES) counts[type] += bucket.counts[type];
    if (bucket.sample && samples[phase].length < CANARIES) samples[phase].push(bucket.sample);
    onProgress({ phase, done, lines, resources: sum(counts) });
  };
  passes.assignMailboxes(await pool.people(onBucket('people')));
  writer.complete('Practitioner');
  writer.complete('PractitionerRole');
  endPhase('people');
  await pool.structures(onBucket('structures'));
  for (const notes of pool.notes()) {
    collector.add(
      notes,
      sources.map(({ report }) => report),
    );
  }
  endPhase('structures');
  return [...samples.people, ...samples.structures];
}

interface MapContext {
  collector: Collector;
  sources: readonly Source[];
  counts: ImportReport['resources'];
  onProgress: (progress: Progress) => void;
  endPhase(name: string): void;
}

function nothingToRead(found: number): ImportError {
  return new ImportError(
    {},
    found === 0 ? 'There is no file to read.' : `None of the ${found} files is a register that Hygie knows.`,
    'Give the files of the public extractions, or folders that hold them.',
  );
}

/** To hundredths. */
function secondsSince(instant: number): number {
  return Math.round((performance.now() - instant) / 10) / 100;
}

function linesOf(sources: readonly Source[]): number {
  return sources.reduce((total, source) => total + source.report.lines, 0);
}

function sum(counts: ImportReport['resources']): number {
  return counts.Practitioner + counts.Organization + counts.PractitionerRole;
}
