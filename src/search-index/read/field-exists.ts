// Owns which resources have anything at all in a field, for searches by what is missing: read from the field's own lists,
// once for each open snapshot, and kept. Does not own the lists (`sqlite-terms.ts`).

import { BITMAP_WORDS, isWideKey, WORD_MARK } from '../file-layout.ts';
import { addMembers, complement, type Members, ownersOf, reuseBitmaps, sizeOf } from './doc-id-bitmap.ts';
import type { FieldOwners, SearchSpace } from './query-plan.ts';
import type { OpenField, PostingList } from './term-dictionary.ts';
import type { Turns } from './yield-event-loop.ts';

/** A look-up that remembers; the first one for a field may take a second at two million people, in turns. */
export function rememberOwners(space: Omit<SearchSpace, 'ownersOf'>): SearchSpace['ownersOf'] {
  const known = new Map<number, Promise<FieldOwners>>();
  return (field, turns) => {
    let owners = known.get(field.number);
    if (!owners) {
      owners = readOwners(space, field, turns);
      known.set(field.number, owners);
    }
    return owners;
  };
}

const EVERY_WORD = { prefix: '', whole: [] };

async function readOwners(
  { chunkStarts, itemOwners, terms }: Omit<SearchSpace, 'ownersOf'>,
  field: OpenField,
  turns: Turns,
): Promise<FieldOwners> {
  const all = chunkStarts.at(-1) ?? 0;
  const sizes = Array.from(chunkStarts.subarray(1), (end, chunk) => end - (chunkStarts[chunk] as number));
  if (field.name === 'id' || field.kind === 'instant') return { total: all, chunks: sizes.map(everyMember) };
  const chunks = sizes.map(() => new Uint32Array(BITMAP_WORDS));
  const counted = () => chunks.reduce((sum, members) => sum + sizeOf(members), 0);
  const add = async (lists: Iterable<PostingList>) => {
    for (const list of lists) {
      for (const chunk of Array.from(list.chunks)) {
        reuseBitmaps();
        const items = list.part(chunk);
        if (!items) continue;
        addMembers(chunks[chunk] as Uint32Array, ownersOf(items, sizes[chunk] as number, itemOwners(field, chunk)));
      }
      if (turns.over()) await turns.next();
    }
    return { total: counted(), chunks };
  };

  if (field.kind === 'words') return add(terms.ofWord(field, EVERY_WORD));
  // Nearly every key has a system, and then the systems' own few lists name every owner.
  const bySystem = await add(terms.everyList(field, (key) => isWideKey(key.slice(0, -WORD_MARK.length))));
  if (bySystem.total === all) return bySystem;
  const others = await add(terms.everyList(field, (key) => !isWideKey(key.slice(0, -WORD_MARK.length))));
  if (others.total === all || field.kind !== 'fingerprint') return others;
  for (const places of terms.everyPlace(field)) {
    for (let index = 0; index < places.length; index++) {
      const place = places[index] as number;
      const bits = chunks[place >>> 16] as Uint32Array;
      (bits[(place & 0xffff) >>> 5] as number) |= 1 << (place & 31);
    }
    if (turns.over()) await turns.next();
  }
  return { total: counted(), chunks };
}

function everyMember(size: number): Members {
  reuseBitmaps();
  return complement(size, undefined).slice();
}
