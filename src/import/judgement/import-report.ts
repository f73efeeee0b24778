// The report of an import, in every ending of it.

import type { FileReport, LinesLeftOut } from '#import/collect/collector.ts';
import type { PhaseClock } from '#import/collect/progress.ts';
import type { WarningSummary } from '#import/collect/warnings.ts';
import { notable } from '#import/collect/warnings.ts';
import type { Verdict } from '#import/guards/verdict.ts';
import { editionsOf, linesOf } from '#import/registers/source.ts';
import type { ResourceType, SnapshotSummary } from '#search-index/index.ts';
import type { KeptJudgement } from '#store/snapshots/judgements.ts';
import type { SnapshotEntry } from '#store/snapshots/registry.ts';
import type { JudgedEdition } from './judge-edition.ts';
import { type Judgement, judgementFrom } from './judgement.ts';
import type { LinkedAccountsReport } from './linked-accounts.ts';

export interface ImportReport {
  /**
   * `imported`: the directory was switched; `unchanged`: it holds this edition already; `checked`: a dry run found
   * nothing against it; `refused`: a guard did.
   */
  outcome: 'imported' | 'unchanged' | 'checked' | 'refused';
  judgement: Judgement;
  snapshot?: string;
  files: FileReport[];
  /** Lines with data, in all files. */
  lines: number;
  resources: Record<ResourceType, number>;
  /** Against the directory before; known once the snapshot was built. */
  changes?: SnapshotSummary['changes'];
  /** What has become of the links of sign-in accounts; also of an edition that is refused. */
  linkedAccounts?: LinkedAccountsReport;
  warnings: WarningSummary[];
  linesLeftOut: LinesLeftOut;
  guards: readonly Verdict[];
  seconds: number;
  /** Seconds by phase. */
  phases: Record<string, number>;
}

/** The report of an edition that was read. */
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

/** What is kept of a judgement, for the next edition to be compared with and for `directory status`. */
export function keptJudgement(
  { edition, verdicts, summary }: JudgedEdition & { summary: SnapshotSummary },
  report: ImportReport,
): Omit<KeptJudgement, 'madeAt' | 'snapshot'> {
  const { Practitioner, Organization, PractitionerRole } = summary.changes;
  return {
    counts: edition.counts,
    editions: editionsOf(edition.sources),
    statistics: edition.statistics,
    removed: {
      Practitioner: Practitioner.removed,
      Organization: Organization.removed,
      PractitionerRole: PractitionerRole.removed,
    },
    accepted: verdicts.filter((one) => one.accepted).map(({ name }) => name),
    report: JSON.stringify(report),
  };
}

/** The report of an import that ended by an error, as on files that cannot be read. */
export function unreadableReport({ message }: Error): ImportReport {
  return {
    outcome: 'refused',
    judgement: { ...judgementFrom([], []), verdict: 'refused', reasons: message.split('\n') },
    files: [],
    lines: 0,
    resources: { Practitioner: 0, Organization: 0, PractitionerRole: 0 },
    warnings: [],
    linesLeftOut: { count: 0, examples: [] },
    guards: [],
    seconds: 0,
    phases: {},
  };
}

/**
 * The report of an edition that the directory holds already: judged as it was when it was loaded. `stored`: JSON of the report
 * of then; earlier releases kept none.
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
