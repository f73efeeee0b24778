// How else a word may be written: within one letter, or in two words.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { byFrequency, withinOneLetter } from '#search-index/read/spellings.ts';
import type { Snapshot, Spellings } from '#search-index/snapshot.ts';
import { practitioner } from '#support/search-index/naive.ts';
import { writtenSnapshot } from '#support/search-index/written-snapshot.ts';

/** Checks whether one deletion, insertion, change or exchange of neighbours leads from one word to the other. */
function isNear(one: string, other: string): boolean {
  let start = 0;
  while (start < one.length && one[start] === other[start]) start++;
  let end = 0;
  while (end < Math.min(one.length, other.length) - start && one.at(-1 - end) === other.at(-1 - end)) end++;
  const [left, right] = [one.slice(start, one.length - end), other.slice(start, other.length - end)];
  return (
    left.length + right.length === 1 ||
    (left.length === 1 && right.length === 1) ||
    left === [...right].reverse().join('')
  );
}

describe('spellings of a word', () => {
  it.each([
    // Deleted, exchanged, changed and added letters: n + (n - 1) + 25 n + 26 (n + 1) - n, less what is equal.
    ['abc', 3 + 2 + 75 + 101],
    ['abcdefgh', 8 + 7 + 200 + 226],
    ['aab', 2 + 1 + 75 + 101],
  ])('within one letter of %s are %i', (word, count) => {
    const found = new Set(withinOneLetter(word));
    found.delete(word);
    expect(found.size).toBe(count);
    expect([...found].filter((other) => !isNear(word, other))).toEqual([]);
  });

  it('come the commonest first, and equally common ones in alphabetical order', () => {
    const words = [
      ['b', 2],
      ['c', 5],
      ['a', 2],
    ].map(([key, count]) => ({ key: String(key), count: Number(count) }));
    expect(byFrequency(words).map(({ key }) => key)).toEqual(['c', 'a', 'b']);
  });

  describe('in a field', () => {
    let snapshot: Snapshot & AsyncDisposable;
    beforeAll(async () => {
      const names = ['Martin', 'Martin Le', 'Marten', 'Mortan', 'Gallois', 'Ab Xy', 'Martini', 'D Zoologiquement'];
      snapshot = await writtenSnapshot(names.map((name, at) => practitioner(`p${at}`, name, { name: [name] })));
    });
    afterAll(() => snapshot.close());

    const near = (...words: [string, number][]) => words.map(([key, count]) => ({ key, count }));
    it.each<[string, Partial<Spellings>]>([
      ['martan', { known: false, near: near(['martin', 2], ['marten', 1], ['mortan', 1]), apart: [] }],
      ['matrin', { known: false, near: near(['martin', 2]) }],
      ['martin', { known: true, near: near(['marten', 1], ['martini', 1]) }],
      ['legal', { known: false, near: [], apart: [['le', 'gal']] }],
      ['leg', { known: false, near: near(['le', 1]), apart: [] }],
      ['abxy', { known: false, near: [], apart: [['ab', 'xy']] }],
      ['dzoologiquement', { apart: [['d', 'zoologiquement']] }],
      ['xxgal', { apart: [] }],
      ['abx', { known: false, near: near(['ab', 1]), apart: [] }],
      ['xy', { known: true, near: [], apart: [] }],
      ['mart1n', { known: false, near: [], apart: [] }],
      ['lezoologiquementxxxxx', { known: false, near: [], apart: [] }],
    ])('of %s', async (word, expected) => {
      expect(await snapshot.spellings('Practitioner', { field: 'name', word, within: 60_000 })).toMatchObject(expected);
    });

    it('are looked for until the time is over: here only with one letter fewer at the beginning', async () => {
      const found = async (word: string) => {
        const asked = { field: 'name', word, within: -1 };
        return (await snapshot.spellings('Practitioner', asked)).near.map(({ key }) => key);
      };
      expect([await found('xmarten'), await found('martenx')]).toEqual([['marten'], []]);
    });
  });
});
