// An import from paths to the switched directory: recognise, read, map people, map structures, build the index, guard, switch.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { OTHER_PEOPLE } from '../config/service/guard-table.ts';
import type { Settings } from '../config/settings.ts';
import {
  createSnapshotWriter,
  type ResourceType,
  type SnapshotSummary,
  type SnapshotWriter,
} from '../search-index/index.ts';
import { openAccountLinks } from '../store/accounts/account-links.ts';
import type { Database } from '../store/database/connection.ts';
import { snapshotFolder } from '../store/snapshots/folder.ts';
import { type EditionStatistics, judgementOf, keepJudgement, loadedSince } from '../store/snapshots/judgements.ts';
import type { SnapshotEntry } from '../store/snapshots/registry.ts';
import { consistencyShares } from './guards/consistency.ts';
import { guardPeople, type PeopleCheck } from './guards/finished-snapshot.ts';
import { judgeEdition } from './guards/judge.ts';
import type { EditionBefore, MappedEdition } from './guards/measured-edition.ts';
import { promisedRegister } from './guards/published-names.ts';
import { guardUnattended } from './guards/unattended.ts';
import { type Acceptance, refuses, type Verdict, withAcceptances } from './guards/verdict.ts';
import { ImportAlreadyRunning, ImportError, MachineError, toMachineError } from './import-error.ts';
import { type Progress, showProgressDuring } from './import-progress.ts';
import { type ImportReport, unreadableReport } from './judgement/import-report.ts';
import { judgementFrom } from './judgement/judgement.ts';
import { mapEdition, sum } from './passes/map-edition.ts';
import { openPasses } from './passes/passes.ts';
import { startWorkerPool, type WorkerPool } from './passes/worker-pool.ts';
import {
  compareLinkedAccounts,
  compareWithCurrent,
  type LinkedAccounts,
  type LinkedAccountsReport,
} from './publish/linked-accounts.ts';
import { type Collector, createCollector, notable } from './publish/report.ts';
import {
  checkFinished,
  currentDirectory,
  noteDamage,
  publish,
  snapshotName,
  withSnapshot,
} from './publish/switch-snapshot.ts';
import { openWorkspace, type Workspace } from './publish/workspace.ts';
import type { Input } from './sources/input.ts';
import { listInputs } from './sources/inputs.ts';
import { editionsOf, linesOf, recogniseInputs, sourcesChecksum } from './sources/sources.ts';

export interface ImportOptions {
  /** Files and folders. */
  paths: readonly string[];
  settings: Pick<Settings, 'dataFolder' | 'namespace'> & {
    directory: Pick<Settings['directory'], 'guards' | 'keep' | 'largestUnpacked'>;
  };
  database: Database;
  /** Everything but the switch. */
  dryRun?: boolean;
  /** What the operator accepts of this edition; `other-people`: it is judged like a first load. */
  accept?: readonly Acceptance[];
  /**
   * The watched folder in which the files were found: nobody chose them, so that they count as those of a folder; and the
   * directory does not return to an edition that was rolled back.
   */
  foundIn?: string;
  /** A directory of other files stays as it is; the outcome is then `unchanged`. */
  onlySameFiles?: boolean;
  /** Called before the switch, and when the directory holds the edition already. */
  checkPeople?: PeopleCheck;
  /** The sign-in accounts that are linked to the directory: compared with each edition that is judged. */
  linkedAccounts?: LinkedAccounts;
  onProgress?: (progress: Progress) => void;
  /** For tests that want the threads of a large edition for a small one, see `PassesOptions`. */
  bucketBytes?: number;
}

/** Raised when the same files must give other resources: an edition is then loaded again though it did not change. */
const MAPPING_VERSION = 2;
/** For how long back an edition is compared with those that were loaded. */
const HISTORY_MS = 30 * 86_400_000;

/**
 * Loads an edition. Resolves with the report, `refused` included; throws an `ImportError` for input that cannot be
 * read. In both cases the current directory is untouched and nothing is left behind that the next import does not clear up.
 */
