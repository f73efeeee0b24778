// Owns an import from paths to the switched directory, in the order of its passes: recognise, read, people, structures,
// index, guards, switch. Does not own any of the passes, nor how progress and report are shown.

import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Settings } from '../shared/settings.ts';
import type { Database } from '../store/connection.ts';
import {
  activateSnapshot,
  type CatalogueEntry,
  findSnapshot,
  pruneSnapshots,
  readPointer,
  registerSnapshot,
} from '../store/directory/catalogue.ts';
import { snapshotFolder } from '../store/directory/folder.ts';
import type { IndexedResource, SnapshotSummary, SnapshotWriter } from '../store/directory/snapshot.ts';
import { openSnapshot } from '../store/directory/sqlite-reader.ts';
import { createSnapshotWriter } from '../store/directory/sqlite-writer.ts';
import { IngestFault } from './fault.ts';
import {
  guardCanaries,
  guardColumns,
  guardMinimum,
  guardShrinkage,
  guardUnusableLines,
  type Verdict,
} from './guards.ts';
import { listInputs } from './inputs.ts';
import { openPasses, type Passes } from './passes.ts';
import { createCollector, type ImportReport, type Warn } from './report.ts';
import { recogniseInputs, type Source, sourcesChecksum } from './sources.ts';
import { openWorkspace } from './workspace.ts';

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
  settings: Pick<Settings, 'dataFolder' | 'namespace' | 'directory'>;
  database: Database;
  /** Everything but the switch. */
  dryRun?: boolean;
  onProgress?: (progress: Progress) => void;
}

/** Raised when the same files must give other resources: an edition is then loaded again though it did not change. */
const MAPPING_VERSION = 1;
const CANARIES = 64;

/**
 * Loads an edition. Resolves with the report, `refused` included; throws an `IngestFault` for input that cannot be
 * read. In both cases the current directory is untouched and nothing is left behind.
 */
export async function importEdition(options: ImportOptions): Promise<ImportReport> {
  const started = performance.now();
  const inputs = await listInputs(options.paths);
  const workspace = openWorkspace(options.settings.dataFolder);
  try {
    return await runImport(
      { ...options, onProgress: options.onProgress ?? (() => {}) },
      inputs,
      workspace.folder,
      started,
    );
  } catch (error) {
    throw explained(error, options.settings.dataFolder);
  } finally {
    workspace.close();
  }
}

async function runImport(
  { settings, database, dryRun = false, onProgress }: ImportOptions & { onProgress: (progress: Progress) => void },
  inputs: Awaited<ReturnType<typeof listInputs>>,
  folder: string,
  started: number,
): Promise<ImportReport> {
  const { guards, keep } = settings.directory;
  const collector = createCollector();
  const clock = createClock(started);
  const sources = await recogniseInputs(inputs, collector);
  if (sources.length === 0) throw nothingToRead(inputs.length);
  const before = await currentEntry(database);
  const counts = { Practitioner: 0, Organization: 0, PractitionerRole: 0 };
  const verdicts: Verdict[] = [];

  const report = (outcome: ImportReport['outcome'], summary?: SnapshotSummary): ImportReport => ({
    outcome,
    ...(summary && outcome === 'imported' && { snapshot: summary.id }),
    files: sources.map((source) => source.report),
    lines: sources.reduce((sum, source) => sum + source.report.lines, 0),
    resources: counts,
    ...(summary && { changes: summary.changes }),
    warnings: collector.warnings(),
    linesLeftOut: collector.linesLeftOut(),
    guards: verdicts,
    seconds: clock.total(),
    phases: clock.phases(),
  });

  const passes = openPasses({ folder, sources, namespace: settings.namespace, collector });
  let writer: SnapshotWriter | undefined;
  try {
    await passes.read((done, lines) => onProgress({ phase: 'reading', done, lines, resources: 0 }));
    clock.mark('reading');
    const checksum = sourcesChecksum(sources, `mapping ${MAPPING_VERSION}, ${settings.namespace}`);
    const previous = before && (await readablePrevious(settings.dataFolder, before, collector.warn));
    if (previous !== undefined && before?.sourcesChecksum === checksum && !dryRun) return report('unchanged');
    verdicts.push(...guardUnusableLines(sources, guards, collector));
    if (verdicts.some((verdict) => !verdict.passed)) return report('refused');

    writer = createSnapshotWriter({
      folder: snapshotFolder(settings.dataFolder),
      id: snapshotId(new Date()),
      ...(previous !== undefined && { previous }),
    });
    const canaries = await write(passes, writer, counts, onProgress, sources, clock);
    verdicts.splice(0, verdicts.length, ...guardUnusableLines(sources, guards, collector));
    verdicts.push(...guardColumns(passes.shapes()), ...guardMinimum(counts, guards));
    verdicts.push(...guardShrinkage(counts, before?.counts, guards));
    if (verdicts.some((verdict) => !verdict.passed)) return report('refused');

    onProgress({ phase: 'indexing', lines: linesOf(sources), resources: sum(counts) });
    const summary = await writer.finish();
    clock.mark('indexing');
    const file = join(snapshotFolder(settings.dataFolder), summary.file);
    let keepFile = false;
    try {
      verdicts.push(await checkCanaries(file, canaries));
      if (verdicts.some((verdict) => !verdict.passed)) return report('refused', summary);
      if (dryRun) return report('checked', summary);
      await registerSnapshot(database, entryOf(summary, sources, checksum));
      keepFile = true;
      await activateSnapshot(database, summary.id);
      await pruneSnapshots({ database, folder: snapshotFolder(settings.dataFolder), keep });
      clock.mark('switching');
      return report('imported', summary);
    } finally {
      if (!keepFile) rmSync(file, { force: true });
    }
  } finally {
    passes.close();
    await writer?.abandon();
  }
}

