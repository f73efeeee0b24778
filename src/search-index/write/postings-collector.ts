// Owns the places at which the words of one field stand: the layout of its items, and the collecting of places by word, so
// many words at a time that memory is bounded. Does not own the lists made of them (`sqlite-lists.ts`).

/** What one field of one type gives to index. */
export interface FieldContent {
  /** For each resource by ordinal: number of items (at least 1), then for each item: number of words, numbers of words. */
  spool: Uint32Array;
  keys: readonly string[];
  order: Uint32Array;
  /** Of `cutIntoChunks`. */
  chunkStarts: Uint32Array;
}

/**
 * The sorted words in portions that begin and end between first characters, for no union reaches over one.
 * @param most postings of a portion, unless one first character has more
 */
export function* portions(
  sorted: readonly number[],
  keys: readonly string[],
  counts: Uint32Array,
  most: number,
): Generator<number[]> {
  let portion: number[] = [];
  let postings = 0;
  let before: number | undefined;
  for (const key of sorted) {
    const first = (keys[key] as string).codePointAt(0);
    if (first !== before && postings >= most) {
      yield portion;
      portion = [];
      postings = 0;
    }
    before = first;
    portion.push(key);
    postings += counts[key] as number;
  }
  if (portion.length > 0) yield portion;
}

/** Where the items of a field stand. */
export interface Items {
  /** How often each word comes, by key. */
  counts: Uint32Array;
  /** Calls back with the place of each item in rising order, and where in the spool its words stand: from, and behind. */
  each(take: (place: number, from: number, end: number) => void): void;
  /** How many resources own the items at these sorted places. */
  ownersOf(places: Uint32Array): number;
  /** Places that exist or could: 65536 for each chunk. */
  space: number;
}

/** Lays the items of a field out; `storeOwners` is given the owners of the items that are not the first of theirs. */
export function layOutItems(
  { spool, keys, order, chunkStarts }: FieldContent,
  storeOwners: (chunk: number, owners: Uint16Array) => void,
): Items {
  const offsets = new Uint32Array(order.length);
  const counts = new Uint32Array(keys.length);
  for (let ordinal = 0, at = 0; ordinal < order.length; ordinal++) {
    offsets[ordinal] = at;
    for (let items = spool[at++] as number; items > 0; items--) {
      for (let count = spool[at++] as number; count > 0; count--) (counts[spool[at++] as number] as number)++;
    }
  }
  const chunks = Math.max(0, chunkStarts.length - 1);
  const space = chunks * 65_536;

  const eachOfChunk = (chunk: number, take: (place: number, from: number, end: number) => void) => {
    const first = chunkStarts[chunk] as number;
    const size = (chunkStarts[chunk + 1] as number) - first;
    const base = chunk * 65_536;
    const others: number[] = [];
    const withOthers: { member: number; at: number; items: number }[] = [];
    for (let member = 0; member < size; member++) {
      const at = offsets[order[first + member] as number] as number;
      const items = spool[at] as number;
      const end = at + 2 + (spool[at + 1] as number);
      take(base + member, at + 2, end);
      if (items > 1) withOthers.push({ member, at: end, items });
    }
    for (const { member, at: from, items } of withOthers) {
      for (let item = 1, at = from; item < items; item++) {
        const end = at + 1 + (spool[at] as number);
        take(base + size + others.length, at + 1, end);
        others.push(member);
        at = end;
      }
    }
    return { size, others };
  };

  // Place of the owner of each item: its own, unless it is not the first item of its resource.
  const ownerPlaces = new Uint32Array(space);
  for (let place = 0; place < space; place++) ownerPlaces[place] = place;
  let several = false;
  for (let chunk = 0; chunk < chunks; chunk++) {
    const { size, others } = eachOfChunk(chunk, () => {});
    if (others.length === 0) continue;
    several = true;
    storeOwners(chunk, Uint16Array.from(others));
    others.forEach((member, at) => {
      ownerPlaces[chunk * 65_536 + size + at] = chunk * 65_536 + member;
    });
  }

  const counted = new Uint32Array(several ? space : 0);
  let counting = 0;
  return {
    counts,
    space,
    each(take) {
      for (let chunk = 0; chunk < chunks; chunk++) eachOfChunk(chunk, take);
    },
    ownersOf(list) {
      if (!several) return list.length;
      counting++;
      let count = 0;
      for (let index = 0; index < list.length; index++) {
        const owner = ownerPlaces[list[index] as number] as number;
        if (counted[owner] === counting) continue;
        counted[owner] = counting;
        count++;
      }
      return count;
    },
  };
}

/** A function that gives the sorted places of the items with a word, for some of the words. */
export function collectPostings({ spool, keys }: FieldContent, items: Items, some: readonly number[]) {
  const all = some.length === keys.length;
  const starts = new Uint32Array(keys.length);
  const wanted = new Uint8Array(keys.length);
  let total = 0;
  for (const key of some) {
    wanted[key] = 1;
    starts[key] = total;
    total += items.counts[key] as number;
  }
  const ends = starts.slice();
  const places = new Uint32Array(total);
  items.each((place, from, end) => {
    for (let at = from; at < end; at++) {
      const key = spool[at] as number;
      if (!all && wanted[key] === 0) continue;
      const last = ends[key] as number;
      // A word that comes twice within an item is one posting.
      if (last > (starts[key] as number) && places[last - 1] === place) continue;
      places[last] = place;
      ends[key] = last + 1;
    }
  });
  return (key: number): Uint32Array => places.subarray(starts[key], ends[key]);
}