export async function importEdition(options: ImportOptions): Promise<ImportReport> {
  const started = performance.now();
  const collector = createCollector();
  const { foundIn } = options;
  const incoming: string[] = [];
  const inputs = await listInputs(options.paths, {
    warn: collector.warn,
    onIncoming: (name) => incoming.push(name),
    ...(foundIn !== undefined && { foundIn }),
  });
  let workspace: Workspace | undefined;
  try {
    workspace = await openWorkspace(options.settings.dataFolder, options.database);
    const onProgress = options.onProgress ?? (() => {});
    return await runImport({ ...options, onProgress, collector, incoming }, inputs, workspace, started);
  } catch (error) {
    const known = toMachineError(error, options.settings.dataFolder);
    if (!options.dryRun) await keepUnreadable(options.database, known);
    throw known;
  } finally {
    await workspace?.close();
  }
}

async function runImport(
  {
    settings,
    database,
    dryRun = false,
    accept = [],
    foundIn,
    onlySameFiles = false,
    checkPeople = async () => undefined,
    linkedAccounts,
    onProgress,
    bucketBytes,
    collector,
    incoming,
  }: ImportOptions & {
    onProgress: (progress: Progress) => void;
    collector: Collector;
    incoming: readonly string[];
  },
  inputs: readonly Input[],
  workspace: Workspace,
  started: number,
): Promise<ImportReport> {
  const { guards: limits, keep } = settings.directory;
  const folder = snapshotFolder(settings.dataFolder);
  const phases: Record<string, number> = {};
  let phaseStarted = started;
  const endPhase = (name: string) => {
    phases[name] = secondsSince(phaseStarted);
    phaseStarted = performance.now();
  };
  const sources = await recogniseInputs(inputs, collector, incoming.find(promisedRegister));
  const current = await currentDirectory(database, folder, collector.warn);
  const counts = { Practitioner: 0, Organization: 0, PractitionerRole: 0 };
  const statistics: EditionStatistics = { columns: {}, departments: {} };
  const compared = accept.some(({ name }) => name === OTHER_PEOPLE) ? undefined : current?.entry;
  const edition: MappedEdition = {
    sources,
    incoming,
    collector,
    counts,
    statistics,
    limits,
    ...(compared && { before: await editionBefore(database, compared) }),
    history: compared ? await loadedSince(database, new Date(Date.now() - HISTORY_MS)) : [],
  };
  let verdicts: Verdict[] = [];
  let linked: LinkedAccountsReport | undefined;
  const refused = () => verdicts.some(refuses);

  const report = (outcome: ImportReport['outcome'], summary?: SnapshotSummary): ImportReport => ({
    outcome,
    judgement: judgementFrom(verdicts, notable(collector.warnings()), edition, summary?.samples),
    ...(summary && outcome === 'imported' && { snapshot: summary.id }),
    files: sources.map((source) => source.report),
    lines: linesOf(sources),
    resources: counts,
    ...(summary && { changes: summary.changes }),
    ...(linked && { linkedAccounts: linked }),
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
    largestUnpacked: settings.directory.largestUnpacked,
    ...(compared && current?.file !== undefined && { previous: current.file }),
    ...(bucketBytes !== undefined && { bucketBytes }),
  });
  let writer: SnapshotWriter | undefined;
  let pool: WorkerPool | undefined;
  try {
    await passes.read((done, lines) => onProgress({ phase: 'reading', done, lines, resources: 0 }));
    endPhase('reading');
    const checksum = sourcesChecksum(sources, `mapping ${MAPPING_VERSION}, ${settings.namespace}`);
    if (current?.file !== undefined && current.entry.sourcesChecksum === checksum && !dryRun) {
      verdicts = await withSnapshot(current.file, (snapshot) => guardPeople(snapshot, checkPeople));
      if (!refused()) linked = await compareWithCurrent(linkedAccounts, current.file);
      return report(refused() ? 'refused' : 'unchanged');
    }
    if (onlySameFiles && current && current.entry.sourcesChecksum !== checksum) return report('unchanged');

    const id = snapshotName(new Date());
    workspace.announce(id);
    writer = createSnapshotWriter({
      folder,
      id,
      ...(current?.file !== undefined && { previous: current.file }),
      freshVersions: current !== undefined && (current.overtaken || current.file === undefined),
    });
    pool = startWorkerPool(passes.job(), writer);
    const canaries = await mapEdition(passes, pool, writer, { collector, sources, counts, onProgress, endPhase });
    await pool.close();
    statistics.consistency = consistencyShares(edition);
    await markLinked(collector, database);

    const waiting = () => onProgress({ phase: 'indexing', lines: linesOf(sources), resources: sum(counts) });
    const summary = await showProgressDuring(writer.finish(), waiting);
    endPhase('indexing');
    const file = join(folder, summary.file);
    verdicts = withAcceptances(
      [
        ...judgeEdition({ ...edition, changes: summary.changes, samples: summary.samples }),
        ...(foundIn === undefined ? [] : await guardUnattended(checksum, current?.entry, database)),
        ...(await checkFinished(file, canaries, checkPeople)),
      ],
      accept,
    );
    const kept = {
      counts,
      statistics,
      removed: removedOf(summary),
      accepted: accept.map(({ name }) => name),
    };
    const store = !dryRun && !refused();
    linked = await compareLinkedAccounts(linkedAccounts, file, current, { store });
    if (!store) rmSync(file, { force: true });
    if (refused()) {
      const refusal = report('refused', summary);
      if (!dryRun)
        await keepJudgement(database, { ...kept, editions: editionsOf(sources), report: JSON.stringify(refusal) });
      return refusal;
    }
    if (dryRun) return report('checked', summary);
    await workspace.confirm();
    const judgement = { ...kept, report: JSON.stringify(report('imported', summary)) };
    await publish({ summary, sources, checksum, judgement }, { database, folder, keep, warn: collector.warn });
    if (linkedAccounts) await withSnapshot(file, linkedAccounts.inForce);
    endPhase('switching');
    return report('imported', summary);
  } catch (error) {
    throw await noteDamage(error, current, database);
  } finally {
    passes.close();
    await pool?.close();
    await writer?.abandon();
  }
}

