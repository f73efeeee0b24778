// Second and third pass: maps all people and then all structures of an edition (`worker-pool.ts`, `mapper.ts`). Writes the resources with
// their index entries into a snapshot (`search-index/write/writer.ts`).

import type { Collector } from '#import/collect/collector.ts';
import { type PhaseClock, type Progress, showProgressDuring } from '#import/collect/progress.ts';
import { linesOf, type Source } from '#import/registers/source.ts';
import {
  byType,
  createSnapshotWriter,
  type IndexedResource,
  RESOURCE_TYPES,
  type ResourceType,
  type SnapshotSummary,
  type SnapshotWriter,
} from '#search-index/index.ts';
import type { BucketDone } from './mapper.ts';
import type { Passes } from './passes.ts';
import { startWorkerPool } from './worker-pool.ts';

/** Maximum number of sample resources of people, and of structures, that the guard `canaries` looks up in the finished snapshot. */
const CANARIES = 32;

interface BuildContext {
  collector: Collector;
  clock: PhaseClock;
  onProgress: (progress: Progress) => void;
  sources: readonly Source[];
}

/** A finished snapshot to which the directory is not switched yet. */
export interface BuiltSnapshot {
  summary: SnapshotSummary;
  counts: Record<ResourceType, number>;
  /** Sample resources. The guard `canaries` looks them up in the snapshot. */
  canaries: IndexedResource[];
}

/** Builds the snapshot. If this throws, the unfinished snapshot is deleted. */
export async function buildSnapshot(
  passes: Passes,
  snapshot: Parameters<typeof createSnapshotWriter>[0],
  context: BuildContext,
): Promise<BuiltSnapshot> {
  const { clock, onProgress, sources } = context;
  const writer = createSnapshotWriter(snapshot);
  try {
    const { counts, canaries } = await mapEdition(passes, writer, context);
    const waiting = () => onProgress({ phase: 'indexing', lines: linesOf(sources), resources: sum(counts) });
    const summary = await showProgressDuring(writer.finish(), waiting);
    clock.endPhase('indexing');
    return { summary, counts, canaries };
  } finally {
    await writer.abandon();
  }
}

async function mapEdition(
  passes: Passes,
  writer: SnapshotWriter,
  { collector, sources, clock, onProgress }: BuildContext,
): Promise<Omit<BuiltSnapshot, 'summary'>> {
  const counts = byType(() => 0);
  const canaries = { people: [] as IndexedResource[], structures: [] as IndexedResource[] };
  const lines = linesOf(sources);
  const onBucket = (phase: 'people' | 'structures') => (bucket: BucketDone, done: number) => {
    for (const type of RESOURCE_TYPES) counts[type] += bucket.counts[type];
    if (bucket.sample && canaries[phase].length < CANARIES) canaries[phase].push(bucket.sample);
    onProgress({ phase, done, lines, resources: sum(counts) });
  };
  const pool = startWorkerPool(passes.job(), writer);
  try {
    passes.assignMailboxes(await pool.people(onBucket('people')));
    writer.complete('Practitioner');
    writer.complete('PractitionerRole');
    clock.endPhase('people');
    await pool.structures(onBucket('structures'));
    const files = sources.map(({ report }) => report);
    for (const notes of pool.notes()) collector.add(notes, files);
    clock.endPhase('structures');
  } finally {
    await pool.close();
  }
  return { counts, canaries: [...canaries.people, ...canaries.structures] };
}

/** Returns the number of resources of all types. */
export function sum(counts: Readonly<Record<ResourceType, number>>): number {
  return counts.Practitioner + counts.Organization + counts.PractitionerRole;
}
