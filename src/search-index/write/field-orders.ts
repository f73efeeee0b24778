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
  const { wordOf, longest } = firstItems(content);
  let positions: Uint32Array = Uint32Array.from(order, (_, position) => position);
  // A sort by the last word first: each pass keeps the order of the later words.
  for (let word = longest - 1; word >= 0; word--) positions = sorted(positions, wordOf(word), keys.length + 2);
  /** 1 for each rank at which another value begins. */
  const isNew = new Uint8Array(order.length);
  const numbers = new Uint32Array(order.length);
  for (let word = 0; word < longest; word++) {
    const keyOf = wordOf(word);
    for (let rank = 1; rank < positions.length; rank++)
      if (keyOf[positions[rank - 1] as number] !== keyOf[positions[rank] as number]) isNew[rank] = 1;
    if (word > 0) continue;
    for (let position = 0; position < keyOf.length; position++)
      if (keyOf[position] === keys.length + 1) numbers[position] = NO_VALUE.wide;
  }
  let number = 0;
  for (let rank = 0; rank < positions.length; rank++) {
    number += isNew[rank] as number;
    const position = positions[rank] as number;
    if (numbers[position] === 0) numbers[position] = number;
  }
  const isNarrow = number < NO_VALUE.narrow;
  storeOrder(database, field, positions, isNarrow ? Uint16Array.from(numbers) : numbers, segmentStarts);
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
  const positions = Uint32Array.from(keys, (_, position) => position);
  storeOrder(database, field, sorted(positions, keys, most + 2), undefined, segmentStarts);
}

/** The ranks of the words of the first items, by position: 0 for no further word, and one more than there are words for no item. */
function firstItems({ spill, keys, order }: FieldContent) {
  const rankOf = new Uint32Array(keys.length);
  const numbers = keys.map((_, number) => number);
  numbers.sort((a, b) => ((keys[a] as string) < (keys[b] as string) ? -1 : 1));
  numbers.forEach((number, rank) => {
    rankOf[number] = rank + 1;
  });
  /** Where in the spill the count of the words of the first item stands, by ordinal. */
  const starts = new Uint32Array(order.length);
  let longest = 1;
  for (let ordinal = 0, at = 0; ordinal < order.length; ordinal++) {
    let items = spill[at++] as number;
    starts[ordinal] = at;
    for (let found = false; items > 0; items--) {
      const count = spill[at] as number;
      if (!found) starts[ordinal] = at;
      found ||= count > 0;
      if (found && count > longest) longest = count;
      at += 1 + count;
    }
  }
  const wordOf = (word: number): Uint32Array =>
    order.map((ordinal) => {
      const at = starts[ordinal] as number;
      const count = spill[at] as number;
      if (count === 0) return word === 0 ? keys.length + 1 : 0;
      return word < count ? (rankOf[spill[at + 1 + word] as number] as number) : 0;
    });
  return { wordOf, longest: Math.min(longest, SORTED_WORDS) };
}

/** The positions in the order of their keys, below `most`; those of one key keep their order. */
function sorted(positions: Uint32Array, keyOf: Uint32Array, most: number): Uint32Array {
  const ends = new Uint32Array(most + 1);
  for (let position = 0; position < keyOf.length; position++) (ends[(keyOf[position] as number) + 1] as number)++;
  for (let key = 0; key < most; key++) (ends[key + 1] as number) += ends[key] as number;
  const result = new Uint32Array(positions.length);
  for (let at = 0; at < positions.length; at++) {
    const position = positions[at] as number;
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
