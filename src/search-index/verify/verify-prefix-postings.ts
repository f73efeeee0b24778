// Owns the check of united lists, which stand for all words with one beginning: each must hold the members of these words
// and no others. Rows come in the order of their keys, so that a union stands before its words.
// Does not own the reading of lists (`sqlite-verify-lists.ts`).

import { BITMAP_WORDS, type Field } from '../file-layout.ts';
import { eachMember, type Members } from '../read/doc-id-bitmap.ts';
import type { CheckContext } from './verify-resources.ts';

/** Members by chunk. */
type Places = Map<number, Uint32Array>;

interface Union {
  prefix: string;
  stored: Places;
  collected: Places;
}

/** Bits of a chunk, with room for any member that a damaged list may name. */
const WORDS = 65_536 / 32;

export function createUnionChecker({ findings }: CheckContext, field: Field) {
  const open: Union[] = [];
  const spare: Uint32Array[] = [];

  const put = (places: Places, chunk: number, members: Members) => {
    let bits = places.get(chunk);
    if (bits === undefined) {
      bits = spare.pop() ?? new Uint32Array(WORDS);
      places.set(chunk, bits);
    }
    if (members instanceof Uint32Array) {
      for (let index = 0; index < members.length; index++) (bits[index] as number) |= members[index] as number;
    } else {
      const into = bits;
      eachMember(members, (member) => {
        (into[member >>> 5] as number) |= 1 << (member & 31);
      });
    }
  };
  const release = (places: Places) => {
    for (const bits of places.values()) spare.push(bits.fill(0));
    places.clear();
  };

  const close = () => {
    const { prefix, stored, collected } = open.pop() as Union;
    if (!same(stored, collected)) {
      findings.add('index', `${field.type}, field ${field.name}: the united list "${prefix}" is not that of its words`);
    }
    const parent = open.at(-1);
    if (parent) for (const [chunk, bits] of collected) put(parent.collected, chunk, bits);
    release(stored);
    release(collected);
  };

  return {
    /** Call it before each row: ends the unions that the row is no part of. */
    before(key: string): void {
      while (open.length > 0 && !key.startsWith((open.at(-1) as Union).prefix)) close();
    },
    /** Begins the union of a beginning of words. */
    open(prefix: string) {
      const union: Union = { prefix, stored: new Map(), collected: new Map() };
      open.push(union);
      return { expect: (chunk: number, members: Members) => put(union.stored, chunk, members) };
    },
    /** Members of a word. */
    add(chunk: number, members: Members): void {
      const union = open.at(-1);
      if (union) put(union.collected, chunk, members);
    },
    end(): void {
      while (open.length > 0) close();
    },
  };
}

function same(stored: Places, collected: Places): boolean {
  if (stored.size !== collected.size) return false;
  for (const [chunk, bits] of stored) {
    const others = collected.get(chunk);
    if (others === undefined) return false;
    for (let index = 0; index < BITMAP_WORDS; index++) if (bits[index] !== others[index]) return false;
  }
  return true;
}
