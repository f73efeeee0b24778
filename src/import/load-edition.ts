// Loads one edition: recognise, read, map people, map structures, build the index, judge, switch.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  createSnapshotWriter,
  type ResourceType,
  type SnapshotSummary,
  type SnapshotWriter,
} from '#search-index/index.ts';
import { notePhase } from '#shared/request-context.ts';
import { openAccountLinks } from '#store/accounts/links/account-links.ts';
import type { Database } from '#store/database/connection.ts';
import { snapshotFolder } from '#store/snapshots/folder.ts';
import { dropRefusal, judgementOf, keepJudgement, loadedSince } from '#store/snapshots/judgements.ts';
import type { SnapshotEntry } from '#store/snapshots/registry.ts';
import type { Collector } from './collect/collector.ts';
import { type Progress, showProgressDuring } from './collect/progress.ts';
import { notable } from './collect/warnings.ts';
import { renamedIn } from './guards/changes.ts';
import { consistencyShares } from './guards/consistency.ts';
import { guardUnattended } from './guards/editions.ts';
import { checkFinished, guardPeople, withSnapshot } from './guards/finished-snapshot.ts';
import { acceptsOtherPeople, unlikeBefore } from './guards/first-load.ts';
import { judgeEdition } from './guards/judge.ts';
import type { EditionBefore, MappedEdition } from './guards/measured-edition.ts';
import { refuses, type Verdict, withAcceptances } from './guards/verdict.ts';
import type { ImportOptions } from './import-options.ts';
import { type ImportReport, judgedBefore } from './judgement/import-report.ts';
import { judgementFrom } from './judgement/judgement.ts';
import { compareLinkedAccounts, compareWithCurrent, type LinkedAccountsReport } from './judgement/linked-accounts.ts';
import { noStatistics, statisticsOf } from './judgement/statistics.ts';
import { mapEdition, sum } from './passes/map-edition.ts';
import { openPasses } from './passes/passes.ts';
import { startWorkerPool, type WorkerPool } from './passes/worker-pool.ts';
import { currentDirectory, noteDamage, publish, snapshotName } from './publish/switch-snapshot.ts';
import type { Workspace } from './publish/workspace.ts';
import { recogniseInputs } from './registers/recognise-inputs.ts';
import { promisedRegister } from './registers/register-kinds.ts';
import { editionsOf, linesOf, sourcesChecksum } from './registers/source.ts';
import type { Input } from './sources/input.ts';

/** Raised when the same files must give other resources: an edition is then loaded again though it did not change. */
const MAPPING_VERSION = 2;
/** For how long back an edition is compared with those that were loaded. */
const HISTORY_MS = 30 * 86_400_000;

export interface LoadOptions extends ImportOptions {
  onProgress: (progress: Progress) => void;
  collector: Collector;
  /** Files that are still being written, by their names. */
  incoming: readonly string[];
}

/** Resolves and throws as `importEdition` does. */
export async function loadEdition(
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
  }: LoadOptions,
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
    notePhase(`import: ${name}`, performance.now() - phaseStarted);
    phaseStarted = performance.now();
  };
  const sources = await recogniseInputs(inputs, collector, incoming.find(promisedRegister));
  const current = await currentDirectory(database, folder, collector.warn);
  const counts = { Practitioner: 0, Organization: 0, PractitionerRole: 0 };
  const statistics = noStatistics();
  const compared = acceptsOtherPeople(accept) ? undefined : current?.entry;
  const edition: MappedEdition = {
    sources,
    incoming,
    collector,
    counts,
    statistics,
    limits,
    accept,
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
      if (!refused()) {
        linked = await compareWithCurrent(linkedAccounts, current.file);
        await dropRefusal(database);
      }
      const stored = await judgementOf(database, current.entry.id);
      return judgedBefore(report(refused() ? 'refused' : 'unchanged'), current.entry, stored?.report);
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
    Object.assign(statistics, statisticsOf(collector), { consistency: consistencyShares(edition) });
    await markLinked(collector, database);

    const waiting = () => onProgress({ phase: 'indexing', lines: linesOf(sources), resources: sum(counts) });
    const summary = await showProgressDuring(writer.finish(), waiting);
    endPhase('indexing');
    const file = join(folder, summary.file);
    statistics.renamed = renamedIn(summary);
    verdicts = withAcceptances(
      [
        ...unlikeBefore(accept, current?.entry.id),
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
      accepted: verdicts.filter((one) => one.accepted).map(({ name }) => name),
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
    onProgress({ phase: 'switching', lines: linesOf(sources), resources: sum(counts) });
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
