// Finds values that come often or again among millions, without holding all of them.

/** Number of values with a counter. A value in more than one of so many cases has one at the end (Misra-Gries). */
const COUNTERS = 256;

/** Counts the commonest values. A count may be too low by a 256th of all cases, and is never too high. */
export function createCommonest() {
  const counts = new Map<string, number>();
  return {
    counts: counts as ReadonlyMap<string, number>,
    count(value: string): void {
      const known = counts.get(value);
      if (known !== undefined) counts.set(value, known + 1);
      else if (counts.size < COUNTERS) counts.set(value, 1);
      else
        for (const [other, count] of counts) {
          if (count === 1) counts.delete(other);
          else counts.set(other, count - 1);
        }
    },
  };
}

/** A list of numbers that grows, of eight bytes each. */
export function createNumbers() {
  let numbers = new Float64Array(1024);
  let size = 0;
  return {
    push(number: number): void {
      if (size === numbers.length) {
        const larger = new Float64Array(2 * size);
        larger.set(numbers);
        numbers = larger;
      }
      numbers[size++] = number;
    },
    all: (): Float64Array => numbers.slice(0, size),
  };
}

/** The numbers that come more than once in the lists, with how often they come. */
export function repeatedNumbers(lists: readonly Float64Array[]): Map<number, number> {
  const sorted = new Float64Array(lists.reduce((size, list) => size + list.length, 0));
  let at = 0;
  for (const list of lists) {
    sorted.set(list, at);
    at += list.length;
  }
  sorted.sort();
  const repeated = new Map<number, number>();
  for (let index = 1; index < sorted.length; index++) {
    const number = sorted[index] as number;
    if (number === sorted[index - 1]) repeated.set(number, (repeated.get(number) ?? 1) + 1);
  }
  return repeated;
}

/** Number of marks, as a power of two: half a megabyte of bits. */
const MARKS = 1 << 22;

/** Remembers roughly which numbers came: it never forgets one, and takes few others for one that came. */
export function createMarks() {
  const bits = new Uint8Array(MARKS / 8);
  /** Marks a number. Returns whether it was marked before. */
  return (number: number): boolean => {
    const mark = number % MARKS;
    const [byte, bit] = [mark >>> 3, 1 << (mark & 7)];
    const known = bits[byte] ?? 0;
    bits[byte] = known | bit;
    return (known & bit) !== 0;
  };
}
