// Looks up posting lists in a snapshot file: by prefix, by whole word, by exact key, and by range of time.

import type BetterSqlite3 from 'better-sqlite3';
import { LRUCache } from 'lru-cache';
import { hashedKey } from '#search-index/exact-keys.ts';
import {
  BUCKETS_PER_FIELD,
  type FieldKind,
  hashTermKey,
  isWideKey,
  JOIN_MARK,
  LAST_CHARACTER,
  PREFIX_MARK,
  SEGMENTS_PER_LIST,
  TERM_MARK,
} from '#search-index/file-layout.ts';
import { bucketOf, docIdsIn, everyDocIdIn, hashedFrom, hashKey } from '#search-index/hash-buckets.ts';
import { openInstants } from '#search-index/last-updated-index.ts';
import { TooCostly } from '#search-index/search-errors.ts';
import type { InstantRange, KeyCount, QueryWord, ResourceType } from '#search-index/snapshot.ts';
import { type BitmapPool, type DocIdSet, readDocIdSet } from './doc-id-bitmap.ts';

/** A field of an open snapshot file. */
export interface OpenField {
  number: number;
  name: string;
  kind: FieldKind;
  bits: number;
  /** The type of the resources that the field refers to; undefined if the field has no references. */
  target?: ResourceType;
}

/** A posting list. It is read one segment at a time. */
export interface PostingList {
  /** Number of resources in the list. */
  docFreq: number;
  /** The segments in which the list has members. */
  segments: ArrayLike<number>;
  part(segment: number): DocIdSet | undefined;
}

export interface TermDictionary {
  /** The posting lists of all words that match the query word. The members of these lists are items, and not resources. */
  ofWord(field: OpenField, word: QueryWord): PostingList[];
  /** Number of resources that have this whole word. */
  wordFrequency(field: OpenField, word: string): number;
  /** Checks whether any word begins with `prefix`. */
  hasBeginning(field: OpenField, prefix: string): boolean;
  /**
   * The posting lists of a key.
   * @param each true if every resource that a hash finds must be rechecked at once (`hash-recheck.ts`)
   */
  ofKey(field: OpenField, key: string, each?: boolean): PostingList[];
  /** The posting list of a key of the table `term`. Give the key as the table has it, with any PREFIX_MARK or TERM_MARK at its end. */
  ofStoredKey(field: number, key: string): PostingList[];
  /**
   * The posting lists of the keys that begin with `start`, for a field of kind `keyword`. Throws `TooCostly` if there are too many such
   * keys.
   */
  ofBeginning(field: OpenField, start: string): PostingList[];
  /** All keys of a field of kind `keyword`, with the number of resources that have each. */
  everyKey(field: OpenField): KeyCount[];
  /** Yields the posting lists of the keys for which `pick` returns true. `pick` gets each key as `term` stores it. */
  everyList(field: OpenField, pick: (key: string) => boolean): Iterable<PostingList>;
  /**
   * Yields the doc ids of a field's hashes, bucket by bucket. Leaves out the doc ids of frequent hashes, because they are in posting lists.
   */
  everyDocId(field: OpenField): Iterable<readonly number[]>;
  /** Returns one posting list with the resources that have an instant in any of the ranges. */
  ofRanges(field: OpenField, ranges: readonly InstantRange[]): PostingList;
}

interface TermRow {
  key: string;
  doc_freq: number;
  list: number | null;
  members: Uint8Array;
}

/**
 * Number of rows that are read at once to find the words with a prefix. The first row is read alone, because it usually has the postings of
 * the whole prefix, and then no other row is needed.
 */
const ROWS_AHEAD = 16;

/** Number of rows that are read at once when all rows of a field are needed. Other searches can run between two reads. */
const ROWS_AT_ONCE = 256;

/** `ofBeginning` returns the posting lists of at most this number of keys. It throws if more keys begin with the text. */
const KEYS_OF_BEGINNING = 1000;

/**
 * A character that sorts before every other character. A key followed by this character is therefore the first text that sorts after the
 * key.
 */
const FIRST_CHARACTER = '\0';

