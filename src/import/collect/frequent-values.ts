// Finds common values and repeated values among millions, without keeping a counter for each value.

const { imul } = Math;

/**
 * Maximum number of values with a counter (Misra-Gries algorithm). A value that makes up more than one case in 256 certainly has a counter
 * at the end.
 */
const COUNTERS = 256;

/** The first `FIRST` cases are all counted. After them, one case in `STEP` is counted. */
const FIRST = 16_384;
const STEP = 16;

/** Counts the commonest values of a sample of all cases. A count may be too low, by up to a 256th of all cases. */
export function createCommonest() {
  const counts = new Map<string, number>();
  let [cases, looked] = [0, 0];
  return {
    /** Returns the counts of the sample, scaled to all cases. */
    all: (): Map<string, number> => new Map([...counts].map(([value, count]) => [value, (count * cases) / looked])),
    count(value: string): void {
      if (++cases > FIRST && cases % STEP !== 0) return;
      looked++;
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

/** Makes a list of numbers that grows. It is a typed array, in which a number takes only eight bytes. */
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

/**
 * Makes a set of numbers above 0, which is three times as fast as a `Set`. Returns a function that adds a number to the set. The function
 * returns true if the number was new.
 */
export function createNumberSet() {
  let slots = new Float64Array(1024);
  let size = 0;
  const slotOf = (number: number) => {
    const mask = slots.length - 1;
    let slot = (number ^ (number >>> 16)) & mask;
    while (slots[slot] !== number && slots[slot] !== 0) slot = (slot + 1) & mask;
    return slot;
  };
  return (number: number): boolean => {
    const slot = slotOf(number);
    if (slots[slot] === number) return false;
    slots[slot] = number;
    if (2 * ++size < slots.length) return true;
    const before = slots;
    slots = new Float64Array(2 * before.length);
    for (const one of before) if (one !== 0) slots[slotOf(one)] = one;
    return true;
  };
}

/** Returns the numbers that occur more than once in all lists together. The result is a map from each of them to how often it occurs. */
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

/**
 * Returns a hash of 53 bits of the texts from index `from` to index `to`, except the text at index `without`. The hash may only be compared
 * with hashes of the same import. Each step hashes two characters at once, because this runs for every line and must be fast.
 */
export function printOf(texts: readonly string[], from = 0, to = texts.length - 1, without = -1): number {
  let a = 0xdeadbeef;
  let b = 0x41c6ce57;
  for (let index = from; index <= to; index++) {
    const text = index === without ? '' : (texts[index] ?? '');
    const end = text.length - 1;
    for (let at = 0; at < end; at += 2) {
      const pair = text.charCodeAt(at) | (text.charCodeAt(at + 1) << 16);
      a = imul(a ^ pair, 2654435761);
      a ^= a >>> 15;
      b = imul(b ^ pair, 1597334677);
      b ^= b >>> 13;
    }
    const last = end % 2 === 0 ? text.charCodeAt(end) : 124;
    a = imul(a ^ last, 2654435761);
    b = imul(b ^ last, 1597334677);
  }
  a = imul(a ^ (a >>> 16), 2246822507) ^ imul(b ^ (b >>> 13), 3266489909);
  b = imul(b ^ (b >>> 16), 2246822507) ^ imul(a ^ (a >>> 13), 3266489909);
  return 4294967296 * (b & 2097151) + (a >>> 0);
}
