// Collects the postings of one field: tokenizes its items, gives doc ids to the items, and lists the doc ids of each term. Only some terms
// are processed at a time, so that the memory stays limited.

import type { Field } from '#search-index/file-layout.ts';
import { ITEM_BREAK, joiningOf } from '#search-index/joined-words.ts';
import type { SpillFile } from './spill-file.ts';
import { createTermTable, type TermTable } from './term-table.ts';

const BREAK = ITEM_BREAK.charCodeAt(0);

/** Tokenizes the items of one resource after another, and spills the numbers of their terms. */
export function createTokenSpill(field: Field, spill: SpillFile<Uint32Array>) {
  let table: TermTable | undefined = createTermTable();
  const numbers: number[] = [];
  const joining = joiningOf(field.name);
  const addItem = (texts: Buffer, start: number, end: number) => {
    if (joining === undefined) return table?.addAll(texts, start, end, numbers);
    for (let from = start; from <= end; ) {
      const at = texts.indexOf(BREAK, from);
      const to = at < 0 || at > end ? end : at;
      const first = numbers.length;
      table?.addAll(texts, from, to, numbers);
      table?.addJoined(joining, numbers, first);
      from = to + 1;
    }
  };
  return {
    field,
    spill,
    /**
     * Adds the items of the next resource to the spill, as `FieldContent.spill` describes.
     * @param texts UTF-8 in which each item ends with a zero byte
     * @param at index at which the first item begins
     * @returns the index after the last item
     */
    add(texts: Buffer, at: number, items: number): number {
      spill.push(Math.max(1, items));
      if (items === 0) spill.push(0);
      let start = at;
      for (let item = 0; item < items; item++) {
        const end = texts.indexOf(0, start);
        numbers.length = 0;
        addItem(texts, start, end);
        spill.push(numbers.length);
        for (let word = 0; word < numbers.length; word++) spill.push(numbers[word] as number);
        start = end + 1;
      }
      return start;
    },
    /** Returns all words by number. No more items can be added afterwards. */
    terms() {
      const words = table?.words() ?? [];
      table = undefined;
      return words;
    },
  };
}

/** The content of one field of one type. */
export interface FieldContent {
  /**
   * The items of all resources, by ordinal. For each resource: the number of its items (at least 1). For each item: the number of its
   * words, then the numbers of these words.
   */
  spill: Uint32Array;
  keys: readonly string[];
  order: Uint32Array;
  /** First positions of the segments (`cutIntoSegments`). */
  segmentStarts: Uint32Array;
}

/**
 * Divides the sorted words into portions. Words with the same first character stay in one portion, because they may share a prefix.
 * @param most once a portion has this number of postings, it ends before the next word with another first character
 * @param at index of the first character of a word in its key: joined words have JOIN_MARK before it
 */
export function* portions(
  sorted: readonly number[],
  keys: readonly string[],
  counts: Uint32Array,
  most: number,
  at = 0,
): Generator<number[]> {
  let portion: number[] = [];
  let postings = 0;
  let before: number | undefined;
  for (const key of sorted) {
    const first = (keys[key] as string).codePointAt(at);
    if (first !== before && postings >= most) {
      yield portion;
      portion = [];
      postings = 0;
    }
    before = first;
    portion.push(key);
    postings += counts[key] as number;
  }
  if (portion.length > 0) yield portion;
}

/** The items of a field with their doc ids. */
interface Items {
  /** Number of occurrences of each word, by the number of the word. */
  counts: Uint32Array;
  /** Calls `take` with the doc id of each item in rising order, and with the bounds of its terms in the spill. */
  each(take: (docId: number, from: number, end: number) => void): void;
  /** Counts the resources that have items with these doc ids. The doc ids must be in rising order. */
  parentCount(docIds: Uint32Array): number;
  /** The number of possible doc ids: 65536 for each segment. */
  space: number;
}

/**
 * Gives doc ids to the items of a field. The first item of a resource gets the doc id of its resource. `storeParents` gets the resources of
 * all other items.
 */
