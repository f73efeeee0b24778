// The public interface of the search index. Other folders import only this file. It exports everything from `exact-keys.ts`,
// `search-errors.ts` and `snapshot.ts`, and only the listed names from other files.

export { synonymsOf } from './abbreviations.ts';
export * from './exact-keys.ts';
export { SMALL_FILE } from './file-layout.ts';
export { ITEM_BREAK, joinedWords, writtenForms } from './joined-words.ts';
export { type Circle, metresBetween, millimetresTo, type Position, positionItem, positionOfItem } from './positions.ts';
export { isOfOtherLayout, openSnapshot } from './read/reader.ts';
export { byFrequency } from './read/spellings.ts';
export { isOfOlderLayout, openStoredResources } from './read/stored-resources.ts';
export { createYielder } from './read/yield-event-loop.ts';
export { type ReadAheadEvent, startReadAhead } from './read-ahead/read-ahead.ts';
export { releaseMemory } from './release-memory.ts';
export * from './search-errors.ts';
export * from './snapshot.ts';
export type { ChangeSamples, Dictionaries, SnapshotSummary, SnapshotWriter, WriterHandle } from './snapshot-writer.ts';
export { isRepeated, repeated } from './snapshot-writer.ts';
export { onBehalfOf } from './threads/job-queue.ts';
export { type SearchThreads, startSearchThreads, threadCount } from './threads/search-threads.ts';
export { fold, foldedWords, isInvisible, plainText, tokenize, withoutInvisible } from './tokenizer.ts';
export { checksumOfFile, createChecksum, type FindingKind, type VerifyReport, verifySnapshotFile } from './verify.ts';
export { createSnapshotWriter } from './write/writer.ts';
export { openWriterQueue } from './write/writer-queue.ts';
