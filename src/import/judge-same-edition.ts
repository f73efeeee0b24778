// Ends an import of files that the directory already holds. Nothing is switched. If the edition passes, a refusal of before is dropped, and
// `server/audit/operator-audit.ts` (`importEvents`) records that the edition in force is kept.

import { openSnapshot } from '#search-index/index.ts';
import { type Distribution, storeIfLacking } from '#store/snapshots/distribution.ts';
import { dropRefusal, judgementOf } from '#store/snapshots/judgements.ts';
import type { PhaseClock } from './collect/progress.ts';
import { guardPeople, type PeopleCheck } from './guards/finished-snapshot.ts';
import type { EditionToJudge } from './guards/measured-edition.ts';
import { refuses } from './guards/verdict.ts';
import type { ImportOptions } from './import-options.ts';
import type { CurrentDirectory } from './judgement/current-directory.ts';
import { type ImportReport, importReport, judgedBefore } from './judgement/import-report.ts';
import type { JudgedEdition } from './judgement/judge-edition.ts';
import { compareWithServed } from './judgement/linked-accounts.ts';
import { sum } from './passes/build-snapshot.ts';

interface SameEditionJob extends Pick<ImportOptions, 'checkPeople' | 'linkedAccounts' | 'database'> {
  clock: PhaseClock;
  onProgress: NonNullable<ImportOptions['onProgress']>;
  distribution: Distribution | undefined;
  /** Repeats work while the database is away (`outlastFailOver`). */
  patiently: <Result>(work: () => Promise<Result>) => Promise<Result>;
}

/** Judges the served edition again. It stays in force, and other instances can fetch it afterwards. */
export async function judgeSameEdition(
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
