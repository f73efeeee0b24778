// The orders of a type: alphabetical, by the first town or given name, by the person or the structure of a role, by distance.

import type { Edition, Entry, Type } from '../edition/entry.ts';
import { metresApart } from '../edition/projections.ts';
import { type Circle, type Criteria, circleOf } from './evaluate.ts';
import { words } from './words.ts';

/** The numbers of marked entries of a type in an order. */
export type Orders = (type: Type, sort: string | undefined, criteria: Criteria, marks: Uint8Array) => Uint32Array;

const ALPHABETICAL = ['name', 'family', 'family,given', '_id', '_lastUpdated'];
/** Words by which an order goes. */
const MOST_WORDS = 8;

export function createOrders({ entries }: Edition): Orders {
  const known = new Map<string, Uint32Array>();
  const compare = (a: string | number, b: string | number) => (a < b ? -1 : Number(a > b));

  function once(key: string, make: () => Uint32Array): Uint32Array {
    const found = known.get(key) ?? make();
    known.set(key, found);
    return found;
  }

  function alphabetical(type: Type): Uint32Array {
    return once(type, () => {
      const all = entries[type];
      const sorted = Array.from(all.keys()).sort((one, other) => {
        const [a, b] = [all[one] as Entry, all[other] as Entry];
        return compare(a.alphabet, b.alphabet) || compare(a.id, b.id);
      });
      return Uint32Array.from(sorted);
    });
  }

  /** By a value, and alphabetically where it is the same; what has no value comes last. */
  function byValue(
    type: Type,
    value: (entry: Entry) => string | number | undefined,
    some = alphabetical(type),
  ): Uint32Array {
    const values = new Map(Array.from(some, (number) => [number, value(entries[type][number] as Entry)]));
    const sorted = Array.from(some).sort((one, other) => {
      const [a, b] = [values.get(one), values.get(other)];
      return a === undefined || b === undefined ? Number(a === undefined) - Number(b === undefined) : compare(a, b);
    });
    return Uint32Array.from(sorted);
  }

  const firstWords = (texts: readonly string[]) =>
    texts.map((text) => words(text).slice(0, MOST_WORDS).join(' ')).find((text) => text !== '');
  const ranks = (type: Type) => {
    const ranked = new Map<string, number>();
    for (const [rank, number] of alphabetical(type).entries()) ranked.set(entries[type][number]?.id ?? '', rank);
    return ranked;
  };

  function byField(type: Type, name: string): Uint32Array {
    return once(`${type} ${name}`, () => {
      if (name === 'given') return byValue(type, ({ given }) => firstWords([given]));
      if (name === 'address-city')
        return byValue(type, ({ addresses }) => firstWords(addresses.map(({ city }) => city)));
      const ranked = ranks(name === 'practitioner' ? 'Practitioner' : 'Organization');
      return byValue(type, ({ references }) => ranked.get(references[name] ?? ''));
    });
  }

  function byDistance(type: Type, { centre }: Circle, some: Uint32Array): Uint32Array {
    return byValue(type, ({ place }) => place && Math.round(metresApart(place, centre) * 1000), some);
  }

  return (type, sort = '', criteria, marks) => {
    const name = sort.replaceAll(/(^|,)-/g, '$1');
    const circle = criteria.find(([one]) => one === 'near')?.[1] ?? '';
    const isMarked = (number: number) => marks[number] === 1;
    const found = () => {
      if (name === 'near') return byDistance(type, circleOf(circle), alphabetical(type).filter(isMarked));
      const isPlain = name === '' || ALPHABETICAL.includes(name);
      return (isPlain ? alphabetical(type) : byField(type, name)).filter(isMarked);
    };
    return sort.startsWith('-') ? found().toReversed() : found();
  };
}