/** Opens the dictionary of a snapshot file, which all types share. */
export function openTermDictionary(database: BetterSqlite3.Database, bitmaps: BitmapPool): TermDictionary {
  const columns = 'select key, doc_freq, list, members from term';
  const exactTerm = database.prepare<[number, string], TermRow>(`${columns} where field = ? and key = ?`);
  const range = `${columns} where field = ? and key >= ? and key < ? order by key limit`;
  const frequency = database
    .prepare<[number, string], number>('select doc_freq from term where field = ? and key = ?')
    .pluck();
  const firstTerm = database.prepare<[number, string, string], TermRow>(`${range} 1`);
  const nextTerms = database.prepare<[number, string, string], TermRow>(`${range} ${ROWS_AHEAD}`);
  const posting = database.prepare<[number], Uint8Array>('select members from posting where id = ?').pluck();
  const someTerms = database.prepare<[number, string], TermRow>(
    `${columns} where field = ? and key > ? order by key limit ${ROWS_AT_ONCE}`,
  );
  const keyCounts = database.prepare<[number], KeyCount>(
    'select key, doc_freq as count from term where field = ? order by key',
  );
  const beginning = database.prepare<[number, string, string], TermRow>(`${range} ${KEYS_OF_BEGINNING + 1}`);
  const buckets = database.prepare<[number, number], { id: number; entries: Uint8Array }>(
    `select id, entries from key_hash where id >= ? and id < ? order by id limit ${ROWS_AT_ONCE}`,
  );
  const bucket = database.prepare<[number], Uint8Array>('select entries from key_hash where id = ?').pluck();

  const instants = openInstants(database, bitmaps);

  const parts = new LRUCache<number, DocIdSet>({
    maxSize: REMEMBERED_PARTS,
    sizeCalculation: ({ byteLength }) => byteLength,
  });
  const partOf = (id: number): DocIdSet | undefined => {
    const known = parts.get(id);
    if (known !== undefined) return known;
    const bytes = posting.get(id);
    if (bytes === undefined) return undefined;
    const members = readDocIdSet(bytes);
    parts.set(id, members);
    return members;
  };

  const listOf = (row: TermRow): PostingList => {
    const numbers = new Uint16Array(aligned(row.members).buffer);
    const list = row.list;
    if (list === null) return shortList(row.doc_freq, numbers);
    return {
      docFreq: row.doc_freq,
      segments: numbers,
      part: (segment) => partOf(list * SEGMENTS_PER_LIST + segment),
    };
  };

  const prefixRows = (field: number, prefix: string): TermRow[] => {
    const found: TermRow[] = [];
    const end = prefix + LAST_CHARACTER;
    // If a row's key ends with PREFIX_MARK, the row has the postings of all words with this prefix, and it sorts before them. If the key
    // ends with TERM_MARK, the row has one word. Usually the first row already has the prefix postings. If it does not, there are only a
    // few rows.
    let from: string | undefined = prefix === '' ? JOIN_MARK + LAST_CHARACTER : prefix;
    let rows = firstTerm.all(field, from, end);
    let limit = 1;
    for (;;) {
      from = undefined;
      for (const row of rows) {
        found.push(row);
        from = row.key + FIRST_CHARACTER;
        if (!row.key.endsWith(PREFIX_MARK)) continue;
        // The prefix postings already include all words with that prefix, so reading goes on after these words.
        from = row.key.slice(0, -1) + LAST_CHARACTER;
        break;
      }
      if (from === undefined || from === end) return found;
      if (rows.length < limit && !found.at(-1)?.key.endsWith(PREFIX_MARK)) return found;
      rows = nextTerms.all(field, from, end);
      limit = ROWS_AHEAD;
    }
  };

  const keyRow = (field: number, key: string): PostingList[] => {
    const row = exactTerm.get(field, key);
    return row ? [listOf(row)] : [];
  };

  // The lists of prefixes are remembered, because many people type the same prefixes letter by letter.
  const remembered = new LRUCache<string, readonly PostingList[], () => readonly PostingList[]>({
    maxSize: REMEMBERED_LISTS,
    sizeCalculation: (lists) => 1 + lists.length,
    memoMethod: (_key, _stale, { context }) => context(),
  });
  const prefixLists = (field: number, prefix: string) =>
    remembered.memo(`${field} ${prefix}`, { context: () => prefixRows(field, prefix).map(listOf) });
  const wordLists = (field: number, term: string) =>
    remembered.memo(`${field}=${term}`, { context: () => keyRow(field, term + TERM_MARK) });

  const hash = new Uint32Array(2);
  const ofHash = (field: OpenField, key: string): PostingList[] => {
    hashKey(hashedKey(field.name, key), hash, hashedFrom(key, field.target));
    const [high, low] = [hash[0] as number, hash[1] as number];
    const bytes = bucket.get(field.number * BUCKETS_PER_FIELD + bucketOf(high, field.bits));
    if (bytes === undefined) return [];
    const entries = new Uint32Array(aligned(bytes).buffer);
    const docIds = docIdsIn(entries, high, low);
    if (docIds === undefined) return keyRow(field.number, hashTermKey(high, low));
    return docIds.length === 0 ? [] : [docIdList(docIds)];
  };

  return {
    ofWord(field, { prefix, whole, joined = [] }) {
      const lists = prefix === undefined ? [] : [...prefixLists(field.number, prefix)];
      for (const word of whole) {
        // The lists of the prefix already include the lists of all words that begin with the prefix.
        if (prefix === undefined || !word.startsWith(prefix)) lists.push(...wordLists(field.number, word));
      }
      for (const word of joined) lists.push(...wordLists(field.number, JOIN_MARK + word));
      return lists;
    },
    wordFrequency: ({ number }, word) => frequency.get(number, word + TERM_MARK) ?? 0,
    hasBeginning: ({ number }, prefix) => prefixLists(number, prefix).length > 0,
    ofKey(field, key) {
      return field.kind === 'keyword' || isWideKey(key) ? keyRow(field.number, key + TERM_MARK) : ofHash(field, key);
    },
    ofStoredKey: keyRow,
    ofBeginning({ number }, start) {
      const rows = beginning.all(number, start, start + LAST_CHARACTER);
      if (rows.length > KEYS_OF_BEGINNING)
        throw new TooCostly(`more than ${KEYS_OF_BEGINNING} texts begin so: give more of the text`);
      return rows.map(listOf);
    },
    everyKey: ({ number }) =>
      keyCounts.all(number).map(({ key, count }) => ({ key: key.slice(0, -TERM_MARK.length), count })),
    *everyList({ number }, pick) {
      for (let last = ''; ; ) {
        const rows = someTerms.all(number, last);
        for (const row of rows) if (pick(row.key)) yield listOf(row);
        if (rows.length < ROWS_AT_ONCE) return;
        last = (rows.at(-1) as TermRow).key;
      }
    },
    *everyDocId({ number }) {
      const end = (number + 1) * BUCKETS_PER_FIELD;
      for (let from = number * BUCKETS_PER_FIELD; ; ) {
        const rows = buckets.all(from, end);
        for (const { entries } of rows) yield everyDocIdIn(new Uint32Array(aligned(entries).buffer));
        if (rows.length < ROWS_AT_ONCE) return;
        from = (rows.at(-1)?.id ?? end) + 1;
      }
    },
    ofRanges: (field, ranges) => instants(field.number, ranges),
  };
}