/** Maps all people, then all structures, into the writer; returns some of each to be looked up afterwards. */
async function write(
  passes: Passes,
  writer: SnapshotWriter,
  counts: ImportReport['resources'],
  onProgress: (progress: Progress) => void,
  sources: readonly Source[],
  clock: ReturnType<typeof createClock>,
): Promise<IndexedResource[]> {
  const canaries: IndexedResource[] = [];
  const lines = linesOf(sources);
  for (const phase of ['people', 'structures'] as const) {
    const wanted = phase === 'people' ? 'Practitioner' : 'Organization';
    for (const bucket of passes[phase]()) {
      let sampled = false;
      for (const resource of bucket.resources) {
        counts[resource.type]++;
        const waiting = writer.add(resource);
        if (waiting) await waiting;
        if (!sampled && resource.type === wanted && canaries.length < CANARIES) {
          sampled = true;
          canaries.push(resource);
        }
      }
      onProgress({ phase, done: bucket.done, lines, resources: sum(counts) });
      await setImmediate();
    }
    clock.mark(phase);
  }
  return canaries;
}

async function checkCanaries(file: string, canaries: readonly IndexedResource[]): Promise<Verdict> {
  const snapshot = await openSnapshot(file);
  try {
    return await guardCanaries(snapshot, canaries);
  } finally {
    await snapshot.close();
  }
}

/** File of the current snapshot; nothing when it is lost or of another release, which must not stop the next import. */
async function readablePrevious(dataFolder: string, entry: CatalogueEntry, warn: Warn): Promise<string | undefined> {
  const file = join(snapshotFolder(dataFolder), entry.file);
  try {
    await (await openSnapshot(file)).close();
    return file;
  } catch (error) {
    warn('unreadable-previous', (error as Error).message);
    return undefined;
  }
}

async function currentEntry(database: Database): Promise<CatalogueEntry | undefined> {
  const { current } = await readPointer(database);
  return current === undefined ? undefined : findSnapshot(database, current);
}

function entryOf(summary: SnapshotSummary, sources: readonly Source[], checksum: string): CatalogueEntry {
  const editions: Record<string, string> = {};
  for (const { recognised } of sources) {
    const { kind, edition } = recognised;
    if (edition !== undefined && (editions[kind] ?? '') < edition) editions[kind] = edition;
  }
  return {
    id: summary.id,
    engine: 'sqlite',
    file: summary.file,
    createdAt: new Date(summary.created),
    editions,
    counts: summary.counts,
    sourcesChecksum: checksum,
    bytes: summary.bytes,
  };
}

function nothingToRead(found: number): IngestFault {
  return new IngestFault(
    {},
    found === 0 ? 'there is no file to read.' : `none of the ${found} files is a register that Hygie knows.`,
    'Give the files of the public extractions, or folders that hold them.',
  );
}

/** Faults of the machine in words that name the remedy; everything else as it is. */
function explained(error: unknown, dataFolder: string): unknown {
  if ((error as NodeJS.ErrnoException).code !== 'ENOSPC' && !/disk is full|SQLITE_FULL/i.test(String(error)))
    return error;
  return new IngestFault(
    { file: dataFolder },
    'the disk is full.',
    'An import needs free space of about three times the size of its plain files; the directory is unchanged.',
  );
}

/** `20261121T024500Z-9f3a`: sorts by time, and two imports within one second differ. */
function snapshotId(now: Date): string {
  return `${now.toISOString().replace(/[-:]|\.\d+/g, '')}-${randomBytes(2).toString('hex')}`;
}

function createClock(started: number) {
  const phases: Record<string, number> = {};
  let last = started;
  const seconds = (from: number) => Math.round((performance.now() - from) / 10) / 100;
  return {
    mark(phase: string): void {
      phases[phase] = seconds(last);
      last = performance.now();
    },
    phases: () => phases,
    total: () => seconds(started),
  };
}

function linesOf(sources: readonly Source[]): number {
  return sources.reduce((total, source) => total + source.report.lines, 0);
}

function sum(counts: ImportReport['resources']): number {
  return counts.Practitioner + counts.Organization + counts.PractitionerRole;
}
