// Stores the orders of a type's resources by a field: a number for the value of each resource, and for each segment its doc ids in the
// order of these numbers.

import type BetterSqlite3 from 'better-sqlite3';
import { blobOf, NO_VALUE, SORTED_WORDS } from '#search-index/file-layout.ts';
import type { FieldContent } from './postings-collector.ts';

/**
 * Stores an order by text. The first item with words decides the place of a resource. Items are in the alphabetical order of their words.
 * Resources without words come last. Resources with equal words are in their own alphabetical order.
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
  const numbers = order.map((ordinal) => rankOf[itemOf[ordinal] as number] ?? NO_VALUE.wide);
  const stored = values.length <= NO_VALUE.narrow ? Uint16Array.from(numbers) : numbers;
  const store = orderSink(database, field);
  for (let segment = 0; segment < segmentStarts.length - 1; segment++)
    store(segment, stored.subarray(segmentStarts[segment], segmentStarts[segment + 1]));
}

/** The rank of each number from 0 to `count` - 1 in the order of `compare`. */
function ranksOf(count: number, compare: (a: number, b: number) => number): Uint32Array {
  const rankOf = new Uint32Array(count);
  const inOrder = Array.from({ length: count }, (_, number) => number).sort(compare);
  for (const [rank, number] of inOrder.entries()) rankOf[number] = rank;
  return rankOf;
}

/**
 * Lists the different first items, each as the numbers of its first words. `itemOf[ordinal]` is an index into this list, or NO_VALUE.wide.
 */
function firstItems({ spill, keys, order }: FieldContent) {
  const values: number[][] = [];
  const itemOf = new Uint32Array(order.length).fill(NO_VALUE.wide);
  // A tree of words: from each node, a word leads to another node. It would take longer to make a text of each item's words.
  const steps = new Map<number, number>();
  const ofNode: number[] = [];
  for (let ordinal = 0, at = 0; ordinal < order.length; ordinal++) {
    for (let items = spill[at++] as number; items > 0; items--) {
      const count = spill[at++] as number;
      const first = at;
      at += count;
      if (count === 0 || itemOf[ordinal] !== NO_VALUE.wide) continue;
      const last = Math.min(at, first + SORTED_WORDS);
      let node = 0;
      for (let word = first; word < last; word++) {
        const step = node * keys.length + (spill[word] as number);
        node = steps.get(step) ?? steps.size + 1;
        if (node > steps.size) steps.set(step, node);
      }
      ofNode[node] ??= values.push(Array.from(spill.subarray(first, last))) - 1;
      itemOf[ordinal] = ofNode[node] as number;
    }
  }
  return { values, itemOf };
}

/**
 * Makes a function that stores the order of a segment. It takes the number of each resource's value.
 * @param isStored false if the numbers are not stored, because they are in `reference_target`
 */
export function orderSink(database: BetterSqlite3.Database, field: number, { isStored = true } = {}) {
  const insert = database.prepare('insert into field_order (field, segment, numbers, ordered) values (?, ?, ?, ?)');
  return (segment: number, numbers: Uint16Array | Uint32Array): void => {
    // A number and its doc id are sorted as one 64-bit number. To sort with a function takes ten times as long.
    const both = new BigUint64Array(numbers.length);
    const halves = new Uint32Array(both.buffer);
    // The machine is little-endian, so the low half comes first.
    for (let member = 0; member < numbers.length; member++) {
      halves[member * 2] = member;
      halves[member * 2 + 1] = numbers[member] as number;
    }
    both.sort();
    const ordered = new Uint16Array(numbers.length);
    for (let rank = 0; rank < ordered.length; rank++) ordered[rank] = halves[rank * 2] as number;
    insert.run(field, segment, isStored ? blobOf(numbers) : null, blobOf(ordered));
  };
}