/** Maximum bytes of parts of posting lists that are cached. The most frequent words take most of this memory. */
const REMEMBERED_PARTS = 48 * 2 ** 20;
/** Maximum number of posting lists of prefixes and words that are cached, without their parts. Each takes up to a kilobyte. */
const REMEMBERED_LISTS = 12_000;

/**
 * Copies the bytes into a buffer of their own, unless they have one already. In a shared buffer they may begin anywhere, but a number of
 * several bytes can only be read at a multiple of its size.
 */
function aligned(bytes: Uint8Array): Uint8Array {
  return bytes.byteOffset === 0 && bytes.buffer.byteLength === bytes.byteLength ? bytes : new Uint8Array(bytes);
}

/**
 * Reads a posting list that is stored in its row of `term`. For each segment, the row has the number of the segment, the count of doc ids,
 * and then the doc ids.
 */
function shortList(docFreq: number, numbers: Uint16Array): PostingList {
  const parts = new Map<number, Uint16Array>();
  for (let at = 0; at < numbers.length; ) {
    const size = numbers[at + 1] as number;
    parts.set(numbers[at] as number, numbers.subarray(at + 2, at + 2 + size));
    at += 2 + size;
  }
  return { docFreq, segments: [...parts.keys()], part: (segment) => parts.get(segment) };
}

/** Makes a posting list of a few doc ids, which must be in rising order. */
function docIdList(docIds: readonly number[]): PostingList {
  const segments: number[] = [];
  for (const docId of docIds) if (segments.at(-1) !== docId >>> 16) segments.push(docId >>> 16);
  return {
    docFreq: docIds.length,
    segments,
    part: (segment) => new Uint16Array(docIds.filter((docId) => docId >>> 16 === segment)),
  };
}
