// The interface by which an import writes a directory snapshot (`write/writer.ts` implements it). Also has a mark for parts that many
// resources share: the text of a marked part is made only once.

import type { MessagePort } from 'node:worker_threads';
import type { IndexedResource, ResourceType } from './snapshot.ts';

/** Examples of the changes to the resources of one type. */
export interface ChangeSamples {
  added: string[];
  removed: string[];
  /**
   * `elements` names the elements that differ. `from` and `to` are taken from the first of these elements: `from` lists the values that only
   * the old resource has there, and `to` those that only the new one has.
   */
  changed: { id: string; elements: string[]; from: string; to: string }[];
  /** Number of changed resources that were compared element by element. If there are many, only some of them are compared. */
  compared: number;
  /** For each element, the number of compared resources in which it differs. */
  elements: Record<string, number>;
}

/** A finished snapshot, and its differences from the previous one. */
export interface SnapshotSummary {
  id: string;
  /** Name of the finished file in the folder of snapshots. */
  file: string;
  /** FHIR instant that new and changed resources have as `meta.lastUpdated`. */
  created: string;
  bytes: number;
  counts: Record<ResourceType, number>;
  changes: Record<ResourceType, { added: number; changed: number; unchanged: number; removed: number }>;
  samples: Record<ResourceType, ChangeSamples>;
}

/** For each type, the texts that marks replace in encoded resources. The index of a text is the number of its mark. */
export type Dictionaries = Record<ResourceType, readonly string[]>;

/** A handle by which another thread can add resources itself. Send the handle to that thread with `ports` as the transfer list. */
export interface WriterHandle {
  ports: MessagePort[];
  texts: Dictionaries;
}

/** Takes resources for a snapshot that is being built. Each thread that adds resources has its own queue. */
export interface WriterQueue {
  /**
   * Adds a resource. Resources may be added in any order. If this returns a promise, the caller should await it before it adds the next
   * resource. If a field is not in `INDEX_FIELDS`, or an id was added before, this call or `SnapshotWriter.finish` throws.
   */
  add(resource: IndexedResource): void | Promise<void>;
  /** Resolves when all added resources are stored. */
  flush(): Promise<void>;
  /**
   * Stores all added resources. For each type of these resources, stops learning repeated parts, and returns the dictionary that was
   * learned. Other queues can then load it. The dictionary of any other type is empty.
   */
  freezeDictionaries(): Promise<Dictionaries>;
  /** Loads the dictionaries that another queue has learned. Call it before you add the first resource of a type. */
  loadDictionaries(texts: Dictionaries): void;
}

/** Builds a snapshot while others are being read. Readers see the new snapshot only after `finish` has ended. */
export interface SnapshotWriter extends WriterQueue {
  /** Makes a handle by which another thread can add resources (`openWriterQueue`). */
  handle(): WriterHandle;
  /**
   * Announces that no more resources of this type will come. The type may then be indexed while resources of other types are still being
   * added.
   */
  complete(type: ResourceType): void;
  /** Rejects if building fails while queues are in use. It never resolves. */
  failure: Promise<never>;
  finish(): Promise<SnapshotSummary>;
  /** Removes everything that was written so far. After `finish`, this does nothing. */
  abandon(): Promise<void>;
}

/**
 * Throws for a resource that breaks the contract of `IndexedResource`: its FHIR resource has another type or another id than stated, or
 * brings its own `meta`, or a field to index is not in `fields`.
 */
export function refuseFaulty(
  { id, resource, index }: IndexedResource,
  type: ResourceType,
  fields: ReadonlySet<string>,
): void {
  for (const name in index) {
    if (!fields.has(name)) throw new Error(`${type} has no field ${name} to index: see INDEX_FIELDS`);
  }
  if (resource.resourceType !== type || resource.id !== id) {
    throw new Error(`${type}/${id} holds a resource that calls itself ${resource.resourceType}/${resource.id}`);
  }
  if ('meta' in resource) throw new Error(`${type}/${id} brings its own meta: the snapshot gives version and date`);
}

const REPEATED = Symbol('repeated');

/** Marks a part that many resources have, so that its text is made only once for a snapshot. The part must not change afterwards. */
export function repeated<Part extends object>(part: Part): Part {
  Object.defineProperty(part, REPEATED, { value: true });
  return Object.freeze(part);
}

/** Checks whether a part was marked by `repeated`. */
export function isRepeated(part: object): boolean {
  return (part as { [REPEATED]?: true })[REPEATED] === true;
}
