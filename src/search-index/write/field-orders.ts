// Stores the orders of the resources of a type by a field: a number for each value, and the doc ids in the order of these numbers.

import type BetterSqlite3 from 'better-sqlite3';
import { blobOf, NO_DOC_ID, NO_VALUE, SORTED_WORDS } from '#search-index/file-layout.ts';
import type { FieldContent } from './postings-collector.ts';

/**
 * Stores the order by the words of each resource's first item that has any, in the alphabetical order of the words. Resources without words
 * come last, equal ones in alphabetical order of the resources.
 */
export function storeTextOrder(database: BetterSqlite3.Database, field: number, content: FieldContent): void {
  const { order, segmentStarts, keys } = content;
  const { values, itemOf } = firstItems(content);
  const rankOfWord = ranksOf(keys.length, (a, b) => ((keys[a] as string) < (keys[b] as string) ? -1 : 1));
  const rankOf = ranksOf(values.length, (a, b) => {
    const [one, other] = [values[a] as number[], values[b] as number[]];
    for (let at = 0; at < Math.min(one.length, other.length); at++)
      if (one[at] !== other[at])
        return (rankOfWord[one[at] as number] as number) - (rankOfWord[other[at] as number] as number);
    return one.length - other.length;
  });
  const numbers = order.map((ordinal) => rankOf[itemOf[ordinal] as number] ?? values.length);
  const positions = sorted(numbers, values.length + 1);
  for (let position = 0; position < numbers.length; position++)
    if (numbers[position] === values.length) numbers[position] = NO_VALUE.wide;
  const isNarrow = values.length <= NO_VALUE.narrow;
  storeOrder(database, field, positions, isNarrow ? Uint16Array.from(numbers) : numbers, segmentStarts);
}

/** The place of each of so many numbers in an order. */
function ranksOf(count: number, compare: (a: number, b: number) => number): Uint32Array {
  const rankOf = new Uint32Array(count);
  const inOrder = Array.from({ length: count }, (_, number) => number).sort(compare);
  for (const [rank, number] of inOrder.entries()) rankOf[number] = rank;
  return rankOf;
}

/** The numbers of the first words of each different first item, and the number of the item by ordinal; NO_VALUE.wide for none. */
function firstItems({ spill, keys, order }: FieldContent) {
  const values: number[][] = [];
  const itemOf = new Uint32Array(order.length).fill(NO_VALUE.wide);
  // Most items are one word.
  const ofWord = new Uint32Array(keys.length).fill(NO_VALUE.wide);
  const ofWords = new Map<string, number>();
  for (let ordinal = 0, at = 0; ordinal < order.length; ordinal++) {
    for (let items = spill[at++] as number; items > 0; items--) {
      const count = spill[at++] as number;
      const first = at;
      at += count;
      if (count === 0 || itemOf[ordinal] !== NO_VALUE.wide) continue;
      const word = spill[first] as number;
      const words = count === 1 ? [] : Array.from(spill.subarray(first, Math.min(at, first + SORTED_WORDS)));
      const key = words.join();
      const known = count === 1 ? (ofWord[word] as number) : (ofWords.get(key) ?? NO_VALUE.wide);
      const value = known === NO_VALUE.wide ? values.length : known;
      if (value === values.length) {
        values.push(count === 1 ? [word] : words);
        if (count === 1) ofWord[word] = value;
        else ofWords.set(key, value);
      }
      itemOf[ordinal] = value;
    }
  }
  return { values, itemOf };
}

/**
 * Stores the order by what a reference leads to. The numbers are in `reference_target`.
 * @param targets doc ids of each segment, NO_DOC_ID where there is none
 */
export function storeReferenceOrder(
  database: BetterSqlite3.Database,
  field: number,
  targets: readonly Uint32Array[],
): void {
  const segmentStarts = new Uint32Array(targets.length + 1);
  for (const [segment, { length }] of targets.entries())
    segmentStarts[segment + 1] = (segmentStarts[segment] as number) + length;
  const keys = new Uint32Array(segmentStarts.at(-1) ?? 0);
  for (const [segment, some] of targets.entries()) keys.set(some, segmentStarts[segment]);
  let most = 0;
  for (const key of keys) if (key !== NO_DOC_ID && key > most) most = key;
  for (let position = 0; position < keys.length; position++)
    if (keys[position] === NO_DOC_ID) keys[position] = most + 1;
  storeOrder(database, field, sorted(keys, most + 2), undefined, segmentStarts);
}

/** The positions in the order of their keys, which are below `most`. */
function sorted(keyOf: Uint32Array, most: number): Uint32Array {
  const ends = new Uint32Array(most + 1);
  for (let position = 0; position < keyOf.length; position++) (ends[(keyOf[position] as number) + 1] as number)++;
  for (let key = 0; key < most; key++) (ends[key + 1] as number) += ends[key] as number;
  const result = new Uint32Array(keyOf.length);
  for (let position = 0; position < keyOf.length; position++) {
    const key = keyOf[position] as number;
    result[ends[key] as number] = position;
    (ends[key] as number)++;
  }
  return result;
}

/** Stores numbers by position, and the doc ids by rank, both cut like the segments. */
function storeOrder(
  database: BetterSqlite3.Database,
  field: number,
  positions: Uint32Array,
  numbers: Uint16Array | Uint32Array | undefined,
  segmentStarts: Uint32Array,
): void {
  const insert = database.prepare('insert into field_order (field, segment, numbers, members) values (?, ?, ?, ?)');
  const docIdAt = new Uint32Array(positions.length);
  for (let segment = 0; segment < segmentStarts.length - 1; segment++) {
    const start = segmentStarts[segment] as number;
    for (let position = start; position < (segmentStarts[segment + 1] as number); position++)
      docIdAt[position] = segment * 65_536 + position - start;
  }
  const members = positions.map((position) => docIdAt[position] as number);
  for (let segment = 0; segment < segmentStarts.length - 1; segment++) {
    const [start, end] = [segmentStarts[segment], segmentStarts[segment + 1]];
    insert.run(
      field,
      segment,
      numbers ? blobOf(numbers.subarray(start, end)) : null,
      blobOf(members.subarray(start, end)),
    );
  }
}
