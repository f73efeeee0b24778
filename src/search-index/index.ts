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
export { ITEM_BREAK, joinedWords, writtenForms } from './joined-words.ts';
export { type Circle, metresBetween, millimetresTo, type Position, positionItem, positionOfItem } from './positions.ts';
export { isOfOtherLayout, openSnapshot } from './read/reader.ts';
export { createYielder } from './read/yield-event-loop.ts';
export { type ReadAheadEvent, startReadAhead } from './read-ahead/read-ahead.ts';
export { releaseMemory } from './release-memory.ts';
export { repeated } from './repeated.ts';
export {
  Abandoned,
  type ChainedClause,
  type Clause,
  type ExactText,
  type FieldClause,
  type FieldMatch,
  INDEX_FIELDS,
  type IndexedResource,
  type InstantRange,
  isChained,
  type Order,
  type OrderBy,
  type QueryWord,
  RESOURCE_TYPES,
  type ResourceChecks,
  type ResourceType,
  type SearchOptions,
  type SearchPage,
  type SearchQuery,
  type Snapshot,
  type Spellings,
  type StoredResource,
  TooCostly,
  Unavailable,
} from './snapshot.ts';
export type { ChangeSamples, Dictionaries, SnapshotSummary, SnapshotWriter, WriterHandle } from './snapshot-writer.ts';
export { onBehalfOf } from './threads/job-queue.ts';
export { type SearchThreads, startSearchThreads } from './threads/search-threads.ts';
export { fold, isInvisible, plainText, synonymsOf, tokenize, withoutInvisible } from './tokenizer.ts';
export { checksumOfFile, type FindingKind, type VerifyReport, verifySnapshotFile } from './verify.ts';
export { createSnapshotWriter } from './write/writer.ts';
export { openWriterQueue } from './write/writer-queue.ts';
