// The public interface of the search index of a directory snapshot. Other folders use only this.

export {
  CONTACT_SYSTEMS,
  contactKey,
  contactKeys,
  labelKey,
  nationalNumber,
  numberKeys,
  referenceKey,
  SECURE_MAIL,
  systemKey,
  tokenKeys,
} from './exact-keys.ts';
export { metresBetween, type Position } from './positions.ts';
export { isOfOtherLayout, openSnapshot } from './read/reader.ts';
export { createYielder } from './read/yield-event-loop.ts';
export { type ReadAheadEvent, startReadAhead } from './read-ahead/read-ahead.ts';
export { releaseMemory } from './release-memory.ts';
export {
  Abandoned,
  type ChangeSamples,
  type Clause,
  type Dictionaries,
  type ExactText,
  INDEX_FIELDS,
  type IndexedResource,
  type InstantRange,
  type Order,
  type QueryWord,
  RESOURCE_TYPES,
  type ResourceChecks,
  type ResourceType,
  repeated,
  type SearchPage,
  type SearchQuery,
  type Snapshot,
  type SnapshotSummary,
  type SnapshotWriter,
  type StoredResource,
  TooCostly,
  Unavailable,
  type WriterHandle,
} from './snapshot.ts';
export { onBehalfOf } from './threads/job-queue.ts';
export { type SearchThreads, startSearchThreads } from './threads/search-threads.ts';
export { fold, isInvisible, plainText, synonymsOf, tokenize, withoutInvisible } from './tokenizer.ts';
export { checksumOfFile, type FindingKind, type VerifyReport, verifySnapshotFile } from './verify.ts';
export { createSnapshotWriter } from './write/writer.ts';
export { openWriterQueue } from './write/writer-queue.ts';
