// The report of an import, in every ending of it.

import type { FileReport, LinesLeftOut } from '#import/collect/collector.ts';
import type { WarningSummary } from '#import/collect/warnings.ts';
import type { Verdict } from '#import/guards/verdict.ts';
import type { ResourceType, SnapshotSummary } from '#search-index/index.ts';
import type { SnapshotEntry } from '#store/snapshots/registry.ts';
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
  guards: Verdict[];
  seconds: number;
  /** Seconds by phase. */
  phases: Record<string, number>;
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
