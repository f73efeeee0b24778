// Sets of the doc ids of one segment, as sorted arrays or as bitmaps, and the operations on them: unite, intersect, count, list.
//
// The operations never change their arguments. A pool lends the bitmaps that the operations return. It takes them all back before the next
// evaluation, so a result that must last longer is copied (`compacted`).

import { BITMAP_WORDS } from '#search-index/file-layout.ts';

const { imul } = Math;

/** A sorted array of numbers without repetition (Uint16Array), or a bitmap of BITMAP_WORDS words (Uint32Array). */
export type DocIdSet = Uint16Array | Uint32Array;

export const NOTHING = new Uint16Array(0);

/**
 * Lends bitmaps and takes them back. A bitmap is used again because creating one takes as long as filling it. Each open snapshot has one
 * pool.
 */
export class BitmapPool {
  readonly #bitmaps: Uint32Array[] = [];
  #lent = 0;

  /**
   * Takes back all bitmaps. Call it before each evaluation. An evaluation must not await anything, because another one could then take back
   * its bitmaps.
   */
  reuse(): void {
    this.#lent = 0;
  }

  /** Lends a bitmap. It still has its earlier content, so the caller must overwrite all of it. */
  lend(): Uint32Array {
    if (this.#lent === this.#bitmaps.length) this.#bitmaps.push(new Uint32Array(BITMAP_WORDS));
    return this.#bitmaps[this.#lent++] as Uint32Array;
  }
}

/** Reads a stored set. If it has exactly as many bytes as a bitmap, it is a bitmap. */
export function readDocIdSet(bytes: Uint8Array): DocIdSet {
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
  return aligned.byteLength === BITMAP_WORDS * 4
    ? new Uint32Array(aligned.buffer, aligned.byteOffset, BITMAP_WORDS)
    : new Uint16Array(aligned.buffer, aligned.byteOffset, aligned.byteLength / 2);
}

/** A list of at most this many doc ids is sorted into an array, because that takes less time than filling a bitmap. */
const FEW = 512;

/** Makes a set from arrays of members. The members may be in any order, but no member may occur twice. */
export function docIdSetOf(pool: BitmapPool, runs: readonly Uint16Array[]): DocIdSet {
  const total = runs.reduce((sum, run) => sum + run.length, 0);
  if (total <= FEW) {
    const all = new Uint16Array(total);
    let end = 0;
    for (const run of runs) {
      all.set(run, end);
      end += run.length;
    }
    return all.sort();
  }
  const bits = pool.lend();
  bits.fill(0);
  for (const run of runs) addTo(bits, run);
  return bits;
}

/** Makes the set of all numbers below `size` that are in none of the arrays. */
export function allBut(pool: BitmapPool, size: number, runs: readonly Uint16Array[]): DocIdSet {
  const bits = pool.lend();
  const edge = size >>> 5;
  bits.fill(0xffff_ffff, 0, edge);
  bits.fill(0, edge);
  // In a full segment `edge` lies beyond the bitmap. The array then ignores the assignment.
  bits[edge] = (1 << (size & 31)) - 1;
  for (const run of runs) {
    for (let index = 0; index < run.length; index++) {
      const member = run[index] as number;
      (bits[member >>> 5] as number) &= ~(1 << (member & 31));
    }
  }
  return bits;
}

/** Makes the set of all numbers below `size` that are not in `members`. */
export function complement(pool: BitmapPool, size: number, members: DocIdSet | undefined): DocIdSet {
  if (members === undefined) return allBut(pool, size, []);
  if (members instanceof Uint16Array) return allBut(pool, size, [members]);
  const bits = allBut(pool, size, []) as Uint32Array;
  for (let index = 0; index < BITMAP_WORDS; index++) (bits[index] as number) &= ~(members[index] as number);
  return bits;
}

/** Adds members to a bitmap. A bitmap that is kept must belong to the caller, and not to the pool. */
export function addDocIds(bits: Uint32Array, members: DocIdSet): void {
  if (members instanceof Uint16Array) addTo(bits, members);
  else for (let index = 0; index < BITMAP_WORDS; index++) (bits[index] as number) |= members[index] as number;
}

/** Checks whether a bitmap has a member. */
export function contains(bits: Uint32Array, member: number): boolean {
  return (((bits[member >>> 5] as number) >>> (member & 31)) & 1) === 1;
}

/** Converts a set to a bitmap. */
export function asBitmap(pool: BitmapPool, members: DocIdSet): Uint32Array {
  if (members instanceof Uint32Array) return members;
  const bits = pool.lend();
  bits.fill(0);
  addTo(bits, members);
  return bits;
}

function addTo(bits: Uint32Array, members: Uint16Array): void {
  for (let index = 0; index < members.length; index++) {
    const member = members[index] as number;
    (bits[member >>> 5] as number) |= 1 << (member & 31);
  }
}

/** The doc ids that are in at least one of the sets. */
export function unite(pool: BitmapPool, sets: readonly DocIdSet[]): DocIdSet {
  const [first, second] = sets;
  if (first === undefined) return NOTHING;
  if (second === undefined) return first;
  if (sets.length === 2 && first instanceof Uint16Array && second instanceof Uint16Array) return merge(first, second);
  const bits = pool.lend();
  const whole = sets.find((set) => set instanceof Uint32Array);
  if (whole) bits.set(whole);
  else bits.fill(0);
  for (const set of sets) if (set !== whole) addDocIds(bits, set);
  return bits;
}

function merge(a: Uint16Array, b: Uint16Array): Uint16Array {
  const result = new Uint16Array(a.length + b.length);
  let left = 0;
  let right = 0;
  let end = 0;
  while (left < a.length && right < b.length) {
    const difference = (a[left] as number) - (b[right] as number);
    result[end++] = (difference <= 0 ? a[left] : b[right]) as number;
    if (difference <= 0) left++;
    if (difference >= 0) right++;
  }
  while (left < a.length) result[end++] = a[left++] as number;
  while (right < b.length) result[end++] = b[right++] as number;
  return result.subarray(0, end);
}

/** The doc ids that are in both sets. */
export function intersect(pool: BitmapPool, a: DocIdSet, b: DocIdSet): DocIdSet {
  if (a instanceof Uint32Array) {
    if (b instanceof Uint16Array) return filter(b, a);
    const bits = pool.lend();
    for (let index = 0; index < BITMAP_WORDS; index++) bits[index] = (a[index] as number) & (b[index] as number);
    return bits;
  }
  if (b instanceof Uint32Array) return filter(a, b);
  return a.length <= b.length ? common(a, b) : common(b, a);
}

function filter(members: Uint16Array, bits: Uint32Array): Uint16Array {
  const result = new Uint16Array(members.length);
  let end = 0;
  for (let index = 0; index < members.length; index++) {
    const member = members[index] as number;
    if (contains(bits, member)) result[end++] = member;
  }
  return result.subarray(0, end);
}

function common(short: Uint16Array, long: Uint16Array): Uint16Array {
  const result = new Uint16Array(short.length);
  let end = 0;
  let at = 0;
  for (let index = 0; index < short.length; index++) {
    const member = short[index] as number;
    while (at < long.length && (long[at] as number) < member) at++;
    if (at === long.length) break;
    if (long[at] === member) result[end++] = member;
  }
  return result.subarray(0, end);
}

/**
 * Converts a set of items to the set of the resources that have these items. An item with a number below `size` is the first item of the
 * resource with the same number. All other items are numbered from `size` on, in the order of their resources. The item `size + n` belongs
 * to the resource `others[n]`. `others` is undefined if no resource has a second item.
 */
export function parentsOf(pool: BitmapPool, items: DocIdSet, size: number, others: Uint16Array | undefined): DocIdSet {
  if (others === undefined) return items;
  if (items instanceof Uint16Array) {
    let firsts = items.length;
    while (firsts > 0 && (items[firsts - 1] as number) >= size) firsts--;
    if (firsts === items.length) return items;
    const parents = new Uint16Array(items.length - firsts);
    let end = 0;
    for (let index = firsts; index < items.length; index++) {
      const parent = others[(items[index] as number) - size] as number;
      if (end === 0 || parents[end - 1] !== parent) parents[end++] = parent;
    }
    return merge(items.subarray(0, firsts), parents.subarray(0, end));
  }
  const bits = pool.lend();
  const edge = size >>> 5;
  const below = (1 << (size & 31)) - 1;
  bits.set(items);
  bits[edge] = (items[edge] as number) & below;
  bits.fill(0, edge + 1);
  for (let index = edge; index < BITMAP_WORDS; index++) {
    let word = items[index] as number;
    if (index === edge) word &= ~below;
    for (; word !== 0; word &= word - 1) {
      const parent = others[index * 32 + 31 - Math.clz32(word & -word) - size] as number;
      (bits[parent >>> 5] as number) |= 1 << (parent & 31);
    }
  }
  return bits;
}

/** Copies a set into an array that belongs to the caller: a sorted array or a bitmap, whichever takes less memory. */
export function compacted(members: DocIdSet): DocIdSet {
  if (members instanceof Uint16Array) return members.slice();
  const size = sizeOf(members);
  return size < BITMAP_WORDS * 2 ? Uint16Array.from(take(members, 0, size)) : members.slice();
}

/** Number of members. */
export function sizeOf(members: DocIdSet): number {
  if (members instanceof Uint16Array) return members.length;
  let total = 0;
  for (let index = 0; index < BITMAP_WORDS; index++) {
    let word = members[index] as number;
    word -= (word >>> 1) & 0x55555555;
    word = (word & 0x33333333) + ((word >>> 2) & 0x33333333);
    total += imul((word + (word >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
  }
  return total;
}

/** Checks whether the set is empty. */
export function isEmpty(members: DocIdSet): boolean {
  if (members instanceof Uint16Array) return members.length === 0;
  for (let index = 0; index < BITMAP_WORDS; index++) if (members[index] !== 0) return false;
  return true;
}

/** Returns the first members from `from` on, in rising order, but at most `limit` of them. */
export function take(members: DocIdSet, from: number, limit: number): number[] {
  const taken: number[] = [];
  if (members instanceof Uint16Array) {
    for (let index = 0; index < members.length && taken.length < limit; index++) {
      if ((members[index] as number) >= from) taken.push(members[index] as number);
    }
    return taken;
  }
  for (let index = from >>> 5; index < BITMAP_WORDS; index++) {
    for (let word = members[index] as number; word !== 0; word &= word - 1) {
      const member = index * 32 + 31 - Math.clz32(word & -word);
      if (member < from) continue;
      if (taken.length === limit) return taken;
      taken.push(member);
    }
  }
  return taken;
}

/** Returns the last members below `end`, in falling order, but at most `limit` of them. */
export function takeDown(members: DocIdSet, end: number, limit: number): number[] {
  const taken: number[] = [];
  if (members instanceof Uint16Array) {
    for (let index = members.length - 1; index >= 0 && taken.length < limit; index--) {
      if ((members[index] as number) < end) taken.push(members[index] as number);
    }
    return taken;
  }
  for (let index = Math.min(end - 1, BITMAP_WORDS * 32 - 1) >> 5; index >= 0; index--) {
    for (let word = members[index] as number; word !== 0; ) {
      const bit = 31 - Math.clz32(word);
      word &= ~(1 << bit);
      if (index * 32 + bit >= end) continue;
      if (taken.length === limit) return taken;
      taken.push(index * 32 + bit);
    }
  }
  return taken;
}
