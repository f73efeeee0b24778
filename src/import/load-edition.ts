// Takes an edition from its files to the served directory. Before the following steps, `locked-import.ts` has listed the files
// (`sources/inputs.ts`) and taken the lock, and `begin-import.ts` has prepared the folder. If a step before step 7 throws or refuses the
// edition, the served directory stays as it is.
//
// 1. `registers/recognise-inputs.ts` finds out which register each file is.
// 2. `judgement/current-directory.ts` finds the edition in force. If its snapshot file is missing here, it is fetched from the database,
//    provided that snapshots are distributed (step 6). `withEditionBefore` adds the edition in force to the new edition, so that the two
//    can be compared.
// 3. First pass (`passes/passes.ts`, `passes/read-sources.ts`): each line goes into the bucket of its person or structure, on disk. Only
//    the lines about mailboxes of structures wait in a file of their own, until step 4 knows their owners. If the files are those of the
//    edition in force and its snapshot file can be read, `judgeSameEdition` ends the import here. A dry run continues.
// 4. Second and third pass (`passes/build-snapshot.ts`), in several threads if the edition is large (`worker-pool.ts`, `mapper.ts`):
//    - `map-people.ts` makes the resources of people with the functions of `mapping/`. Then `mailbox-owners.ts` assigns mailboxes to
//      their owners, and `map-structures.ts` makes the resources of structures. `fhir/index-entries.ts` (`indexResource`) adds the index
//      entries.
//    - `search-index/write/writer.ts` writes resources and index entries. It does so in the threads of `builder-threads.ts`, or in this
//      thread if the edition has one mapper and fewer than 5000 resources. In each thread, `builder.ts` opens the file and the edition in
//      force, lets `type-builder.ts` make the index of each type of resource, and joins the parts at the end.
//      `versions.ts` compares each resource with its version in the edition in force: it assigns versions and dates, and counts added,
//      changed and removed resources for the guards of step 5.
// 5. `judgement/judge-edition.ts` applies all guards (`guards/`), in the order of the report. `judgement/linked-accounts.ts` checks whether
//    the records that accounts are linked to are still in the new edition. If the edition will be served, the states of their links are
//    stored, but they become valid only with the switch (step 7).
// 6. With `distribution: database`, the default with PostgreSQL, `store/snapshots/distribution.ts` stores the snapshot file for other
//    instances.
// 7. `publish/switch-snapshot.ts` switches to the new edition by changing one row of the database. In each serving process,
//    `store/snapshots/current-snapshot.ts` notices the change and opens the new edition. `server/open-directory.ts` connects it with the
//    search threads. An instance that lacks the snapshot file serves the earlier edition while it fetches the file
//    (`server/bring-directory.ts`).

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

/**
 * Increase this number when a release makes different resources from the same files. An edition that the directory already holds is then
 * imported again.
 */
const MAPPING_VERSION = 3;

interface ImportJob extends ImportOptions {
  inputs: readonly Input[];
  /** Names of files that are left out because they are still being written. */
  incoming: readonly string[];
  collector: Collector;
  importFolder: ImportFolder;
  clock: PhaseClock;
  onProgress: (progress: Progress) => void;
}

/** Imports an edition. Resolves and throws like `importEdition`. */
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
  // `onProgress` throws if the import was interrupted. It is also called while the database is away, so that an interruption ends the
  // waiting. It is not called after the switch has begun, because then an interruption comes too late.
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
        { ...job, checkPeople, onProgress, distribution, patiently },
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
      // The switch has been made, so a failure here no longer fails the import and only gives a warning.
      await patiently(inForce).catch((error: Error) => collector.warn('links-not-compared', error.message));
    }
    clock.endPhase('switching');
    return report('imported');
  } catch (error) {
    throw await noteDamage(error, current, database);
  }
}

/** Removes a snapshot that the directory is not switched to. Its judgement is stored, except after a dry run. */
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
  checkPeople: PeopleCheck;
  distribution: Distribution | undefined;
  /** Repeats work as long as the database is unavailable (`outlastFailOver`). */
  patiently: <Result>(work: () => Promise<Result>) => Promise<Result>;
}

/**
 * Ends an import of files that the directory already holds. Does not switch the directory, but checks its people again, and stores its
 * snapshot file for other instances if that file is not stored yet. If the check passes, the linked accounts are compared again, stored
 * judgements of refused editions are dropped, and `server/audit/operator-audit.ts` (`importEvents`) records that the edition is kept.
 */
async function judgeSameEdition(
  edition: EditionToJudge,
  { entry, file }: CurrentDirectory & { file: string },
  job: SameEditionJob,
): Promise<ImportReport> {
  const { checkPeople, linkedAccounts, database, clock, distribution, onProgress, patiently } = job;
  const judged = await judgePeople(edition, file, checkPeople);
  // Each call of `patiently` repeats only one step. If all steps were repeated together, the second comparison would no longer find the
  // changes that the first one stored.
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

/** Judges an edition that the directory already holds. It can only be refused because of its people. */
async function judgePeople(edition: EditionToJudge, file: string, checkPeople: PeopleCheck): Promise<JudgedEdition> {
  await using snapshot = await openSnapshot(file);
  const verdicts = await guardPeople(snapshot, checkPeople);
  return { edition, verdicts, refused: verdicts.some(refuses) };
}
