// Turns the terms of one field into posting lists. For a prefix that many terms share, it also stores prefix postings.

import { BITMAP_WORDS, blobOf, JOIN_MARK, type ListLimits, PREFIX_MARK, TERM_MARK } from '#search-index/file-layout.ts';
import { collectPostings, type FieldContent, layOutItems, portions } from './postings-collector.ts';

/** Takes the finished lists. */
export interface ListSink {
  /**
   * Stores a list under its key.
   * @param list null if `members` has the whole list; otherwise the number that `posting` returned, and `members` has only the list's
   * segments
   */
  term(key: string, docFreq: number, list: number | null, members: Uint8Array): void;
  /** Stores the parts of a new list, one for each segment, and returns the number of the list. */
  posting(parts: { segment: number; members: Uint8Array }[]): number;
  /** Stores the resource of each item of a segment, except for the first item of each resource. */
  itemParents(segment: number, parents: Uint16Array): void;
}

/** Builds and stores all lists of a field of kind `words`. */
export function buildLists(content: FieldContent, limits: ListLimits, sink: ListSink): void {
  const { keys } = content;
  const items = layOutItems(content, sink.itemParents);
  const sorted = keys.map((_, key) => key);
  sorted.sort((a, b) => ((keys[a] as string) < (keys[b] as string) ? -1 : 1));
  const store = (key: string, docIds: Uint32Array) => storeList(key, docIds, items.parentCount(docIds), limits, sink);
  const total = items.counts.reduce((sum, count) => sum + count, 0);
  const all = total <= limits.postings ? collectPostings(content, items, sorted) : undefined;
  // Joined words begin with JOIN_MARK, so they sort before all other words. They are stored apart, because they get no prefix postings.
  const joined = sorted.findIndex((key) => !keys[key]?.startsWith(JOIN_MARK));
  const words = sorted.splice(joined < 0 ? sorted.length : joined);
  for (const some of portions(sorted, keys, items.counts, limits.postings, JOIN_MARK.length)) {
    const postings = all ?? collectPostings(content, items, some);
    for (const key of some) store(keys[key] + TERM_MARK, postings(key));
  }
  for (const some of portions(words, keys, items.counts, limits.postings)) {
    const postings = all ?? collectPostings(content, items, some);
    storeWords(some, keys, postings, items.space, limits, store);
  }
}

/** Maximum length of a prefix that gets prefix postings. The limit exists because each character may take a step of recursion. */
const DEEPEST_UNION = 200;

/** Stores the list of every term. Also stores prefix postings, so that no prefix needs more lists than the limits allow. */
function storeWords(
  sorted: readonly number[],
  keys: readonly string[],
  postings: (key: number) => Uint32Array,
  space: number,
  limits: ListLimits,
  store: (key: string, docIds: Uint32Array) => void,
): void {
  const wordAt = (index: number) => keys[sorted[index] as number] as string;

  /**
   * Stores the words from `from` up to, but without, `to`, which share `depth` characters. Returns the number of posting lists that a
   * reader needs to find all these words.
   */
  const cover = (from: number, to: number, depth: number): { long: number; short: number } => {
    const first = wordAt(from);
    if (to - from === 1) return storeOne(first + TERM_MARK, postings(sorted[from] as number));
    const isDeepest = depth >= DEEPEST_UNION;
    const shared = isDeepest ? depth : commonPrefix(first, wordAt(to - 1), depth);
    const sum = { long: 0, short: 0 };
    for (let start = from; start < to; ) {
      const next = isDeepest ? start + 1 : groupEnd(start, to, shared);
      const part = cover(start, next, shared);
      sum.long += part.long;
      sum.short += part.short;
      start = next;
    }
    if (isDeepest || shared === 0 || (sum.long <= limits.longLists && sum.short <= limits.shortLists)) return sum;
    const lists = sorted.slice(from, to).map((key) => postings(key));
    return storeOne(first.slice(0, shared) + PREFIX_MARK, unite(lists, space));
  };

  /** Stores one list. Returns the number of posting lists, of each length, that it is for a reader. */
  const storeOne = (key: string, docIds: Uint32Array) => {
    store(key, docIds);
    return docIds.length > limits.inline ? { long: 1, short: 0 } : { long: 0, short: 1 };
  };

  /** Returns the index after the last word that has the same character at `depth` as the word at `start`. */
  const groupEnd = (start: number, to: number, depth: number) => {
    const character = wordAt(start).codePointAt(depth);
    let end = start + 1;
    while (end < to && character !== undefined && wordAt(end).codePointAt(depth) === character) end++;
    return end;
  };

  if (sorted.length > 0) cover(0, sorted.length, 0);
}

