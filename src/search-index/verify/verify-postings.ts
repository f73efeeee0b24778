// Owns the check of single posting lists: members in range and rising, as many resources as the list says; and what
// stands at a place. Does not own what the lists are of (`sqlite-verify-indexes.ts`).

import { CHUNKS_PER_LIST, type Field } from '../file-layout.ts';
import { eachMember, type Members, readMembers } from '../read/doc-id-bitmap.ts';
import type { CheckContext } from './verify-resources.ts';

export interface TermRow {
  key: string;
  owners: number;
  list: number | null;
  members: Uint8Array;
}

export interface ListChecker {
  /** Gives the members of each chunk of a list; findings where they cannot be right. */
  walk(row: TermRow, visit: (chunk: number, members: Members) => void): void;
  /** Position of the owner of each member, and which of its items it is. */
  items(chunk: number, members: Members, visit: (position: number, item: number) => void): void;
  /** Position of the resource, or of the owner of the item, at a place. */
  positionAt(place: number): number | undefined;
}

/** In which list each resource was counted last; one for all fields of a type, because it is large. */
export interface Tally {
  lists: number;
  countedIn: Uint32Array;
}

export function createListChecker({ snapshot, findings }: CheckContext, field: Field, tally: Tally): ListChecker {
  const { chunkStarts, itemOwners, fieldOf } = snapshot.types[field.type];
  const { countedIn } = tally;
  const chunkCount = Math.max(0, chunkStarts.length - 1);
  const posting = snapshot.database.prepare<[number], Uint8Array>('select members from posting where id = ?').pluck();
  const wrong = (key: string, text: string) =>
    findings.add('index', `${field.type}, field ${field.name}, list "${key.slice(0, -1)}": ${text}`);
  const chunks = Array.from({ length: chunkCount }, (_, chunk) => {
    const first = chunkStarts[chunk] as number;
    const size = (chunkStarts[chunk + 1] as number) - first;
    const others = itemOwners(fieldOf(field.name), chunk) ?? new Uint16Array(0);
    const numbers = new Uint16Array(others.length);
    others.forEach((owner, at) => {
      const before = at === 0 ? -1 : (others[at - 1] as number);
      numbers[at] = owner === before ? (numbers[at - 1] as number) + 1 : 1;
      if (owner >= size || owner < before) {
        findings.add('index', `${field.type}, field ${field.name}: items without owner in chunk ${chunk}`);
      }
    });
    return { first, size, others, numbers };
  });
  const checked = (key: string, chunk: number, members: Members): Members | undefined => {
    const known = chunks[chunk];
    if (!known) {
      wrong(key, `it names the chunk ${chunk}, of ${chunkCount}`);
      return undefined;
    }
    const end = known.size + known.others.length;
    let before = -1;
    let fault: string | undefined;
    eachMember(members, (member) => {
      if (member <= before) fault = 'its members do not rise';
      if (member >= end) fault = `it has the member ${member} in chunk ${chunk}, which has ${end}`;
      before = member;
    });
    if (fault === undefined) return members;
    wrong(key, fault);
    return undefined;
  };

  const items: ListChecker['items'] = (chunk, members, visit) => {
    const { first, size, others, numbers } = chunks[chunk] as (typeof chunks)[number];
    eachMember(members, (member) => {
      if (member < size) visit(first + member, 0);
      else visit(first + (others[member - size] as number), numbers[member - size] as number);
    });
  };

  return {
    items,
    walk(row, visit) {
      const list = ++tally.lists;
      let owners = 0;
      let before = -1;
      for (const { chunk, members } of partsOf(row, posting, (text) => wrong(row.key, text))) {
        if (chunk <= before) wrong(row.key, 'its chunks do not rise');
        before = chunk;
        const sound = checked(row.key, chunk, members);
        if (sound === undefined) continue;
        items(chunk, sound, (position) => {
          if (countedIn[position] === list) return;
          countedIn[position] = list;
          owners++;
        });
        visit(chunk, sound);
      }
      if (owners !== row.owners) wrong(row.key, `it holds ${owners} resources and says ${row.owners}`);
    },
    positionAt(place) {
      const known = chunks[place >>> 16];
      const member = place & 0xffff;
      return known && member < known.size ? known.first + member : undefined;
    },
  };
}

function* partsOf(
  { list, members }: TermRow,
  posting: { get(id: number): Uint8Array | undefined },
  wrong: (text: string) => void,
): Generator<{ chunk: number; members: Members }> {
  const numbers = new Uint16Array(new Uint8Array(members).buffer, 0, members.byteLength >>> 1);
  if (list === null) {
    for (let at = 0; at < numbers.length; ) {
      const size = numbers[at + 1] ?? 0;
      const part = numbers.subarray(at + 2, at + 2 + size);
      if (size === 0 || part.length < size) return wrong('it is cut off');
      yield { chunk: numbers[at] as number, members: part };
      at += 2 + size;
    }
    return;
  }
  for (const chunk of numbers) {
    const bytes = posting.get(list * CHUNKS_PER_LIST + chunk);
    if (bytes === undefined) wrong(`its part in chunk ${chunk} is missing`);
    else if (bytes.byteLength === 0 || bytes.byteLength % 2 !== 0) wrong(`its part in chunk ${chunk} is cut off`);
    else yield { chunk, members: readMembers(bytes) };
  }
}
