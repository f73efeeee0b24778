// The interface by which an import writes a directory snapshot (`write/writer.ts` implements it), and a mark for parts that many resources
// share, so that their text is made once.

import type { MessagePort } from 'node:worker_threads';
import type { IndexedResource, ResourceType } from './snapshot.ts';

/** Examples of the changes to the resources of one type. */
export interface ChangeSamples {
  added: string[];
  removed: string[];
  /** `elements` names the elements that differ. `from` and `to` are the JSON around the first difference. */
  changed: { id: string; elements: string[]; from: string; to: string }[];
  /** Number of changed resources that were compared. If there are few, all are compared. */
  compared: number;
  /** The number of compared resources that differ in each element. */
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

/** The texts that the marks in encoded resources stand for, by type and by number of the mark. */
export type Dictionaries = Record<ResourceType, readonly string[]>;

/** Lets another thread add resources itself. Send it to that thread with `ports` as the transfer list. */
export interface WriterHandle {
  ports: MessagePort[];
  texts: Dictionaries;
}

/** Takes resources for a snapshot that is being built. Each thread that adds resources has its own queue. */
export interface WriterQueue {
  /**
   * Adds a resource. The order of resources makes no difference. If it returns a promise, the caller should wait for it before it adds the
   * next resource. If a field is not in `INDEX_FIELDS`, or an id came twice, this call or `SnapshotWriter.finish` throws.
   */
  add(resource: IndexedResource): void | Promise<void>;
  /** Resolves when all added resources are stored. */
  flush(): Promise<void>;
  /**
   * Stops learning repeated parts of the types of which resources were added so far, and stores them. Returns the dictionaries, which other
   * queues can then load.
   */
  freezeDictionaries(): Promise<Dictionaries>;
  /** Loads the dictionaries of another queue. Call it before you add the first resource of a type. */
  loadDictionaries(texts: Dictionaries): void;
}

/** Builds a snapshot beside those that are being read. Readers see it only after `finish` has ended. */
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
  /** Removes everything that was written so far. After `finish`, it does nothing. */
  abandon(): Promise<void>;
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
