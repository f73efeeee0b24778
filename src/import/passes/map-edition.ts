// Second and third pass: maps all people, then all structures, of an edition that was read.

import type { Collector } from '#import/collect/collector.ts';
import type { Progress } from '#import/collect/progress.ts';
import { linesOf, type Source } from '#import/registers/source.ts';
import { type IndexedResource, RESOURCE_TYPES, type ResourceType, type SnapshotWriter } from '#search-index/index.ts';
import type { BucketDone } from './mapper.ts';
import type { Passes } from './passes.ts';
import type { WorkerPool } from './worker-pool.ts';

/** Practitioners, and as many structures, that are looked up in the finished snapshot. */
const CANARIES = 32;

/** Maps all people, then all structures, into the writer; returns some of each to be looked up afterwards. */
export async function mapEdition(
  passes: Passes,
  pool: WorkerPool,
  writer: SnapshotWriter,
  { collector, sources, counts, onProgress, endPhase }: MapContext,
): Promise<IndexedResource[]> {
  const samples = { people: [] as IndexedResource[], structures: [] as IndexedResource[] };
  const lines = linesOf(sources);
  const onBucket = (phase: 'people' | 'structures') => (bucket: BucketDone, done: number) => {
    for (const type of RESOURCE_TYPES) counts[type] += bucket.counts[type];
    if (bucket.sample && samples[phase].length < CANARIES) samples[phase].push(bucket.sample);
    onProgress({ phase, done, lines, resources: sum(counts) });
  };
  passes.assignMailboxes(await pool.people(onBucket('people')));
  writer.complete('Practitioner');
  writer.complete('PractitionerRole');
  endPhase('people');
  await pool.structures(onBucket('structures'));
  for (const notes of pool.notes()) {
    collector.add(
      notes,
      sources.map(({ report }) => report),
    );
  }
  endPhase('structures');
  return [...samples.people, ...samples.structures];
}

interface MapContext {
  collector: Collector;
  sources: readonly Source[];
  counts: Record<ResourceType, number>;
  onProgress: (progress: Progress) => void;
  endPhase(name: string): void;
}

/** All resources. */
export function sum(counts: Readonly<Record<ResourceType, number>>): number {
  return counts.Practitioner + counts.Organization + counts.PractitionerRole;
}