/** Marks what is doubtful and what sign-in accounts are linked to. */
async function markLinked(collector: Collector, database: Database): Promise<void> {
  const doubtful = collector.doubtful();
  const linked = await openAccountLinks(database).linkedIds(doubtful.map(({ reference }) => reference));
  for (const one of doubtful) if (linked.has(one.reference)) one.linked = true;
}

/** Keeps that files could not be read; nothing where they are not at fault. */
async function keepUnreadable(database: Database, error: unknown): Promise<void> {
  if (!(error instanceof ImportError) || error instanceof MachineError || error instanceof ImportAlreadyRunning) return;
  const report = unreadableReport(error);
  const counts = report.resources;
  const statistics = { columns: {}, departments: {} };
  const kept = { counts, editions: {}, statistics, report: JSON.stringify(report), accepted: [], removed: counts };
  await keepJudgement(database, kept);
}

async function editionBefore(database: Database, entry: SnapshotEntry): Promise<EditionBefore> {
  const statistics = (await judgementOf(database, entry.id))?.statistics;
  return { ...entry, ...(statistics && { statistics }) };
}

/** To hundredths. */
function secondsSince(instant: number): number {
  return Math.round((performance.now() - instant) / 10) / 100;
}

function removedOf({ changes }: SnapshotSummary): Record<ResourceType, number> {
  const { Practitioner, Organization, PractitionerRole } = changes;
  return {
    Practitioner: Practitioner.removed,
    Organization: Organization.removed,
    PractitionerRole: PractitionerRole.removed,
  };
}
