// The rows with the judgement of each edition: its statistics, with which the next edition is compared, and its report for `directory
// status`.

import type { ResourceType } from '#search-index/index.ts';
import { type Database, dateOf, epochSeconds } from '#store/database/connection.ts';
import type { Row } from '#store/rows.ts';

/** Figures of an edition with which the next one is compared. */
export interface EditionStatistics {
  /** Share (0-1) of filled cells, by register and column. */
  columns: Record<string, Record<string, number>>;
  /** Shares of values by register and column. A column without notable values is left out. */
  values: Record<string, Record<string, ValueShares>>;
  /** Number of resources by department. `abroad` counts as a department, and so does `unknown`, for resources without a postal code. */
  departments: Record<string, Partial<Record<ResourceType, number>>>;
  /** Share (0-1) of disagreements between registers, by comparison. */
  consistency?: Record<string, number>;
  /** Number of resources with another name than in the edition before, by type. */
  renamed?: Record<string, number>;
  /** How well the two values of a pair belong together, by pair. */
  pairs?: Record<string, PairFigures>;
  /** Number of resources that have an element, by element: `Practitioner.telecom`. */
  elements?: Record<string, number>;
  /** Number of people by group: `profession 50`, `speciality 10/SM26`. */
  professions?: Record<string, number>;
  /** Lines of activities for each person. */
  linesPerPerson?: number;
  /** Share (0-1) of the people that are in the edition twice. `testNames` is the share of people with a name for tests. */
  duplicates?: number;
  testNames?: number;
  /** Share (0-1) of the most frequent address among the personal mail addresses. */
  shared?: number;
  /** Share (0-1) of the people in the structure that has most of them. */
  largest?: number;
  /** Share (0-1) of the resources that differ from the edition before, by type. */
  changed?: Record<string, number>;
  /** Registers that are missing because the operator accepted that, with the day (ISO date) of the acceptance. */
  absent?: Record<string, string>;
}

/** How well the two values of a pair belong together. */
export interface PairFigures {
  /** 1 if the values always fit, 0 if they fit no better than those of strangers. */
  fit: number;
  /** `odd` is the share (0-1) of the pairs that do not fit. `gap` says by how much that share would be larger for pairs of strangers. */
  odd: number;
  gap: number;
  /** Runs of lines with too many odd cases. `from` is the first line, `excess` the number of cases beyond what the rest of the file has. */
  runs: { from: number; excess: number }[];
}

/** Shares (0-1) of the values of a column. Zero shares are left out. */
export interface ValueShares {
  /** Share of values that are unlike their column. */
  odd?: number;
  /** Share of values with damaged characters, such as those of a wrong encoding. */
  damaged?: number;
  accented?: number;
  /** Greatest length, if values pile up there. */
  cut?: number;
  /** Shares of the most frequent values, which are folded. */
  common?: Record<string, number>;
}

/** An edition that was loaded. */
export interface LoadedEdition {
  counts: Readonly<Record<ResourceType, number>>;
  /**
   * Loaded sources by register: their lines, and their date (ISO date or instant) if they name one. A structure of FINESS is counted once,
   * even if it is on several lines or in several files.
   */
  editions: Readonly<Record<string, { lines: number; date?: string }>>;
  madeAt: Date;
  snapshot: string;
  /** Names of the reasons that the operator accepted. */
  accepted: readonly string[];
  /** Number of resources of the edition before that are not in this one. */
  removed: Readonly<Record<ResourceType, number>>;
  statistics: EditionStatistics;
}

/** A stored judgement. */
export interface KeptJudgement extends Omit<LoadedEdition, 'snapshot'> {
  /** Absent if the edition was refused. */
  snapshot?: string;
  /** JSON of the report. */
  report: string;
}

type JudgementRow = Row<'directory_judgements'>;

/** Days for which a judgement is kept even if its snapshot is dropped. */
const KEPT_DAYS = 35;

/** Stores a judgement, and drops those that are no longer needed. Of refused editions, only the newest judgement is kept. */
export async function keepJudgement(
  database: Database,
  { snapshot, counts, editions, statistics, report, accepted, removed }: Omit<KeptJudgement, 'madeAt'>,
): Promise<void> {
  await database('directory_judgements').insert({
    made_at: epochSeconds(),
    snapshot: snapshot ?? null,
    counts: JSON.stringify(counts),
    editions: JSON.stringify(editions),
    statistics: JSON.stringify(statistics),
    report,
    accepted: JSON.stringify(accepted),
    removed: JSON.stringify(removed),
  });
  await database('directory_judgements')
    .where('made_at', '<', epochSeconds() - KEPT_DAYS * 86_400)
    .whereNotNull('snapshot')
    .whereNotIn('snapshot', database('directory_snapshots').select('id'))
    .delete();
  // Of refused editions, only the newest judgement stays, because a watched folder may bring one every minute.
  await database('directory_judgements')
    .whereNull('snapshot')
    .where('id', '<', database('directory_judgements').max('id'))
    .delete();
}

/** Returns the judgement of a snapshot; undefined if the snapshot was loaded before judgements were stored. */
export async function judgementOf(database: Database, snapshot: string): Promise<KeptJudgement | undefined> {
  const row: JudgementRow | undefined = await database('directory_judgements').where({ snapshot }).first();
  return row && judgementIn(row);
}

/** Returns the newest judgement if its edition was refused. */
export async function lastRefusal(database: Database): Promise<KeptJudgement | undefined> {
  const row: JudgementRow | undefined = await database('directory_judgements').orderBy('id', 'desc').first();
  return row && row.snapshot === null ? judgementIn(row) : undefined;
}

/** Drops the judgement of the last refused edition. Call it once the edition in force has been judged again and has passed. */
export async function dropRefusal(database: Database): Promise<void> {
  await database('directory_judgements').whereNull('snapshot').delete();
}

/** Lists the editions that were loaded since then and not left by a rollback, the newest first. */
export async function loadedSince(database: Database, since: Date): Promise<LoadedEdition[]> {
  const rows: Omit<JudgementRow, 'report'>[] = await database('directory_judgements')
    .select('made_at', 'snapshot', 'counts', 'editions', 'statistics', 'accepted', 'removed')
    .whereNotNull('snapshot')
    .where({ left_by_rollback: false })
    .where('made_at', '>=', Math.floor(since.getTime() / 1000))
    .orderBy('id', 'desc');
  return rows.map((row) => ({ ...loadedIn(row), snapshot: row.snapshot ?? '' }));
}

/** Records that a rollback replaced one snapshot by another, so that the replaced one is not used for comparison. */
export async function noteRollback(
  database: Database,
  left: string | undefined,
  returned: string | undefined,
): Promise<void> {
  await database('directory_judgements')
    .where({ snapshot: left ?? null })
    .update({ left_by_rollback: true });
  await database('directory_judgements')
    .where({ snapshot: returned ?? null })
    .update({ left_by_rollback: false });
}

function judgementIn(row: JudgementRow): KeptJudgement {
  return { ...loadedIn(row), ...(row.snapshot !== null && { snapshot: row.snapshot }), report: row.report };
}

function loadedIn(row: Omit<JudgementRow, 'report'>): Omit<LoadedEdition, 'snapshot'> {
  return {
    madeAt: dateOf(row.made_at),
    counts: JSON.parse(row.counts),
    editions: JSON.parse(row.editions),
    statistics: JSON.parse(row.statistics),
    accepted: JSON.parse(row.accepted),
    removed: JSON.parse(row.removed),
  };
}
