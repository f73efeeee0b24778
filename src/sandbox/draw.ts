// Random draws from a seed. The same seed gives the same draws in every run. `people.ts` derives its seeds from the seed of the command.

export interface Draw {
  /** Draws a whole number from `least` to `most`, both included. */
  between(least: number, most: number): number;
  /** Draws an item of the list. Throws if the list is empty. */
  one<Item>(list: readonly Item[]): Item;
}

/** Makes a generator of random draws, after Tommy Ettinger's mulberry32. Its state of 32 bits is enough to draw people and queries. */
export function createDraw(seed: number): Draw {
  let state = seed >>> 0;
  const share = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (least: number, most: number) => least + Math.floor(share() * (most - least + 1));
  return {
    between,
    one(list) {
      if (list.length === 0) throw new Error('the data has nothing to draw such a query from');
      return list[between(0, list.length - 1)] as (typeof list)[number];
    },
  };
}
