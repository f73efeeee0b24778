// Owns how the words of one field become posting lists, and for which beginnings of words the united list is
// stored. Does not own the search for them (`sqlite-terms.ts`).

import { BITMAP_WORDS, type ListLimits, UNION_MARK, WORD_MARK } from './sqlite-layout.ts';

/** What one field of one type gives to index. */
export interface FieldContent {
  /** For each resource by ordinal: number of items (at least 1), then for each item: number of words, numbers of words. */
  spool: Uint32Array;
  keys: readonly string[];
  order: Uint32Array;
  /** Of `cutIntoChunks`. */
  chunkStarts: Uint32Array;
}

/** Where the finished lists go. */
export interface ListSink {
  /** @param list number of the list when its members are in `posting` */
  term(key: string, owners: number, list: number | null, members: Uint8Array): void;
  /** Stores the chunks of a new list; returns its number. */
  posting(parts: { chunk: number; members: Uint8Array }[]): number;
  /** Owners of the items that are not the first of their resource, for chunks that have such. */
  itemOwners(chunk: number, owners: Uint16Array): void;
}

/** Builds and stores all lists of a field of kind `words`. */
export function buildLists(content: FieldContent, limits: ListLimits, sink: ListSink): void {
  const postings = collectPostings(content, sink);
  const store = (key: string, places: Uint32Array) => storeList(key, places, postings.ownersOf(places), limits, sink);
  const sorted = content.keys.map((_, key) => key);
  sorted.sort((a, b) => ((content.keys[a] as string) < (content.keys[b] as string) ? -1 : 1));
  storeWords(sorted, content.keys, postings, limits, store);
}

interface Postings {
  of(key: number): Uint32Array;
  /** How many resources own the items at these sorted places. */
  ownersOf(places: Uint32Array): number;
  /** Places that exist or could: 65536 for each chunk. */
  space: number;
}

