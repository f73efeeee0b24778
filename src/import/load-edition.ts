// Takes an edition from its files to the served directory. `locked-import.ts` has listed the files (`sources/inputs.ts`) and taken the
// lock. Whatever throws or refuses before step 7 leaves the served directory as it is.
// 1. `registers/recognise-inputs.ts` finds out which register each file is.
// 2. `judgement/current-directory.ts` finds the edition in force. `withEditionBefore` there adds it to the new edition, which is compared
//    with it.
// 3. First pass (`passes/passes.ts`, `passes/read-sources.ts`): each line goes into the bucket of its person or structure, on the disk. If
//    the files are those of the served edition, and its file can be read, `judgeSameEdition` ends the import here, except in a dry run.
// 4. Second and third pass (`passes/build-snapshot.ts`), in threads if the edition is large (`worker-pool.ts`, `mapper.ts`):
//    `map-people.ts` makes resources by `mapping/`. Then mailboxes get their owners, and `map-structures.ts` makes the structures.
//    `fhir/index-entries.ts` (`indexResource`) adds their index entries. `search-index/write/writer.ts` writes both, in the threads of
//    `builder-threads.ts`. `type-builder.ts` makes the index of a type. On the way, `versions.ts` compares each resource with that of the
//    edition in force: it gives versions and dates, and counts added, changed and removed resources for the guards of step 5.
// 5. `judgement/judge-edition.ts` applies all guards (`guards/`), in the order of the report. `judgement/linked-accounts.ts` checks whether
//    the records that accounts are linked to are still in the new edition. The states of their links are stored, and become valid with the
//    switch (step 7).
// 6. `store/snapshots/distribution.ts` stores the file for other instances, with `distribution: database`, the default with PostgreSQL.
// 7. `publish/switch-snapshot.ts` switches one row of the database. Serving processes notice that in `store/snapshots/current-snapshot.ts`,
//    and search in the edition that `server/open-directory.ts` has opened. An instance that lacks the file serves the earlier edition while
//    it fetches the file (`server/bring-directory.ts`).

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { openSnapshot } from '#search-index/index.ts';
import { outlastFailOver } from '#store/database/outlast-fail-over.ts';
import { type Distribution, distributionFor, storeAndConfirm, storeIfLacking } from '#store/snapshots/distribution.ts';
import { snapshotFolder } from '#store/snapshots/folder.ts';
import { dropRefusal, judgementOf, keepJudgement } from '#store/snapshots/judgements.ts';
import type { ImportFolder } from './begin-import.ts';
import type { Collector } from './collect/collector.ts';
import type { PhaseClock, Progress } from './collect/progress.ts';
import { guardPeople, type PeopleCheck } from './guards/finished-snapshot.ts';
import type { EditionToJudge } from './guards/measured-edition.ts';
import { refuses } from './guards/verdict.ts';
import type { ImportOptions } from './import-options.ts';
import {
  type CurrentDirectory,
  currentDirectory,
  noteDamage,
  withEditionBefore,
} from './judgement/current-directory.ts';
import { type ImportReport, importReport, judgedBefore, keptJudgement } from './judgement/import-report.ts';
import { type JudgedEdition, judgeEdition } from './judgement/judge-edition.ts';
import { compareLinkedAccounts, compareWithServed } from './judgement/linked-accounts.ts';
import { buildSnapshot, sum } from './passes/build-snapshot.ts';
import { openPasses } from './passes/passes.ts';
import { finishedEntry, publish } from './publish/switch-snapshot.ts';
import { recogniseInputs } from './registers/recognise-inputs.ts';
import { linesOf, sourcesChecksum } from './registers/source.ts';
import type { Input } from './sources/input.ts';

/** Raised when the same files must give other resources, so that an unchanged edition is imported again. */
const MAPPING_VERSION = 3;

interface ImportJob extends ImportOptions {
  inputs: readonly Input[];
  /** Names of files that are still being written. */
  incoming: readonly string[];
  collector: Collector;
  importFolder: ImportFolder;
  clock: PhaseClock;
  onProgress: (progress: Progress) => void;
}

