// The input of the guards: an edition that was read and mapped, and the edition before it.

import type { Settings } from '#config/settings.ts';
import type { Collector } from '#import/collect/collector.ts';
import type { Source } from '#import/registers/source.ts';
import type { ResourceType, SnapshotSummary } from '#search-index/index.ts';
import type { EditionStatistics, LoadedEdition } from '#store/snapshots/judgements.ts';
import type { SnapshotEntry } from '#store/snapshots/registry.ts';
import type { Acceptance } from './acceptances.ts';

export type Limits = Settings['directory']['guards'];

/** The edition that is in force during the import. */
interface EditionBefore extends Pick<SnapshotEntry, 'id' | 'editions' | 'counts'> {
  /** Absent if the edition was imported by a release that stored no statistics. */
  statistics?: EditionStatistics;
}

/** An edition that the guards judge, with the edition before it for comparison. */
export interface EditionToJudge {
  sources: readonly Source[];
  /** Names of files that were left out because they are still being written. */
  incoming: readonly string[];
  /** The findings of all threads of the import. */
  collector: Collector;
  counts: Readonly<Record<ResourceType, number>>;
  statistics: EditionStatistics;
  limits: Limits;
  /**
   * What the operator accepts (`--accept`): guards whose failed verdicts do not refuse the edition, and perhaps `other-people` (see
   * `before`).
   */
  accept: readonly Acceptance[];
  /**
   * The edition before. It is absent at a first import, and with `--accept other-people`, because the edition is then judged like a first
   * import. The guards then compare nothing.
   */
  before?: EditionBefore;
  /** The editions of the last 30 days, the newest first. The list is empty if `before` is absent. */
  history: readonly LoadedEdition[];
}

/** An edition with a finished snapshot, so that its changes since the edition before are known. */
export interface BuiltEdition extends EditionToJudge {
  changes: SnapshotSummary['changes'];
  samples: SnapshotSummary['samples'];
}

/** Returns the unit in which the file of a tally is counted: the unit in the report of the file, or `line` if the report has none. */
export function unitOf(sources: readonly Source[], { file }: { file: string }): string {
  return sources.find(({ report }) => report.name === file)?.report.unit ?? 'line';
}
