// The report of an import, for every outcome.

import type { FileReport, LinesLeftOut } from '#import/collect/collector.ts';
import type { PhaseClock } from '#import/collect/progress.ts';
import type { WarningSummary } from '#import/collect/warnings.ts';
import { notable } from '#import/collect/warnings.ts';
import type { Verdict } from '#import/guards/verdict.ts';
import { editionsOf, linesOf } from '#import/registers/source.ts';
import { byType, type ResourceType, type SnapshotSummary } from '#search-index/index.ts';
import type { KeptJudgement } from '#store/snapshots/judgements.ts';
import type { SnapshotEntry } from '#store/snapshots/registry.ts';
import type { JudgedEdition } from './judge-edition.ts';
import type { LinkedAccountsReport } from './linked-accounts.ts';
import { type Judgement, judgementFrom } from './reported-judgement.ts';
import { type Quality, qualityOf } from './statistics.ts';

export interface ImportReport {
  /**
   * `imported`: the directory was switched to the edition. `unchanged`: the directory already holds the edition, or was left as it is
   * (`onlySameFiles`). `checked`: a dry run found no fault. `refused`: a guard failed, or the import ended early: files that could
   * not be read, an interruption, another import.
   */
  outcome: 'imported' | 'unchanged' | 'checked' | 'refused';
  judgement: Judgement;
  snapshot?: string;
  files: FileReport[];
  /** Number of lines with data in all files together. Header lines are not included. */
  lines: number;
  resources: Record<ResourceType, number>;
  /** Changes since the edition before. Absent if no snapshot was built. */
  changes?: SnapshotSummary['changes'];
  /** Changes in the links of sign-in accounts. They are also reported for a refused edition. */
  linkedAccounts?: LinkedAccountsReport;
  warnings: WarningSummary[];
  linesLeftOut: LinesLeftOut;
  guards: readonly Verdict[];
  seconds: number;
  /** Seconds that each phase took, by the name of the phase. */
  phases: Record<string, number>;
}

/** The report as it is stored. `quality` is absent in reports of earlier releases. */
export type KeptReport = ImportReport & { quality?: Quality };

/** Makes the report of an edition if its files could be read. */
export function importReport(
  outcome: ImportReport['outcome'],
  { edition, verdicts = [], summary }: Pick<JudgedEdition, 'edition'> & Partial<JudgedEdition>,
  clock: PhaseClock,
  linkedAccounts?: LinkedAccountsReport,
): ImportReport {
  const { sources, collector, counts } = edition;
  const warnings = collector.warnings();
  return {
    outcome,
    judgement: judgementFrom(verdicts, notable(warnings), edition, summary?.samples),
    ...(summary && outcome === 'imported' && { snapshot: summary.id }),
    files: sources.map((source) => source.report),
    lines: linesOf(sources),
    resources: counts,
    ...(summary && { changes: summary.changes }),
    ...(linkedAccounts && { linkedAccounts }),
    warnings,
    linesLeftOut: collector.linesLeftOut(),
    guards: verdicts,
    seconds: clock.seconds(),
    phases: clock.phases,
  };
}

/** Returns the part of a judgement that is stored. It is compared with the next edition, and shown by `directory status`. */
export function keptJudgement(
  { edition, verdicts, summary }: JudgedEdition & { summary: SnapshotSummary },
  report: ImportReport,
): Omit<KeptJudgement, 'madeAt' | 'snapshot'> {
  return {
    counts: edition.counts,
    editions: editionsOf(edition.sources),
    statistics: edition.statistics,
    removed: byType((type) => summary.changes[type].removed),
    accepted: verdicts.filter((one) => one.accepted).map(({ name }) => name),
    report: JSON.stringify({ ...report, quality: qualityOf(edition.collector) } satisfies KeptReport),
  };
}

/** Makes the report of an import that ended with an error, for example because a file could not be read. */
export function unreadableReport({ message }: Error): ImportReport {
  return {
    outcome: 'refused',
    judgement: { ...judgementFrom([], []), verdict: 'refused', reasons: message.split('\n') },
    files: [],
    lines: 0,
    resources: byType(() => 0),
    warnings: [],
    linesLeftOut: { count: 0, examples: [] },
    guards: [],
    seconds: 0,
    phases: {},
  };
}

/**
 * Completes the report of an import if the directory already holds its edition: takes the judgement from the first import of this edition,
 * unless the edition is refused now. `stored` is the JSON of the report of the first import, or undefined if an earlier release imported
 * the edition and stored no report.
 */
export function judgedBefore(
  report: ImportReport,
  { counts }: Pick<SnapshotEntry, 'counts'>,
  stored: string | undefined,
): ImportReport {
  const { verdict, reasons } = report.judgement;
  const then = stored === undefined ? report.judgement : (JSON.parse(stored) as ImportReport).judgement;
  const refusal = report.outcome === 'refused' && { verdict, reasons };
  return { ...report, resources: counts, judgement: { ...then, ...refusal } };
}
