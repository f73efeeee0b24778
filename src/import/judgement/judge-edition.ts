// Judges an edition against the edition in force. Applies all guards in the order in which the report shows them, and then the acceptances
// of the operator.

import { OTHER_PEOPLE } from '#config/service/guard-table.ts';
import { acceptsOtherPeople, withAcceptances } from '#import/guards/acceptances.ts';
import * as changed from '#import/guards/changed-resources.ts';
import { guardConsistency } from '#import/guards/consistency.ts';
import * as counts from '#import/guards/counts.ts';
import * as parts from '#import/guards/departments-and-professions.ts';
import * as drift from '#import/guards/drift.ts';
import * as duplicates from '#import/guards/duplicates.ts';
import * as editions from '#import/guards/editions.ts';
import * as fillRates from '#import/guards/fill-rates.ts';
import * as finess from '#import/guards/finess.ts';
import { checkFinished, type PeopleCheck } from '#import/guards/finished-snapshot.ts';
import type { BuiltEdition, EditionToJudge } from '#import/guards/measured-edition.ts';
import { guardNational } from '#import/guards/national.ts';
import { guardPairs } from '#import/guards/pairs.ts';
import * as removed from '#import/guards/removed-resources.ts';
import * as unusableLines from '#import/guards/unusable-lines.ts';
import * as values from '#import/guards/values.ts';
import { refuses, type Verdict } from '#import/guards/verdict.ts';
import type { BuiltSnapshot } from '#import/passes/build-snapshot.ts';
import type { Database } from '#store/database/connection.ts';
import { outlastFailOver } from '#store/database/outlast-fail-over.ts';
import type { CurrentDirectory } from './current-directory.ts';
import { markLinkedResources } from './linked-accounts.ts';
import { statisticsOf } from './statistics.ts';

const OF_MAPPED: readonly ((edition: EditionToJudge) => Verdict[])[] = [
  unusableLines.guardUnusableLines,
  unusableLines.guardUnusableLinesInAll,
  // These five guards find registers that are missing, old, misnamed or much smaller. Because of such a register, figures of the guards below
  // differ as well, and would mislead if they came first.
  counts.guardPartial,
  editions.guardOlderEdition,
  editions.guardRegistersApart,
  editions.guardMisnamed,
  counts.guardRegisters,
  values.guardColumns,
  finess.guardNeededKeys,
  finess.guardUnknownState,
  finess.guardFusedStructures,
  values.guardCharacters,
  values.guardCommonValues,
  values.guardLengths,
  fillRates.guardFillRates,
  fillRates.guardFillFloors,
  parts.guardParts,
  counts.guardMinimum,
  counts.guardShrinkage,
  counts.guardGrowth,
  drift.guardDrift,
  drift.guardDriftWithin,
  guardConsistency,
  values.guardNameVariety,
  guardPairs,
  duplicates.guardDuplicates,
  duplicates.guardTestNames,
  duplicates.guardOneForMany,
  guardNational,
];

const OF_BUILT: readonly ((edition: BuiltEdition) => Verdict[])[] = [
  removed.guardRemoved,
  changed.guardChanged,
  changed.guardElements,
  changed.guardNamesChanged,
  removed.guardTurnover,
  removed.guardNobodyLeft,
];

export interface JudgedEdition {
  edition: EditionToJudge;
  verdicts: readonly Verdict[];
  refused: boolean;
  /** Absent if no snapshot was built. */
  summary?: BuiltSnapshot['summary'];
}

interface JudgeContext {
  current: CurrentDirectory | undefined;
  checksum: string;
  database: Database;
  checkPeople: PeopleCheck;
  foundIn?: string;
}

/** Judges an edition after its snapshot is finished. Also lists doubtful people, and completes the statistics of the edition. */
export async function judgeEdition(
  read: EditionToJudge,
  { summary, canaries, counts: mapped }: BuiltSnapshot,
  file: string,
  { current, checksum, database, checkPeople, foundIn }: JudgeContext,
): Promise<JudgedEdition & Pick<BuiltSnapshot, 'summary'>> {
  const { collector, accept } = read;
  duplicates.doubtPeople(collector);
  await outlastFailOver(database, () => markLinkedResources(collector, database));
  const { samples } = summary;
  const built = { ...read, counts: mapped, statistics: statisticsOf(collector), changes: summary.changes, samples };
  const statistics = {
    ...built.statistics,
    renamed: changed.renamedIn(summary),
    changed: changed.changedIn(built),
    absent: editions.absentRegisters(built, new Date()),
  };
  const edition = { ...built, statistics };
  editions.warnOfAbsent(edition);
  const guardUnattended = async () =>
    foundIn === undefined ? [] : await editions.guardUnattended(checksum, current?.entry, database);
  const verdicts = withAcceptances(
    [
      ...notCompared(edition, current),
      ...OF_MAPPED.flatMap((guard) => guard(edition)),
      ...OF_BUILT.flatMap((guard) => guard(edition)),
      ...(await outlastFailOver(database, guardUnattended)),
      ...(await checkFinished(file, { canaries, doubtful: collector.doubtful() }, checkPeople)),
    ],
    accept,
  );
  return { edition, verdicts, refused: verdicts.some(refuses), summary };
}

/**
 * Returns an accepted verdict if the operator accepts other people, so that the report shows that the edition was compared with nothing.
 */
function notCompared({ accept }: EditionToJudge, current: CurrentDirectory | undefined): Verdict[] {
  if (!current || !acceptsOtherPeople(accept)) return [];
  const figures = `nothing was compared with snapshot ${current.entry.id} before`;
  return [{ name: OTHER_PEOPLE, passed: false, accepted: true, figures }];
}
