// The interface by which an import writes a directory snapshot, and a mark for parts that many resources share, so that their text is made once.

import type { MessagePort } from 'node:worker_threads';
import type { IndexedResource, ResourceType } from './snapshot.ts';

/** Examples of the changes of the resources of one type. */
export interface ChangeSamples {
  added: string[];
  removed: string[];
  /** `elements` names the elements that differ. `from` and `to` are the JSON around the first difference. */
  changed: { id: string; elements: string[]; from: string; to: string }[];
  /** Number of changed resources that were compared: all of them if they are few. */
  compared: number;
  /** By element, the number of compared resources that differ in it. */
  elements: Record<string, number>;
}

/** A finished snapshot, and its differences from the one before. */
export interface SnapshotSummary {
  id: string;
  /** Name of the finished file within the folder of snapshots. */
  file: string;
  /** FHIR instant that new and changed resources carry as `meta.lastUpdated`. */
  created: string;
  bytes: number;
  counts: Record<ResourceType, number>;
  changes: Record<ResourceType, { added: number; changed: number; unchanged: number; removed: number }>;
  samples: Record<ResourceType, ChangeSamples>;
}

/** The texts that the marks in the encoded resources of each type stand for, by number. */
export type Dictionaries = Record<ResourceType, readonly string[]>;

/** Lets another thread add resources by itself. Transfer it there with its `ports` as transfer list. */
export interface WriterHandle {
  ports: MessagePort[];
  texts: Dictionaries;
}

/** A queue of resources into a snapshot that is being built. Each thread has its own. */
export interface WriterQueue {
  /**
   * Adds a resource. The order of resources does not matter. A promise is returned only when the caller should wait for it before going on.
   * Throws, or makes `SnapshotWriter.finish` throw, for a field that is not in `INDEX_FIELDS` and for an id that came twice.
   */
  add(resource: IndexedResource): void | Promise<void>;
  /** Resolves when all of the queue is stored. */
  flush(): Promise<void>;
  /**
   * Stops learning repeated parts of the resource types that have come so far, and returns the dictionaries for other queues to load.
   * Resolves when they are stored.
   */
  freezeDictionaries(): Promise<Dictionaries>;
  /** Loads another queue's dictionaries. Call it before the first resource of a type is added. */
  loadDictionaries(texts: Dictionaries): void;
}

/** Builds a snapshot beside those that are being read. Nothing counts as a snapshot before `finish` has ended. */
export interface SnapshotWriter extends WriterQueue {
  /** A handle with which another thread adds resources (`openWriterQueue`). */
  handle(): WriterHandle;
  /** Signals that no more resources of this type will come. The type may then be indexed while resources of others still come. */
  complete(type: ResourceType): void;
  /** Rejects if the building fails while queues are in use; never resolves. */
  failure: Promise<never>;
  finish(): Promise<SnapshotSummary>;
  /** Removes everything written so far. It does nothing after `finish`. */
  abandon(): Promise<void>;
}

const REPEATED = Symbol('repeated');

/** Marks a part that comes in many resources, so that a snapshot makes its text once. The part must not change. */
export function repeated<Part extends object>(part: Part): Part {
  Object.defineProperty(part, REPEATED, { value: true });
  return Object.freeze(part);
}

/** Checks whether a part was marked by `repeated`. */
export function isRepeated(part: object): boolean {
  return (part as { [REPEATED]?: true })[REPEATED] === true;
}