function collectPostings({ spool, keys, order, chunkStarts }: FieldContent, sink: ListSink): Postings {
  const offsets = new Uint32Array(order.length);
  const ends = new Uint32Array(keys.length + 1);
  for (let ordinal = 0, at = 0; ordinal < order.length; ordinal++) {
    offsets[ordinal] = at;
    for (let items = spool[at++] as number; items > 0; items--) {
      for (let count = spool[at++] as number; count > 0; count--) (ends[(spool[at++] as number) + 1] as number)++;
    }
  }
  for (let key = 0; key < keys.length; key++) (ends[key + 1] as number) += ends[key] as number;
  const starts = ends.slice();
  const places = new Uint32Array(ends[keys.length] as number);
  const chunks = Math.max(0, chunkStarts.length - 1);
  // Place of the owner of each item: its own, unless it is not the first item of its resource.
  const ownerPlaces = new Uint32Array(chunks * 65_536);
  let several = false;

  /** Takes the keys of one item, which begin at `at` with their number; returns the end. */
  const takeItem = (from: number, place: number): number => {
    let at = from;
    for (let count = spool[at++] as number; count > 0; count--) {
      const key = spool[at++] as number;
      const end = ends[key] as number;
      // A word that comes twice within an item is one posting.
      if (end > (starts[key] as number) && places[end - 1] === place) continue;
      places[end] = place;
      ends[key] = end + 1;
    }
    return at;
  };

  for (let chunk = 0; chunk < chunks; chunk++) {
    const first = chunkStarts[chunk] as number;
    const size = (chunkStarts[chunk + 1] as number) - first;
    const base = chunk * 65_536;
    const others: number[] = [];
    const withOthers: { member: number; at: number; items: number }[] = [];
    for (let member = 0; member < size; member++) {
      const at = offsets[order[first + member] as number] as number;
      const items = spool[at] as number;
      const end = takeItem(at + 1, base + member);
      ownerPlaces[base + member] = base + member;
      if (items > 1) withOthers.push({ member, at: end, items });
    }
    for (const { member, at: from, items } of withOthers) {
      for (let item = 1, at = from; item < items; item++) {
        const place = base + size + others.length;
        ownerPlaces[place] = base + member;
        others.push(member);
        at = takeItem(at, place);
      }
    }
    if (others.length > 0) {
      several = true;
      sink.itemOwners(chunk, Uint16Array.from(others));
    }
  }

  const counted = new Uint32Array(several ? ownerPlaces.length : 0);
  let counting = 0;
  return {
    space: chunks * 65_536,
    of: (key) => places.subarray(starts[key], ends[key]),
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

/** Stores the list of every word, and unions so that no beginning of a word needs more lists than the limits say. */
function storeWords(
  sorted: readonly number[],
  keys: readonly string[],
  postings: Postings,
  limits: ListLimits,
  store: (key: string, places: Uint32Array) => void,
): void {
  const wordAt = (index: number) => keys[sorted[index] as number] as string;

  /** Handles the words from..to-1, which share `depth` characters; tells how many lists cover them. */
  const cover = (from: number, to: number, depth: number): { long: number; short: number } => {
    const first = wordAt(from);
    if (to - from === 1) {
      const places = postings.of(sorted[from] as number);
      store(first + WORD_MARK, places);
      return places.length > limits.inline ? { long: 1, short: 0 } : { long: 0, short: 1 };
    }
    const shared = commonPrefix(first, wordAt(to - 1), depth);
    const sum = { long: 0, short: 0 };
    for (let start = from; start < to; ) {
      const next = groupEnd(start, to, shared);
      const part = cover(start, next, shared);
      sum.long += part.long;
      sum.short += part.short;
      start = next;
    }
    if (shared === 0 || (sum.long <= limits.longLists && sum.short <= limits.shortLists)) return sum;
    const places = unite(
      sorted.slice(from, to).map((key) => postings.of(key)),
      postings.space,
    );
    store(first.slice(0, shared) + UNION_MARK, places);
    return places.length > limits.inline ? { long: 1, short: 0 } : { long: 0, short: 1 };
  };

  /** End of the run of words that continue alike after `depth` characters. */
  const groupEnd = (start: number, to: number, depth: number) => {
    const character = wordAt(start).codePointAt(depth);
    let end = start + 1;
    while (end < to && character !== undefined && wordAt(end).codePointAt(depth) === character) end++;
    return end;
  };

  if (sorted.length > 0) cover(0, sorted.length, 0);
}

/** Length of the common beginning, never ending within a character. */
function commonPrefix(a: string, b: string, from: number): number {
  let length = from;
  while (length < a.length && a.charCodeAt(length) === b.charCodeAt(length)) length++;
  const last = a.charCodeAt(length - 1);
  return last >= 0xd800 && last <= 0xdbff ? length - 1 : length;
}

/** Places that stand in any of the lists, rising, each once. */
export function unite(lists: readonly Uint32Array[], space: number): Uint32Array {
  const total = lists.reduce((sum, list) => sum + list.length, 0);
  if (total > space / 32) {
    const bits = new Uint32Array(space / 32);
    for (const list of lists) for (const place of list) (bits[place >>> 5] as number) |= 1 << (place & 31);
    return membersOf(bits, total);
  }
  const all = new Uint32Array(total);
  let end = 0;
  for (const list of lists) {
    all.set(list, end);
    end += list.length;
  }
  all.sort();
  let kept = 0;
  for (let index = 0; index < total; index++) {
    if (kept === 0 || all[index] !== all[kept - 1]) all[kept++] = all[index] as number;
  }
  return all.subarray(0, kept);
}

function membersOf(bits: Uint32Array, most: number): Uint32Array {
  const members = new Uint32Array(most);
  let count = 0;
  for (let index = 0; index < bits.length; index++) {
    for (let word = bits[index] as number; word !== 0; word &= word - 1) {
      members[count++] = index * 32 + 31 - Math.clz32(word & -word);
    }
  }
  return members.subarray(0, count);
}

/** Writes one list in the form that its size asks for. */
export function storeList(key: string, places: Uint32Array, owners: number, limits: ListLimits, sink: ListSink): void {
  const parts = partsOf(places);
  if (places.length <= limits.inline) {
    const members = new Uint16Array(places.length + 2 * parts.length);
    let at = 0;
    for (const { chunk, members: part } of parts) {
      members[at++] = chunk;
      members[at++] = part.length;
      members.set(part, at);
      at += part.length;
    }
    sink.term(key, owners, null, bytesOf(members));
    return;
  }
  const list = sink.posting(
    parts.map(({ chunk, members }) => ({
      chunk,
      members: bytesOf(members.length < limits.bitmap ? members : bitmapOf(members)),
    })),
  );
  sink.term(key, owners, list, bytesOf(Uint16Array.from(parts, ({ chunk }) => chunk)));
}

function partsOf(places: Uint32Array): { chunk: number; members: Uint16Array }[] {
  const parts: { chunk: number; members: Uint16Array }[] = [];
  for (let start = 0; start < places.length; ) {
    const chunk = (places[start] as number) >>> 16;
    let end = start + 1;
    while (end < places.length && (places[end] as number) >>> 16 === chunk) end++;
    // The low halves of the places: a Uint16Array keeps just those.
    parts.push({ chunk, members: new Uint16Array(places.subarray(start, end)) });
    start = end;
  }
  return parts;
}

function bitmapOf(members: Uint16Array): Uint32Array {
  const bits = new Uint32Array(BITMAP_WORDS);
  for (const member of members) (bits[member >>> 5] as number) |= 1 << (member & 31);
  return bits;
}

function bytesOf(numbers: Uint16Array | Uint32Array): Uint8Array {
  return new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
}
