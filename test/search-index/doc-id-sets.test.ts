// Sets of doc ids, as arrays and as bitmaps: every operation gives what sets of numbers give, at the edges of words and of a segment too.

import { describe, expect, it } from '@jest/globals';
import { BITMAP_WORDS } from '#search-index/file-layout.ts';
import {
  addDocIds,
  allBut,
  asBitmap,
  BitmapPool,
  complement,
  type DocIdSet,
  docIdSetOf,
  intersect,
  isEmpty,
  NOTHING,
  parentsOf,
  readDocIdSet,
  sizeOf,
  take,
  takeDown,
  unite,
} from '#search-index/read/doc-id-bitmap.ts';

const SIZE = 64_000;
const array = (members: readonly number[]) => Uint16Array.from(members);
function bitmap(members: readonly number[]): Uint32Array {
  const bits = new Uint32Array(BITMAP_WORDS);
  for (const member of members) (bits[member >>> 5] as number) |= 1 << (member & 31);
  return bits;
}
const FORMS = { array, bitmap };
type Form = keyof typeof FORMS;
const ALL_FORMS = Object.keys(FORMS) as Form[];
const membersOf = (set: DocIdSet): number[] =>
  set instanceof Uint16Array
    ? [...set]
    : Array.from({ length: SIZE }, (_, member) => member).filter(
        (member) => ((set[member >>> 5] as number) >>> (member & 31)) & 1,
      );

const ONE = [2, 5, 31, 32, 64, 1000, 1001, 63_999];
const OTHER = [1, 5, 32, 63, 1000, 40_000, 63_998, 63_999];
const THIRD = [2, 4, 32, 63_999];
const united = (...sets: number[][]) => [...new Set(sets.flat())].sort((a, b) => a - b);
const pairs = ALL_FORMS.flatMap((one) => ALL_FORMS.map((other) => [one, other] as const));
/** A bitmap that is lent has the content of before. */
function usedPool(): BitmapPool {
  const pool = new BitmapPool();
  for (let count = 0; count < 4; count++) pool.lend().fill(0xffff_ffff);
  pool.reuse();
  return pool;
}

