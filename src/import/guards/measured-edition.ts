// The input of the guards: an edition that was read and mapped, and the one before it.

import type { Settings } from '#config/settings.ts';
import type { Collector } from '#import/collect/collector.ts';
import type { Source } from '#import/registers/source.ts';
import type { ResourceType, SnapshotSummary } from '#search-index/index.ts';
import type { EditionStatistics, LoadedEdition } from '#store/snapshots/judgements.ts';
import type { SnapshotEntry } from '#store/snapshots/registry.ts';
import type { Acceptance } from './verdict.ts';

export type Limits = Settings['directory']['guards'];

/** The edition that is served. */
interface EditionBefore extends Pick<SnapshotEntry, 'id' | 'editions' | 'counts'> {
  /** Absent if a release without statistics imported the edition. */
  statistics?: EditionStatistics;
}

/** An edition that is to be judged, beside the one before it. */
export interface EditionToJudge {
  sources: readonly Source[];
  /** Names of files that were left out because they are still being written. */
  incoming: readonly string[];
  /** The findings of all threads. */
  collector: Collector;
  counts: Readonly<Record<ResourceType, number>>;
  statistics: EditionStatistics;
  limits: Limits;
  /** Acceptances of the operator. */
  accept: readonly Acceptance[];
  /** The edition before. It is absent at a first import, and if the operator accepts other people. Nothing is compared then. */
  before?: EditionBefore;
  /** The editions of the last 30 days, the newest first. It is empty if `before` is absent. */
  history: readonly LoadedEdition[];
}

/** An edition with its finished snapshot. */
export interface BuiltEdition extends EditionToJudge {
  changes: SnapshotSummary['changes'];
  samples: SnapshotSummary['samples'];
}

/** Returns the unit in which the file of a tally is counted. It is a line, unless the report of the file names another unit. */
export function unitOf(sources: readonly Source[], { file }: { file: string }): string {
  return sources.find(({ report }) => report.name === file)?.report.unit ?? 'line';
}
