// The search index of a directory snapshot: all that other folders may use of it.

export { contactKey, labelKey, nationalNumber, referenceKey, systemKey, tokenKeys } from './exact-keys.ts';
export type { Confirm } from './read/hash-recheck.ts';
export { openSnapshot } from './read/reader.ts';
export { takeTurns } from './read/yield-event-loop.ts';
export { releaseMemory } from './release-memory.ts';
export {
  type Clause,
  type IndexedResource,
  type InstantRange,
  type LaneTicket,
  type Order,
  type PackedTexts,
  type QueryWord,
  RESOURCE_TYPES,
  type ResourceType,
  repeated,
  type SearchPage,
  type SearchQuery,
  type Snapshot,
  type SnapshotSummary,
  type SnapshotWriter,
  type StoredResource,
  TooCostly,
} from './snapshot.ts';
export { equivalentsOf, fold, wordsOf } from './tokenizer.ts';
export { checksumOfFile } from './verify/file-checksum.ts';
export type { FindingKind } from './verify/findings.ts';
export { type VerifyReport, verifySnapshotFile } from './verify/verify.ts';
export { removeUnfinishedSnapshots } from './write/partial-files.ts';
export { createSnapshotWriter, snapshotNameIn } from './write/writer.ts';
export { openLane } from './write/writer-queue.ts';