export function layOutItems(
  { spill, keys, order, segmentStarts }: FieldContent,
  storeParents: (segment: number, parents: Uint16Array) => void,
): Items {
  const offsets = new Uint32Array(order.length);
  const counts = new Uint32Array(keys.length);
  let several = false;
  for (let ordinal = 0, at = 0; ordinal < order.length; ordinal++) {
    offsets[ordinal] = at;
    if ((spill[at] as number) > 1) several = true;
    for (let items = spill[at++] as number; items > 0; items--) {
      for (let count = spill[at++] as number; count > 0; count--) (counts[spill[at++] as number] as number)++;
    }
  }
  const segments = Math.max(0, segmentStarts.length - 1);
  const space = segments * 65_536;

  const eachOfSegment = (segment: number, take: (docId: number, from: number, end: number) => void) => {
    const first = segmentStarts[segment] as number;
    const size = (segmentStarts[segment + 1] as number) - first;
    const base = segment * 65_536;
    const others: number[] = [];
    const withOthers: { member: number; at: number; items: number }[] = [];
    for (let member = 0; member < size; member++) {
      const at = offsets[order[first + member] as number] as number;
      const items = spill[at] as number;
      const end = at + 2 + (spill[at + 1] as number);
      take(base + member, at + 2, end);
      if (items > 1) withOthers.push({ member, at: end, items });
    }
    // A callback is faster here than a nested loop. A nested loop would have only a few rounds, and at each of them the engine would leave
    // the optimised code.
    withOthers.forEach(({ member, at: from, items }) => {
      for (let item = 1, at = from; item < items; item++) {
        const end = at + 1 + (spill[at] as number);
        take(base + size + others.length, at + 1, end);
        others.push(member);
        at = end;
      }
    });
    return { size, others };
  };

  // For each item, the doc id of its resource. The first item of a resource has the same doc id as the resource.
  const parentDocIds = new Uint32Array(several ? space : 0);
  for (let docId = 0; docId < parentDocIds.length; docId++) parentDocIds[docId] = docId;
  for (let segment = 0; several && segment < segments; segment++) {
    const { size, others } = eachOfSegment(segment, () => {});
    if (others.length === 0) continue;
    storeParents(segment, Uint16Array.from(others));
    others.forEach((member, at) => {
      parentDocIds[segment * 65_536 + size + at] = segment * 65_536 + member;
    });
  }

  const counted = new Uint32Array(several ? space : 0);
  let counting = 0;
  return {
    counts,
    space,
    each(take) {
      for (let segment = 0; segment < segments; segment++) eachOfSegment(segment, take);
    },
    parentCount(list) {
      if (!several) return list.length;
      counting++;
      let count = 0;
      for (let index = 0; index < list.length; index++) {
        const parent = parentDocIds[list[index] as number] as number;
        if (counted[parent] === counting) continue;
        counted[parent] = counting;
        count++;
      }
      return count;
    },
  };
}

/** Makes a function that returns the sorted doc ids of the items with a word. It can be called for the words in `some` only. */
export function collectPostings({ spill, keys }: FieldContent, items: Items, some: readonly number[]) {
  const all = some.length === keys.length;
  const starts = new Uint32Array(keys.length);
  const wanted = new Uint8Array(keys.length);
  let total = 0;
  for (const key of some) {
    wanted[key] = 1;
    starts[key] = total;
    total += items.counts[key] as number;
  }
  const ends = starts.slice();
  const docIds = new Uint32Array(total);
  items.each((docId, from, end) => {
    for (let at = from; at < end; at++) {
      const key = spill[at] as number;
      if (!all && wanted[key] === 0) continue;
      const last = ends[key] as number;
      // If an item has a word twice, its doc id is listed once.
      if (last > (starts[key] as number) && docIds[last - 1] === docId) continue;
      docIds[last] = docId;
      ends[key] = last + 1;
    }
  });
  return (key: number): Uint32Array => docIds.subarray(starts[key], ends[key]);
}
