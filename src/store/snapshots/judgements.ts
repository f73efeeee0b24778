// The table of judgements. Each row has the judgement of one edition: its statistics, with which the next edition is compared, and its
// report for `directory status`.

import type { ResourceType } from '#search-index/index.ts';
import { type Database, dateOf, epochSeconds } from '#store/database/connection.ts';
import type { Row } from '#store/rows.ts';

/** Figures of an edition, with which the next edition is compared. */
export interface EditionStatistics {
  /** Share (0-1) of filled cells, by register and column. */
  columns: Record<string, Record<string, number>>;
  /** Figures about the values of a column, by register and column. A column without notable values is left out. */
  values: Record<string, Record<string, ValueShares>>;
  /**
   * Number of resources of each type, by department. Besides the departments, there are `abroad`, and `unknown` for resources without a
   * postal code.
   */
  departments: Record<string, Partial<Record<ResourceType, number>>>;
  /** For each comparison of values between two registers or within one: the share (0-1) of odd cases among the checked ones. */
  consistency?: Record<string, number>;
  /** Number of resources that have another name than in the previous edition, by type. */
  renamed?: Record<string, number>;
  /**
   * How well two values that belong together fit each other, such as a code and its label, by name of the pair (`import/collect/pairs.ts`).
   */
  pairs?: Record<string, PairFigures>;
  /** Number of resources that have an element, by element: `Practitioner.telecom`. */
  elements?: Record<string, number>;
  /** Number of people by group, such as `profession 50` or `speciality 10/SM26`. */
  professions?: Record<string, number>;
  /** Average number of lines of activities for each person. */
  linesPerPerson?: number;
  /** Share (0-1) of the people that are in the edition twice. `testNames` is the share of people with a name that looks like a test. */
  duplicates?: number;
  testNames?: number;
  /** Share (0-1) that the most frequent address has among the personal mail addresses. */
  shared?: number;
  /** Share (0-1) of all people that belong to the structure with the most people. */
  largest?: number;
  /** Share (0-1) of the resources that differ from the previous edition, by type. */
  changed?: Record<string, number>;
  /** Registers that are missing because the operator accepted their absence, with the day (ISO date) of the acceptance. */
  absent?: Record<string, string>;
}

/** How well the two values of a pair fit each other, such as a person's civility and given name. */
export interface PairFigures {
  /** 1 if the values always fit; 0 if they fit no better than the values of two unrelated lines. */
  fit: number;
  /**
   * `odd` is the share (0-1) of the pairs that do not fit. `gap` is the difference between this share and the larger share that pairs of
   * values from unrelated lines would have.
   */
  odd: number;
  gap: number;
  /**
   * Runs of lines with too many pairs that do not fit. `from` is the first line of a run. `excess` is the number of such pairs in the run,
   * minus the average number of such pairs in as many lines of the rest of the file.
   */
  runs: { from: number; excess: number }[];
}

/** Shares (0-1) of the values of a column. Zero shares are left out. */
export interface ValueShares {
  /** Share of values that do not look like values of their column. */
  odd?: number;
  /** Share of values with damaged characters, for example after a wrong character encoding. */
  damaged?: number;
  accented?: number;
  /** Length of the longest values, if so many have this length that they seem to be cut. */
  cut?: number;
  /** Shares of the most frequent values. The values are folded (case and accents). */
  common?: Record<string, number>;
}

/** An edition that was loaded, with its judgement. */
export interface LoadedEdition {
  counts: Readonly<Record<ResourceType, number>>;
  /**
   * Loaded sources by register: the number of lines, and the date (ISO date or instant) if the source has one. For FINESS, a structure
   * counts as one line, even if it is on several lines or in several files.
   */
  editions: Readonly<Record<string, { lines: number; date?: string }>>;
  madeAt: Date;
  snapshot: string;
  /** Names of the reasons that the operator accepted. */
  accepted: readonly string[];
  /** Number of resources of the previous edition that are not in this one, by type. */
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

/** Days for which a judgement is kept after its edition was loaded, even if its snapshot is dropped. */
const KEPT_DAYS = 35;

/** Stores a judgement, and drops judgements that are no longer needed. */
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
  // The judgement of a refused edition is deleted once there is a newer judgement, of any edition. Otherwise such judgements would pile up,
  // because a watched folder may bring a new edition every minute.
  await database('directory_judgements')
    .whereNull('snapshot')
    .where('id', '<', database('directory_judgements').max('id'))
    .delete();
}

/** Returns the judgement of a snapshot; undefined if the snapshot was loaded before the service stored judgements. */
export async function judgementOf(database: Database, snapshot: string): Promise<KeptJudgement | undefined> {
  const row: JudgementRow | undefined = await database('directory_judgements').where({ snapshot }).first();
  return row && judgementIn(row);
}

/** Returns the newest judgement if its edition was refused; undefined if it was loaded, or if there is no judgement. */
export async function lastRefusal(database: Database): Promise<KeptJudgement | undefined> {
  const row: JudgementRow | undefined = await database('directory_judgements').orderBy('id', 'desc').first();
  return row && row.snapshot === null ? judgementIn(row) : undefined;
}

/** Drops the judgements of refused editions. Call it once the edition in force has been judged again and has passed. */
export async function dropRefusal(database: Database): Promise<void> {
  await database('directory_judgements').whereNull('snapshot').delete();
}

/** Lists the editions that were loaded at or after `since`, the newest first. Editions that a rollback has replaced are left out. */
export async function loadedSince(database: Database, since: Date): Promise<LoadedEdition[]> {
  const rows: Omit<JudgementRow, 'report'>[] = await database('directory_judgements')
    .select('made_at', 'snapshot', 'counts', 'editions', 'statistics', 'accepted', 'removed')
    .whereNotNull('snapshot')
    .where({ left_by_rollback: false })
    .where('made_at', '>=', Math.floor(since.getTime() / 1000))
    .orderBy('id', 'desc');
  return rows.map((row) => ({ ...loadedIn(row), snapshot: row.snapshot ?? '' }));
}

/**
 * Records that a rollback has replaced the snapshot `left` by `returned`. Later editions are then compared with `returned` again, and not
 * with `left`.
 */
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
