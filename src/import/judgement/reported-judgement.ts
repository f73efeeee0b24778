// The judgement of an edition as reports show it: its figures beside those of the edition before, and whether the edition is accepted.
// `judge-edition.ts` applies the guards.

import { guardName } from '#config/service/guard-table.ts';
import type { DoubtfulResource } from '#import/collect/collector.ts';
import { isOrdinary } from '#import/collect/warnings.ts';
import { acceptOption } from '#import/guards/acceptances.ts';
import { measureConsistency } from '#import/guards/consistency.ts';
import type { EditionToJudge } from '#import/guards/measured-edition.ts';
import { refuses, sentencesOf, type Verdict } from '#import/guards/verdict.ts';
import { titleOf } from '#import/registers/register-kinds.ts';
import { editionsOf } from '#import/registers/source.ts';
import type { ResourceType, SnapshotSummary } from '#search-index/index.ts';

/**
 * A figure of this edition and the same figure of the edition before. `before` is absent if the editions are not compared, or if the
 * edition before has no such figure.
 */
interface Beside<Figure> {
  now: Figure;
  before?: Figure;
}

export interface Judgement {
  verdict: 'accepted' | 'accepted with warnings' | 'refused';
  /**
   * Sentences about the verdict. If the edition is refused, they state the reasons. Otherwise, they state the acceptances of the operator
   * and the notable facts.
   */
  reasons: string[];
  /**
   * The `--accept` option with which the edition would be imported. Absent if nothing refuses the edition, or if no option would make the
   * import accept it.
   */
  acceptedBy?: string;
  /** The registers of this edition and of the edition before, with their lines and dates. */
  registers: ({ register: string; title: string } & Beside<{ lines: number; date?: string }>)[];
  /** Share (0-1) of filled cells in each column. */
  columns: ({ register: string; column: string } & Beside<number>)[];
  /** Samples of changed resources, with the number of times that each element differs in the samples. Absent if no snapshot was built. */
  samples?: SnapshotSummary['samples'];
  departments: ({ department: string } & Beside<Partial<Record<ResourceType, number>>>)[];
  /** Shares (0-1) of the cases in which registers disagree with each other. */
  consistency: ConsistencyFigures[];
  /** Doubtful resources. Resources with linked sign-in accounts come first. */
  doubtful: DoubtfulResource[];
}

interface ConsistencyFigures extends Beside<number> {
  /** Name of the guard. */
  guard: string;
  /** The register that the guard judged. */
  register: string;
  /** What an odd case is: `people of it are not in the register of activities`. */
  meaning: string;
  checked: number;
  odd: number;
  examples: string[];
}

/** Maximum number of doubtful resources without linked accounts in the list. Doubtful resources with linked accounts are all listed. */
const DOUBTFUL_LISTED = 20;

/**
 * Makes the judgement from the verdicts of all guards and the texts of the notable warnings. `edition` is absent if the files could not be
 * read.
 */
export function judgementFrom(
  verdicts: readonly Verdict[],
  warnings: readonly string[],
  edition?: Compared,
  samples?: SnapshotSummary['samples'],
): Judgement {
  const refusing = verdicts.filter(refuses);
  const accepted = sentencesOf(verdicts.filter((one) => one.accepted)).map((one) => `accepted: ${one}`);
  const doubts = [...accepted, ...sentencesOf(verdicts.filter(({ notable }) => notable)), ...warnings];
  const acceptedBy = acceptOption(verdicts, edition?.accept ?? []);
  return {
    verdict: verdictFrom(refusing.length > 0, doubts.length > 0),
    reasons: refusing.length > 0 ? sentencesOf(refusing) : doubts,
    ...(acceptedBy !== '' && { acceptedBy }),
    registers: edition ? registersOf(edition) : [],
    columns: edition ? columnsOf(edition) : [],
    departments: edition ? departmentsOf(edition) : [],
    ...(samples && { samples }),
    consistency: edition ? consistencyOf(edition) : [],
    doubtful: edition ? doubtfulOf(edition) : [],
  };
}

function verdictFrom(isRefused: boolean, hasDoubts: boolean): Judgement['verdict'] {
  if (isRefused) return 'refused';
  return hasDoubts ? 'accepted with warnings' : 'accepted';
}

type Compared = Pick<EditionToJudge, 'sources' | 'before' | 'statistics' | 'collector' | 'accept'>;

function registersOf({ sources, before }: Compared): Judgement['registers'] {
  const now = editionsOf(sources);
  return besides(now, before?.editions, { lines: 0 }).map(([register, figures]) => ({
    register,
    title: titleOf(register),
    ...figures,
  }));
}

function columnsOf({ statistics, before }: Compared): Judgement['columns'] {
  return Object.entries(statistics.columns).flatMap(([register, columns]) =>
    besides(columns, before?.statistics?.columns[register], 0).map(([column, figures]) => ({
      register,
      column,
      ...figures,
    })),
  );
}

function departmentsOf({ statistics, before }: Compared): Judgement['departments'] {
  // If the edition was not mapped, it has no counts to show.
  if (Object.keys(statistics.departments).length === 0) return [];
  return besides(statistics.departments, before?.statistics?.departments, {}).map(([department, figures]) => ({
    department,
    ...figures,
  }));
}

function consistencyOf(edition: Compared): Judgement['consistency'] {
  return measureConsistency(edition).map(({ guard, register, whole, what, checked, odd, examples, share, before }) => ({
    guard: guardName(guard),
    register,
    meaning: `${whole} ${what}`,
    checked,
    odd,
    examples,
    now: share,
    ...(before !== undefined && { before }),
  }));
}

function doubtfulOf({ collector }: Compared): Judgement['doubtful'] {
  const doubtful = collector.doubtful();
  const [linked, others] = [doubtful.filter((one) => one.linked), doubtful.filter((one) => !one.linked)];
  const byNeed = others.toSorted((a, b) => Number(isOrdinary(a.kind)) - Number(isOrdinary(b.kind)));
  return [...linked, ...byNeed.slice(0, DOUBTFUL_LISTED)];
}

/**
 * Pairs the figures of both editions by key, sorted by key. `nothing` is the figure of this edition if only the edition before has the key.
 */
function besides<Figure>(
  now: Readonly<Record<string, Figure>>,
  before: Readonly<Record<string, Figure>> | undefined,
  nothing: Figure,
): [string, Beside<Figure>][] {
  const keys = [...new Set([...Object.keys(now), ...Object.keys(before ?? {})])].sort();
  return keys.map((key) => {
    const earlier = before?.[key];
    return [key, { now: now[key] ?? nothing, ...(earlier !== undefined && { before: earlier }) }];
  });
}