/** Imports an edition. Resolves and throws as `importEdition` does. */
export async function loadEdition(job: ImportJob): Promise<ImportReport> {
  const { inputs, incoming, collector, importFolder, clock, database, settings, linkedAccounts } = job;
  const { accept = [], dryRun = false, onlySameFiles = false, checkPeople = async () => undefined } = job;
  const { guards: limits, keep, largestUnpacked } = settings.directory;
  const folder = snapshotFolder(settings.dataFolder);

  const sources = await recogniseInputs(inputs, collector, incoming);
  const distribution = distributionFor(database, settings);
  let latest: Progress = { phase: 'reading', lines: 0, resources: 0 };
  const onProgress = (progress: Progress) => {
    latest = progress;
    job.onProgress(progress);
  };
  // An interruption is noticed when progress is reported, so it is reported while the database is away, too. After the switch has begun, it
  // comes too late.
  const patiently = <Result>(work: () => Promise<Result>) =>
    outlastFailOver(database, work, () => latest.phase !== 'switching' && job.onProgress(latest));
  const current = await patiently(() => currentDirectory(database, { folder, distribution }, collector.warn));
  const recognised = { sources, incoming, collector, limits, accept };
  const edition = await patiently(() => withEditionBefore(recognised, current, database));
  const previous = current?.file === undefined ? {} : { previous: current.file };
  using passes = openPasses({
    ...job,
    folder: importFolder.folder,
    namespace: settings.namespace,
    sources,
    largestUnpacked,
    ...(edition.before && previous),
  });
  try {
    await passes.read(onProgress);
    clock.endPhase('reading');

    const checksum = sourcesChecksum(sources, `mapping ${MAPPING_VERSION}, ${settings.namespace}`);
    const isServed = current?.entry.sourcesChecksum === checksum;
    if (isServed && current.file !== undefined && !dryRun)
      return await judgeSameEdition(
        edition,
        { ...current, file: current.file },
        { ...job, onProgress, distribution, patiently },
      );
    if (onlySameFiles && current && !isServed) return importReport('unchanged', { edition }, clock);

    const freshVersions = current !== undefined && (current.overtaken || current.file === undefined);
    const snapshot = { folder, id: importFolder.announce(), ...previous, freshVersions };
    const built = await buildSnapshot(passes, snapshot, { collector, clock, onProgress, sources });

    const file = join(folder, built.summary.file);
    const judged = await judgeEdition(edition, built, file, { ...job, current, checksum, checkPeople });
    const switches = !judged.refused && !dryRun;
    const linked = await patiently(() => compareLinkedAccounts(linkedAccounts, file, current, { store: switches }));
    const report = (outcome: ImportReport['outcome']) => importReport(outcome, judged, clock, linked);
    if (!switches) return await discard(file, judged, report(judged.refused ? 'refused' : 'checked'), job);

    const judgement = keptJudgement(judged, report('imported'));
    const entry = await finishedEntry({ summary: built.summary, checksum, judgement }, folder);
    const loaded = { lines: linesOf(sources), resources: sum(built.counts) };
    const sealed = await patiently(() =>
      storeAndConfirm(distribution, entry, {
        onProgress: (done) => onProgress({ phase: 'distributing', done, ...loaded }),
        confirm: importFolder.confirm,
      }),
    );
    clock.endPhase('distributing');
    onProgress({ phase: 'switching', ...loaded });
    const compared = current?.entry.id;
    await publish(sealed, judgement, { database, compared, folder, keep, warn: collector.warn });
    if (linkedAccounts) {
      const inForce = async () => {
        await using snapshot = await openSnapshot(file);
        await linkedAccounts.inForce(snapshot);
      };
      // The switch is done, so what fails now is a warning.
      await patiently(inForce).catch((error: Error) => collector.warn('links-not-compared', error.message));
    }
    clock.endPhase('switching');
    return report('imported');
  } catch (error) {
    throw await noteDamage(error, current, database);
  }
}

/** Removes a snapshot to which the directory is not switched. Its judgement is kept, except in a dry run. */
async function discard(
  file: string,
  judged: Awaited<ReturnType<typeof judgeEdition>>,
  report: ImportReport,
  { dryRun = false, database }: ImportJob,
): Promise<ImportReport> {
  rmSync(file, { force: true });
  if (!dryRun) await outlastFailOver(database, () => keepJudgement(database, keptJudgement(judged, report)));
  return report;
}

interface SameEditionJob extends ImportJob {
  distribution: Distribution | undefined;
  /** Repeats work while the database is away (`outlastFailOver`). */
  patiently: <Result>(work: () => Promise<Result>) => Promise<Result>;
}

/**
 * Ends an import of files that the directory already holds: judges the served edition again. It stays in force, and other instances can
 * fetch it afterwards. If it passes, a refusal of before is dropped, and `server/audit/operator-audit.ts` (`importEvents`) records that it
 * is kept.
 */
async function judgeSameEdition(
  edition: EditionToJudge,
  { entry, file }: CurrentDirectory & { file: string },
  job: SameEditionJob,
): Promise<ImportReport> {
  const {
    checkPeople = async () => undefined,
    linkedAccounts,
    database,
    clock,
    distribution,
    onProgress,
    patiently,
  } = job;
  const judged = await judgePeople(edition, file, checkPeople);
  // What has succeeded is not done again: a second comparison would find no change any more.
  const linked = judged.refused ? undefined : await patiently(() => compareWithServed(linkedAccounts, file));
  if (!judged.refused) await patiently(() => dropRefusal(database));
  if (distribution) {
    const loaded = { lines: 0, resources: sum(entry.counts) };
    const store = { onProgress: (done: number) => onProgress({ phase: 'distributing', done, ...loaded }) };
    await patiently(() => storeIfLacking(database, distribution, entry, store));
  }
  const report = importReport(judged.refused ? 'refused' : 'unchanged', judged, clock, linked);
  return judgedBefore(report, entry, (await patiently(() => judgementOf(database, entry.id)))?.report);
}

/** Only the people of an edition that the directory already holds can be a reason to refuse it. */
async function judgePeople(edition: EditionToJudge, file: string, checkPeople: PeopleCheck): Promise<JudgedEdition> {
  await using snapshot = await openSnapshot(file);
  const verdicts = await guardPeople(snapshot, checkPeople);
  return { edition, verdicts, refused: verdicts.some(refuses) };
}
