// A compact set of whole numbers below 2^53: eight bytes a slot instead of some fifty.

const FIRST_SIZE = 1 << 12;
/** Stands in a free slot; the number itself is never stored. */
const FREE = 0;

/** @param slots those of a full set of another thread, which may only be asked */
export function createNumberSet(slots: Float64Array = new Float64Array(FIRST_SIZE)) {
  let table = slots;
  let count = 0;

  const slotOf = (number: number): number => {
    let slot = number % table.length;
    while (table[slot] !== FREE && table[slot] !== number) slot = slot + 1 === table.length ? 0 : slot + 1;
    return slot;
  };

  return {
    has: (number: number): boolean => table[slotOf(number)] === number,
    /** Adds a number (not 0); whether it is new. */
    add(number: number): boolean {
      const slot = slotOf(number);
      if (table[slot] === number) return false;
      table[slot] = number;
      if (++count * 2 > table.length) {
        const old = table;
        table = new Float64Array(old.length * 2);
        for (const one of old) if (one !== FREE) table[slotOf(one)] = one;
      }
      return true;
    },
    /** The slots in memory that threads share, for `createNumberSet` there. */
    shared(): Float64Array<SharedArrayBuffer> {
      const copy = new Float64Array(new SharedArrayBuffer(table.byteLength));
      copy.set(table);
      return copy;
    },
  };
}
