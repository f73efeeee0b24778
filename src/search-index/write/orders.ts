// Sorts the resources of one type alphabetically, and divides them into segments. Also stores the order of each segment by the value of a
// field. For this purpose the different values are numbered, the lowest first. For each segment, the file gets the number of each
// resource's value, and the doc ids in the order of these numbers.

import type BetterSqlite3 from 'better-sqlite3';
import { blobOf, NO_VALUE, SORTED_WORDS } from '#search-index/file-layout.ts';
import type { FieldContent } from './postings-collector.ts';

const PREFIX_BYTES = 6;

/** Number of bytes that are equal at the beginning of all keys. */
function commonBeginning(keys: Uint8Array, lengths: Uint32Array): number {
  let common = lengths[0] ?? 0;
  for (let ordinal = 0, start = 0; ordinal < lengths.length; start += lengths[ordinal++] as number) {
    let same = 0;
    while (same < common && same < (lengths[ordinal] as number) && keys[start + same] === keys[same]) same++;
    common = same;
  }
  return common;
}

/**
 * Returns the ordinals in the alphabetical order of the keys.
 * @param keys the keys of all resources one after another, in UTF-8. A key is the sort key, a zero byte and the id (`type-builder.ts`), so
 * resources with equal sort keys are ordered by id.
 * @param lengths bytes of each key, by ordinal
 */
export function alphabeticalOrder(keys: Uint8Array, lengths: Uint32Array): Uint32Array {
  const count = lengths.length;
  const starts = new Uint32Array(count + 1);
  // The first bytes that can differ are compared as one number, which decides most comparisons. The bytes that all keys have at their
  // beginning are skipped, because they decide nothing. For example, all keys of roles begin with the zero byte.
  const common = commonBeginning(keys, lengths);
  const prefixes = new Float64Array(count);
  for (let ordinal = 0; ordinal < count; ordinal++) {
    const start = starts[ordinal] as number;
    const end = start + (lengths[ordinal] as number);
    starts[ordinal + 1] = end;
    let prefix = 0;
    for (let index = start + common; index < start + common + PREFIX_BYTES; index++) {
      prefix = prefix * 256 + (index < end ? (keys[index] as number) : 0);
    }
    prefixes[ordinal] = prefix;
  }
  const compare = (a: number, b: number) => {
    const difference = (prefixes[a] as number) - (prefixes[b] as number);
    if (difference !== 0) return difference;
    let left = (starts[a] as number) + common + PREFIX_BYTES;
    let right = (starts[b] as number) + common + PREFIX_BYTES;
    const leftEnd = starts[a + 1] as number;
    const rightEnd = starts[b + 1] as number;
    for (; left < leftEnd && right < rightEnd; left++, right++) {
      const byte = (keys[left] as number) - (keys[right] as number);
      if (byte !== 0) return byte;
    }
    return leftEnd - left - (rightEnd - right) || a - b;
  };
  return Uint32Array.from({ length: count }, (_, ordinal) => ordinal).sort(compare);
}

/**
 * Returns the first position of each segment, followed by the number of resources.
 * @param items for each ordinal, the highest number of items that the resource has in a single field
 */
export function cutIntoSegments(order: Uint32Array, items: ArrayLike<number>, size: number): Uint32Array {
  const starts = [0];
  let filled = 0;
  order.forEach((ordinal, position) => {
    const more = items[ordinal] as number;
    if (more > size) throw new Error(`a resource has ${more} items in one field: at most ${size} can be indexed`);
    if (filled + more > size) {
      starts.push(position);
      filled = 0;
    }
    filled += more;
  });
  if (order.length > 0) starts.push(order.length);
  return Uint32Array.from(starts);
}

/**
 * Stores an order by text. A resource is sorted by its first item that has words, and these items are sorted alphabetically by their words.
 * Resources without words come last. Resources with equal words remain in the alphabetical order of the type.
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

/** Sorts the numbers from 0 to `count` - 1 by `compare`. Returns the rank of each number. */
function ranksOf(count: number, compare: (a: number, b: number) => number): Uint32Array {
  const rankOf = new Uint32Array(count);
  const inOrder = Array.from({ length: count }, (_, number) => number).sort(compare);
  for (const [rank, number] of inOrder.entries()) rankOf[number] = rank;
  return rankOf;
}

/**
 * Finds, for each resource, its first item that has words. `values` has each different item once, as the numbers of its first words.
 * `itemOf` has, for each ordinal, the index of the resource's item in `values`, or NO_VALUE.wide if no item of the resource has words.
 */
function firstItems({ spill, keys, order }: FieldContent) {
  const values: number[][] = [];
  const itemOf = new Uint32Array(order.length).fill(NO_VALUE.wide);
  // A tree in which equal items lead to the same node: each word of an item is a step from one node to the next. Making one text of the
  // words of each item, to compare the texts, would take longer.
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
 * Makes a function that stores the order of a segment. The function takes the number of the value of each resource.
 * @param isStored false if the numbers need not be stored, because they are in `reference_target`
 */
export function orderSink(database: BetterSqlite3.Database, field: number, { isStored = true } = {}) {
  const insert = database.prepare('insert into field_order (field, segment, numbers, ordered) values (?, ?, ?, ?)');
  return (segment: number, numbers: Uint16Array | Uint32Array): void => {
    // A number and its doc id are sorted as one 64-bit number, because sorting with a function takes ten times as long.
    const both = new BigUint64Array(numbers.length);
    const halves = new Uint32Array(both.buffer);
    // The machine is little-endian, so the low half of each 64-bit number comes first.
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