/** Length of the common beginning of two texts. It never ends inside a surrogate pair. */
function commonPrefix(a: string, b: string, from: number): number {
  let length = from;
  while (length < a.length && a.charCodeAt(length) === b.charCodeAt(length)) length++;
  const last = a.charCodeAt(length - 1);
  return last >= 0xd800 && last <= 0xdbff ? length - 1 : length;
}

/** Returns the doc ids that are in any of the lists, in rising order, each once. */
export function unite(lists: readonly Uint32Array[], space: number): Uint32Array {
  const total = lists.reduce((sum, list) => sum + list.length, 0);
  if (total > space / 32) {
    const bits = new Uint32Array(space / 32);
    for (const list of lists) mark(list, bits);
    return docIdsOf(bits, total);
  }
  const all = new Uint32Array(total);
  let end = 0;
  for (const list of lists) {
    all.set(list, end);
    end += list.length;
  }
  all.sort();
  let kept = 0;
  for (let index = 0; index < total; index++) {
    if (kept === 0 || all[index] !== all[kept - 1]) all[kept++] = all[index] as number;
  }
  return all.subarray(0, kept);
}

function docIdsOf(bits: Uint32Array, most: number): Uint32Array {
  const members = new Uint32Array(most);
  let count = 0;
  for (let index = 0; index < bits.length; index++) {
    for (let word = bits[index] as number; word !== 0; word &= word - 1) {
      members[count++] = index * 32 + 31 - Math.clz32(word & -word);
    }
  }
  return members.subarray(0, count);
}

/** Stores one list. A short list is stored in `term` as a whole. A longer one is stored in `posting`, and only its segments in `term`. */
export function storeList(key: string, docIds: Uint32Array, docFreq: number, limits: ListLimits, sink: ListSink): void {
  const parts = partsOf(docIds);
  if (docIds.length <= limits.inline) {
    const members = new Uint16Array(docIds.length + 2 * parts.length);
    let at = 0;
    for (const { segment, members: part } of parts) {
      members[at++] = segment;
      members[at++] = part.length;
      members.set(part, at);
      at += part.length;
    }
    sink.term(key, docFreq, null, blobOf(members));
    return;
  }
  const list = sink.posting(
    parts.map(({ segment, members }) => ({
      segment,
      members: blobOf(members.length < limits.bitmap ? members : bitmapOf(members)),
    })),
  );
  sink.term(key, docFreq, list, blobOf(Uint16Array.from(parts, ({ segment }) => segment)));
}

function partsOf(docIds: Uint32Array): { segment: number; members: Uint16Array }[] {
  const parts: { segment: number; members: Uint16Array }[] = [];
  for (let start = 0; start < docIds.length; ) {
    const segment = (docIds[start] as number) >>> 16;
    let end = start + 1;
    while (end < docIds.length && (docIds[end] as number) >>> 16 === segment) end++;
    // A Uint16Array keeps only the low half of each doc id, which is the member.
    parts.push({ segment, members: new Uint16Array(docIds.subarray(start, end)) });
    start = end;
  }
  return parts;
}

function bitmapOf(members: Uint16Array): Uint32Array {
  const bits = new Uint32Array(BITMAP_WORDS);
  mark(members, bits);
  return bits;
}

/**
 * Sets the bits of these numbers. The loop uses an index, because an iterator over millions of numbers takes longer than setting the bits.
 */
function mark(members: Uint16Array | Uint32Array, bits: Uint32Array): void {
  for (let at = 0; at < members.length; at++) {
    const member = members[at] as number;
    (bits[member >>> 5] as number) |= 1 << (member & 31);
  }
}
