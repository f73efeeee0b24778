// What the guards look at: an edition that was read and mapped, beside the one before it.

import type { Settings } from '#config/settings.ts';
import type { Collector } from '#import/collect/collector.ts';
import type { Source } from '#import/registers/source.ts';
import type { ResourceType, SnapshotSummary } from '#search-index/index.ts';
import type { EditionStatistics, LoadedEdition } from '#store/snapshots/judgements.ts';
import type { SnapshotEntry } from '#store/snapshots/registry.ts';
import type { Acceptance } from './verdict.ts';

export type Limits = Settings['directory']['guards'];

/** The edition that is served. */
export interface EditionBefore extends Pick<SnapshotEntry, 'id' | 'editions' | 'counts'> {
  /** Absent where it was loaded by a release that took none. */
  statistics?: EditionStatistics;
}

/** An edition whose resources are all mapped. */
export interface MappedEdition {
  sources: readonly Source[];
  /** Names of files that were left out because they are still being written. */
  incoming: readonly string[];
  /** What was noticed in all threads. */
  collector: Collector;
  counts: Readonly<Record<ResourceType, number>>;
  statistics: EditionStatistics;
  limits: Limits;
  /** What the operator accepts. */
  accept: readonly Acceptance[];
  /** Absent at a first load, and where other people are meant: nothing is compared then. */
  before?: EditionBefore;
  /** What was loaded in the last 30 days, the newest first; as `before`. */
  history: readonly LoadedEdition[];
}

/** An edition whose snapshot is finished. */
export interface BuiltEdition extends MappedEdition {
  changes: SnapshotSummary['changes'];
  samples: SnapshotSummary['samples'];
}

/** What is counted in the file of a tally: `line`, where it is not something else. */
export function unitOf(sources: readonly Source[], { file }: { file: string }): string {
  return sources.find(({ report }) => report.name === file)?.report.unit ?? 'line';
}