describe('sets of doc ids', () => {
  it.each(pairs)('of the forms %s and %s are united and intersected, and stay as they were', (first, second) => {
    const [a, b] = [FORMS[first](ONE), FORMS[second](OTHER)];
    expect(membersOf(unite(usedPool(), [a, b]))).toEqual(united(ONE, OTHER));
    expect(membersOf(unite(usedPool(), [a, b, array(THIRD)]))).toEqual(united(ONE, OTHER, THIRD));
    expect(membersOf(unite(usedPool(), [array(THIRD), a, b]))).toEqual(united(ONE, OTHER, THIRD));
    const both = ONE.filter((member) => OTHER.includes(member));
    expect(membersOf(intersect(usedPool(), a, b))).toEqual(both);
    expect(membersOf(intersect(usedPool(), b, a))).toEqual(both);
    for (const few of [[], [5], [63_999], [2, 40_000]])
      expect(membersOf(intersect(usedPool(), a, FORMS[second](few)))).toEqual(
        few.filter((member) => ONE.includes(member)),
      );
    expect([membersOf(a), membersOf(b)]).toEqual([ONE, OTHER]);
  });

  it('of one or none are united without a copy', () => {
    const one = array(ONE);
    expect([unite(usedPool(), [one]), unite(usedPool(), [])]).toEqual([one, NOTHING]);
    expect(unite(usedPool(), [one])).toBe(one);
    expect(membersOf(unite(usedPool(), [array([1, 3]), array([2, 3, 9])]))).toEqual([1, 2, 3, 9]);
    expect(membersOf(unite(usedPool(), [array([7, 9]), array([])]))).toEqual([7, 9]);
  });

  it.each([0, 1, 31, 32, 33, 1000, SIZE])('have complements below %i', (size) => {
    const range = Array.from({ length: size }, (_, member) => member);
    const within = united([3, size - 1, 31, 32]).filter((member) => member >= 0 && member < size);
    const left = range.filter((member) => !within.includes(member));
    expect(membersOf(complement(usedPool(), size, undefined))).toEqual(range);
    for (const form of ALL_FORMS) expect(membersOf(complement(usedPool(), size, FORMS[form](within)))).toEqual(left);
    const runs = [array(within.slice(1)), array(within.slice(0, 1))];
    expect(membersOf(allBut(usedPool(), size, runs))).toEqual(left);
  });

  it('are made of runs: an array of up to 512, otherwise a bitmap', () => {
    const many = Array.from({ length: 513 }, (_, at) => (at * 7919) % SIZE);
    const made = (count: number) => docIdSetOf(usedPool(), [array(many.slice(0, 200)), array(many.slice(200, count))]);
    for (const [count, kind] of [
      [512, Uint16Array],
      [513, Uint32Array],
    ] as const) {
      expect(made(count)).toBeInstanceOf(kind);
      expect(membersOf(made(count))).toEqual(many.slice(0, count).sort((a, b) => a - b));
    }
    expect(membersOf(docIdSetOf(usedPool(), []))).toEqual([]);
  });

  it('are read from bytes wherever they lie: 8000 bytes are a bitmap, others an array', () => {
    const at = (offset: number, bytes: Uint8Array) => {
      const all = new Uint8Array(offset + bytes.length);
      all.set(bytes, offset);
      return readDocIdSet(all.subarray(offset));
    };
    const bits = bitmap(ONE);
    const bytes = new Uint8Array(bits.buffer);
    for (const offset of [0, 1, 2, 4]) {
      expect(at(offset, bytes)).toEqual(bits);
      expect(at(offset, new Uint8Array(array(ONE).buffer))).toEqual(array(ONE));
    }
    expect([at(0, bytes.subarray(2)), at(0, bytes.subarray(4))].map((set) => [set.constructor, set.length])).toEqual([
      [Uint16Array, 3999],
      [Uint16Array, 3998],
    ]);
  });

  it.each(ALL_FORMS)('as %s are counted, added, made bitmaps and taken in either direction', (form) => {
    const set = FORMS[form](ONE);
    expect([sizeOf(set), isEmpty(set), isEmpty(FORMS[form]([])), sizeOf(FORMS[form]([]))]).toEqual([8, false, true, 0]);
    expect(isEmpty(FORMS[form]([63_999]))).toBe(false);
    const own = bitmap([1, 5]);
    addDocIds(own, set);
    expect(membersOf(own)).toEqual(united(ONE, [1, 5]));
    const bits = asBitmap(usedPool(), set);
    expect([bits instanceof Uint32Array, membersOf(bits), bits === set]).toEqual([true, ONE, form === 'bitmap']);
    expect(take(set, 0, 100)).toEqual(ONE);
    expect(take(set, 32, 3)).toEqual([32, 64, 1000]);
    expect(take(set, 33, 1)).toEqual([64]);
    expect([take(set, 0, 0), take(set, 63_999, 9), take(set, 5, 1)]).toEqual([[], [63_999], [5]]);
    expect(takeDown(set, SIZE, 100)).toEqual(ONE.toReversed());
    expect(takeDown(set, Number.POSITIVE_INFINITY, 2)).toEqual([63_999, 1001]);
    expect(takeDown(set, 64, 2)).toEqual([32, 31]);
    expect(takeDown(set, 65, 1)).toEqual([64]);
    expect([takeDown(set, 0, 9), takeDown(set, 3, 9), takeDown(set, 6, 1), takeDown(set, 100, 0)]).toEqual([
      [],
      [2],
      [5],
      [],
    ]);
  });

  it('are counted whatever the bits of a word', () => {
    for (const word of [0xffff_ffff, 0x8000_0001, 0x5555_5555, 0x0f0f_0f0f, 0x1234_5678]) {
      const bits = new Uint32Array(BITMAP_WORDS);
      bits[3] = word;
      bits[BITMAP_WORDS - 1] = word;
      const ones = [...word.toString(2)].filter((digit) => digit === '1').length;
      expect(sizeOf(bits)).toBe(2 * ones);
    }
  });

  it.each(ALL_FORMS)('of items, as %s, lead to their resources', (form) => {
    // Forty resources: the items from 40 on are further ones of 3, 3, 7, 31, 32 and 39.
    const others = array([3, 3, 7, 31, 32, 39]);
    const parents = (...items: number[]) => membersOf(parentsOf(usedPool(), FORMS[form](items), 40, others));
    expect(parents()).toEqual([]);
    expect(parents(0, 39)).toEqual([0, 39]);
    expect(parents(0, 3, 39, 40, 42)).toEqual([0, 3, 7, 39]);
    expect(parents(40, 41)).toEqual([3]);
    expect(parents(42, 43, 44, 45)).toEqual([7, 31, 32, 39]);
    expect(parents(2, 41)).toEqual([2, 3]);
    const set = FORMS[form]([1, 40]);
    expect(parentsOf(usedPool(), set, 40, undefined)).toBe(set);
    const edge = (size: number) => membersOf(parentsOf(usedPool(), FORMS[form]([size - 1, size]), size, array([1])));
    expect([edge(31), edge(32), edge(33), edge(64)]).toEqual([
      [1, 30],
      [1, 31],
      [1, 32],
      [1, 63],
    ]);
  });

  it('are lent by a pool, each bitmap once until all are taken back', () => {
    const pool = new BitmapPool();
    const [one, other] = [pool.lend(), pool.lend()];
    expect([one === other, one.length]).toEqual([false, BITMAP_WORDS]);
    pool.reuse();
    expect([pool.lend() === one, pool.lend() === other, pool.lend() === one]).toEqual([true, true, false]);
  });
});
