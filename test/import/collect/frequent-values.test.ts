// What is counted of millions of values without holding them: the commonest, those that come again, and numbers by a hash.

import { describe, expect, it } from '@jest/globals';
import { createCommonest, createNumbers, printOf, repeatedNumbers } from '#import/collect/frequent-values.ts';
import { HashTable, hashOf } from '#import/collect/hash-table.ts';

describe('the commonest values', () => {
  const times = (count: number, act: (number: number) => void) => {
    for (let number = 0; number < count; number++) act(number);
  };

  it('behind the first 16,384 one in 16 is, and the counts are scaled to all', () => {
    const commonest = createCommonest();
    times(16_384, () => commonest.count('a'));
    times(1600, () => commonest.count('b'));
    expect([...commonest.all()]).toEqual([
      ['a', (16_384 * 17_984) / 16_484],
      ['b', (100 * 17_984) / 16_484],
    ]);
  });

  it('keep 256 counters: one more value takes one from each of them', () => {
    const commonest = createCommonest();
    commonest.count('0');
    times(256, (number) => commonest.count(String(number)));
    expect(commonest.all().size).toBe(256);
    commonest.count('new');
    expect([...commonest.all()]).toEqual([['0', 1]]);
  });
});

describe('numbers', () => {
  it('a list of them grows', () => {
    const numbers = createNumbers();
    const all = Array.from({ length: 5000 }, (_, index) => index * 3 + 0.5);
    for (const number of all) numbers.push(number);
    expect([...numbers.all()]).toEqual(all);
  });

  it('that come more than once are found in all lists, with how often they come', () => {
    const lists = [[7, 1, 2, 2], [3, 2, 1], []].map((list) => Float64Array.from(list));
    expect([...repeatedNumbers(lists)]).toEqual([
      [1, 2],
      [2, 3],
    ]);
  });
});

describe('hashes', () => {
  it('of texts are these, and never 0', () => {
    expect(['', 'a', 'abc', 'Lefèvre'].map((text) => hashOf(text))).toEqual([
      447841615, 187539957, 359732785, 878253453,
    ]);
    expect(hashOf('abc', 1 << 24)).toBe(267333065);
  });

  it('of lists of texts are these', () => {
    expect([[''], ['a'], ['ab', 'c'], ['abc', 'defg', ''], ['Lefèvre', '10']].map((texts) => printOf(texts))).toEqual([
      5759617570818611, 7929297801672961, 336406926969901, 5771102232177940, 5960192936314447,
    ]);
  });
});

describe('a table of numbers by hash', () => {
  const hashes = Array.from({ length: 1500 }, (_, index) => hashOf(`value ${index}`));

  it('has a value and a count for each hash as it grows; once it is full, other hashes have none', () => {
    const table = new HashTable(1024);
    for (const [index, hash] of hashes.entries()) {
      const slot = table.slot(hash);
      if (slot >= 0) table.values[slot] = index;
      for (let count = 0; count <= index % 3; count++) table.add(table.slot(hash));
    }
    const kept = hashes.map((hash) => [table.count(hash), table.at(table.slot(hash)), table.values[table.slot(hash)]]);
    expect(kept).toEqual(
      hashes.map((_, index) => (index < 1024 ? [(index % 3) + 1, (index % 3) + 1, index] : [0, 0, undefined])),
    );
    expect([table.slot(hashes[1024] ?? 0), table.at(-1)]).toEqual([-1, 0]);
    expect(table.counts).toHaveLength(2048);
  });

  it('makes room for some hashes, so that their slots stay', () => {
    const table = new HashTable(1024);
    for (const hash of hashes.slice(0, 509)) table.slot(hash);
    table.reserve(3);
    expect(table.counts).toHaveLength(1024);
    for (const hash of hashes.slice(509, 511)) table.slot(hash);
    table.reserve(3);
    expect(table.counts).toHaveLength(2048);
    const more = hashes.slice(511, 514);
    const slots = more.map((hash) => table.slot(hash));
    expect(more.map((hash) => table.slot(hash))).toEqual(slots);
    for (const hash of hashes.slice(0, 1023)) table.slot(hash);
    table.reserve(3);
    expect(table.counts).toHaveLength(2048);
  });

  it('takes a hash to the next slot where another has its own', () => {
    const table = new HashTable(1024);
    // The same low bits.
    const alike = [1, 1 + 2048, 1 + 4096, 2047, 2047 + 2048];
    const slots = alike.map((hash) => table.slot(hash));
    expect(slots).toEqual([0, 1, 2, 1023, 3]);
    for (const [index, slot] of slots.entries()) for (let count = 0; count < index; count++) table.add(slot);
    expect(alike.map((hash) => table.count(hash))).toEqual([0, 1, 2, 3, 4]);
    table.add(table.slot(1));
    for (const hash of hashes.slice(0, 600)) table.slot(hash);
    expect(alike.map((hash) => table.count(hash))).toEqual([1, 1, 2, 3, 4]);
  });
});
