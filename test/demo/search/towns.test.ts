// The large towns that the field "where" suggests, and how long they are kept when the directory refuses some of the searches.

import { describe, expect, it } from '@jest/globals';
import type { Directory } from '#demo/directory.ts';
import { createLargeTowns } from '#demo/search/towns.ts';

/** A directory in which Paris has 3 structures and Lyon 5, and which refuses the searches at these positions. */
const directory = (...refused: number[]) =>
  ({
    totals: async (searches: readonly string[]) =>
      searches.map((search, at) => {
        if (refused.includes(at)) return undefined;
        return search.includes('Paris') ? 3 : search.includes('Lyon') ? 5 : 0;
      }),
  }) as Partial<Directory> as Directory;

describe('the large towns', () => {
  it('are kept once the directory has answered for all of them', async () => {
    const largeTowns = createLargeTowns();
    expect(await largeTowns(directory())).toEqual(['Lyon', 'Paris']);
    expect(await largeTowns(directory(0))).toEqual(['Lyon', 'Paris']);
  });

  it('are searched again for the next person if the directory has refused some of the searches', async () => {
    const largeTowns = createLargeTowns();
    expect(await largeTowns(directory(0))).toEqual(['Lyon']);
    expect(await largeTowns(directory())).toEqual(['Lyon', 'Paris']);
  });
});
