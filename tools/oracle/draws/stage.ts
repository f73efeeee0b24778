// What draws of searches read: the edition, its links, a seeded draw.

import type { Draw } from '#support/draw.ts';
import type { Edition, Entry, Type } from '../edition/entry.ts';
import type { Labels } from '../rules/labels.ts';

export interface Stage {
  edition: Edition;
  labels: Labels;
  draw: Draw;
  /** The beginning of the systems of the service's own identifiers. */
  own: string;
  /** The entries of a type whose reference leads to an id; undefined if there are none. */
  referring(type: Type, reference: string, id: string): readonly Entry[] | undefined;
  /** The draws of values that give criteria of the same parameter. */
  kindsOf(name: string): readonly string[];
}

const KIND_OF: Readonly<Record<string, string>> = {
  'address-city': 'city',
  'address-postalcode': 'postalCode',
  _id: 'id',
  'part-of': 'partof',
  telecom: 'contact',
  email: 'contact',
  phone: 'contact',
  'mailbox-mss': 'contact',
};

export function createStage(parts: Pick<Stage, 'edition' | 'labels' | 'draw' | 'own'>): Stage {
  const { entries } = parts.edition;
  const links = new Map<string, Map<string, Entry[]>>();
  return {
    ...parts,
    referring(type, reference, id) {
      const key = `${type} ${reference}`;
      const known = links.get(key) ?? Map.groupBy(entries[type], ({ references }) => references[reference] ?? '');
      links.set(key, known);
      return known.get(id);
    },
    kindsOf: (name) => {
      const [bare = ''] = name.split(':');
      return [KIND_OF[bare] ?? bare];
    },
  };
}

export const anyOf = ({ edition, draw }: Stage, type: Type): Entry => draw.one(edition.entries[type]);

/** The entry of a type that a reference of another leads to. */
export function linkedOf({ edition }: Stage, entry: Entry, reference: string, type: Type): Entry | undefined {
  return edition.entries[type][edition.numbers[type].get(entry.references[reference] ?? '') ?? -1];
}
