// Lists of the index at their bounds: united lists of every density, and beginnings of words that are longer than lists are kept for.

import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { unite } from '#search-index/write/postings-writer.ts';
import { practitioner } from '#support/search-index/naive.ts';
import { writtenSnapshot } from '#support/search-index/written-snapshot.ts';
import { runs } from '#support/seed.ts';

const SPACE = 256;

it('united lists have each number once, rising, whether few or most numbers are in them', () => {
  const list = fc.uniqueArray(fc.nat(SPACE - 1), { maxLength: 40 }).map((all) => Uint32Array.from(all).sort());
  fc.assert(
    fc.property(fc.array(list, { maxLength: 6 }), (lists) => {
      const model = [...new Set(lists.flatMap((one) => [...one]))].sort((a, b) => a - b);
      expect([...unite(lists, SPACE)]).toEqual(model);
    }),
    { numRuns: runs(100) },
  );
});

it('words that differ behind their two hundredth letter are found by any beginning', async () => {
  const beginning = 'x'.repeat(200);
  const ends = ['aa', 'ab', 'ac', 'b', 'b\u{1d11e}'];
  await using snapshot = await writtenSnapshot(
    ends.map((end, at) => practitioner(`p${at}`, end, { name: [`${beginning}${end}`] })),
    { limits: { inline: 1, longLists: 1, shortLists: 1 } },
  );
  const found = async (prefix: string) => {
    const clauses = [{ field: 'name', match: 'words' as const, anyOf: [[{ prefix, whole: [] }]] }];
    return (await snapshot.search({ type: 'Practitioner', clauses, limit: 10, total: true })).total;
  };
  const beginnings = [
    'x',
    beginning.slice(1),
    beginning,
    `${beginning}a`,
    `${beginning}ab`,
    `${beginning}b`,
    `${beginning}c`,
  ];
  expect(await Promise.all(beginnings.map(found))).toEqual([5, 5, 5, 3, 1, 2, 0]);
});
