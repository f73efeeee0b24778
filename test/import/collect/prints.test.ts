// Hashes of texts, by which lines that say the same are found.

import { describe, expect, it } from '@jest/globals';
import { createNumberSet, printOf } from '#import/collect/frequent-values.ts';
import { createDraw } from '#support/draw.ts';

describe('import: hashes of lines', () => {
  it('leave one cell out and distinguish all others', () => {
    expect(printOf(['a', 'b', 'c'], 0, 2, 1)).toBe(printOf(['a', 'x', 'c'], 0, 2, 1));
    expect(printOf(['y', 'a', 'b', 'z'], 1, 2)).toBe(printOf(['a', 'b']));
    const texts = [['a', 'b'], ['ab', ''], ['', 'ab'], ['ba', ''], ['a', 'b', ''], ['abc'], ['abc', ''], ['bac']];
    expect(new Set(texts.map((cells) => printOf(cells))).size).toBe(texts.length);
    expect(Number.isSafeInteger(printOf(['x'.repeat(500)]))).toBe(true);
  });

  it('a set of them tells which came before, as it grows', () => {
    const draw = createDraw(5);
    const [isNew, known] = [createNumberSet(), new Set<number>()];
    const wrong: number[] = [];
    for (let index = 0; index < 20_000; index++) {
      // Many of them have the same low bits.
      const number = draw.between(1, 4) * 2 ** 40 + draw.between(1, 4000);
      if (isNew(number) === known.has(number)) wrong.push(number);
      known.add(number);
    }
    expect(known.size).toBeGreaterThan(10_000);
    expect(wrong).toEqual([]);
  });
});
