// Maps the buckets that one thread is responsible for: first the buckets of people, then the buckets of structures.

import { type CollectorNotes, createCollector } from '#import/collect/collector.ts';
import { countDepartments } from '#import/collect/departments.ts';
import { createStructureComparison } from '#import/consistency/structures.ts';
import { createConcepts } from '#import/mapping/codeable-concepts.ts';
import type { Areas } from '#import/mapping/department-areas.ts';
import { byType, type IndexedResource, type ResourceType, releaseMemory } from '#search-index/index.ts';
import { createStructureSpill, groupStructures, type KnownSource, STRUCTURE_RECORD } from './buckets.ts';
import { createMailboxCandidates, type MailboxCandidate, type MailboxKeys } from './mailbox-owners.ts';
import { createPeople } from './map-people.ts';
import { organizationOf } from './map-structures.ts';
import { createPreviousResources, type Doubtful } from './previous-resources.ts';
import { createBucketMemory, createSpillFiles } from './spill-file.ts';

/** The input of a mapper. All mappers of an import get the same input, as plain data that can be sent to other threads. */
export interface MapperJob {
  /** Folder of the spill files. */
  folder: string;
  sources: readonly KnownSource[];
  namespace: string;
  buckets: { people: number; structures: number };
  /** True if the edition is so large that the memory of a phase is freed at its end, although that takes time. */
  large: boolean;
  /** The identifiers by which the mail register names structures. */
  mailboxKeys: MailboxKeys;
  areas: Areas;
  /** The kinds of lines that the FINESS files of the edition contain, named by the first cell of a line. */
  finess: ReadonlySet<string>;
  /** File of the snapshot in force. Absent if the edition is not compared with it. */
  previous?: string;
  /** Number of mappers that share the work. Mapper n maps the buckets n, n + mappers, n + 2 * mappers ... */
  mappers: number;
}

export type Phase = 'people' | 'structures';

/** The result of mapping one bucket. */
export interface BucketDone {
  counts: Record<ResourceType, number>;
  /** The first resource of the bucket that is a Practitioner (in the phase of people) or an Organization (in the phase of structures). */
  sample?: IndexedResource;
}

/**
 * Names of the spill files with records about structures. `read` is the spill of the first pass. `of` returns the name of the spill into
 * which one mapper writes the structures that it finds in the lines of people.
 */
export const STRUCTURES = { read: 'structures', of: (mapper: number) => `structures-${mapper}` } as const;
export const PEOPLE = 'people';

type People = ReturnType<typeof createPeople>;

/** @param number the number of this mapper, counted from 0 */
export function createMapper(job: MapperJob, number: number) {
  const { folder, sources, namespace, buckets, finess, areas, mappers } = job;
  const collector = createCollector();
  const mapping = { namespace, concepts: createConcepts(), warn: collector.warn };
  const memory = createBucketMemory();
  const previous = createPreviousResources(job.previous);
  const structures = createStructureSpill(createSpillFiles(folder, STRUCTURES.of(number), buckets.structures));
  const mail = createMailboxCandidates(job.mailboxKeys);
  let people: People | undefined = createPeople({ mapping, sources, structures, mail, collector });
  const spills = [STRUCTURES.read, ...Array.from({ length: mappers }, (_, mapper) => STRUCTURES.of(mapper))];
  const context = { mapping, finess, areas, compare: createStructureComparison(finess, collector), collector };

  const resourcesOf: Record<Phase, (bucket: number) => Iterable<IndexedResource | Doubtful>> = {
    people: (bucket) => (people as People).resources(memory.take(folder, [PEOPLE], bucket)),
    structures: (bucket) =>
      groupStructures(memory.take(folder, spills, bucket))
        .filter(([, records]) => records.some(({ kind }) => kind !== STRUCTURE_RECORD.position))
        .map(([id, records]) => organizationOf(id, records, context)),
  };

  /**
   * Returns the resources that are written in a doubtful case: those of the edition in force or, if it has none, the fallback. Adds the
   * warning of the case.
   */
  async function resolveDoubt(one: Doubtful): Promise<readonly IndexedResource[]> {
    const { doubtful, fallback, fallbackText, warning } = one;
    const before = await previous.of(one);
    if (warning) {
      const outcome = before ? 'left as it was' : fallbackText;
      collector.doubt(warning.kind, `${doubtful.type}/${doubtful.id}`, `${warning.text}; ${outcome}`);
    }
    // The Organizations of these earlier roles may have no record in this edition. They are kept nevertheless, because the references of
    // the roles must resolve.
    for (const role of before?.filter(({ type }) => type === 'PractitionerRole') ?? [])
      for (const id of await previous.organizationsOf(role)) structures.addKept(id);
    return before ?? fallback;
  }

  return {
    /** Returns the numbers of the buckets that this mapper maps. */
    share: (phase: Phase): number[] =>
      Array.from({ length: buckets[phase] }, (_, bucket) => bucket).filter((bucket) => bucket % mappers === number),
    /**
     * Maps one bucket, and calls `add` with each resource. If `add` returns a promise, the mapper waits for it before the next resource.
     */
    async map(
      phase: Phase,
      bucket: number,
      add: (resource: IndexedResource) => void | Promise<void>,
    ): Promise<BucketDone> {
      const done: BucketDone = { counts: byType(() => 0) };
      const wanted = phase === 'people' ? 'Practitioner' : 'Organization';
      const take = (resource: IndexedResource) => {
        done.counts[resource.type]++;
        countDepartments(collector.departments, resource);
        collector.populations.element(resource);
        if (resource.type === wanted) done.sample ??= resource;
        return add(resource);
      };
      for (const mapped of resourcesOf[phase](bucket)) {
        if ('doubtful' in mapped) {
          for (const resource of await resolveDoubt(mapped)) await take(resource);
          continue;
        }
        const waiting = take(mapped);
        if (waiting) await waiting;
      }
      return done;
    },
    /** Ends the phase of people. Returns the structures that may own mailboxes, among those in the lines of people. */
    endPeople(): readonly MailboxCandidate[] {
      structures.seal();
      // The state of the people is dropped, because it is not needed any more, and the index of the people needs the memory. The writer
      // begins this index as soon as all mappers have ended this phase (`build-snapshot.ts`).
      people = undefined;
      if (mappers > 1 && job.large) releaseMemory();
      return mail.all();
    },
    notes: (): CollectorNotes => collector.notes(),
    async close(): Promise<void> {
      structures.close();
      await previous.close();
    },
  };
}
