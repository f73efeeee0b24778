// The classes of queries that are measured, one row each, as clients send them.

import type { ResourceType } from '#search-index/snapshot.ts';
import type { Draw } from '#support/draw.ts';
import { commonest, type Sampled } from './sample.ts';

export interface Query {
  type: ResourceType;
  /** The query of the address, without the `?`. */
  search: string;
  /** All criteria are those of one resource: it must be found. */
  certain: boolean;
  /** The place in the alphabetical order at which the page begins, from 0 to 1. */
  depth?: number;
}

export interface Sources {
  people: readonly Sampled[];
  structures: readonly Sampled[];
  roles: readonly Sampled[];
}

export interface QueryClass {
  name: string;
  query(draw: Draw): Query;
}

type Criteria = Record<string, string>;

const person = (criteria: Criteria, certain = true): Query => ({
  type: 'Practitioner',
  search: text(criteria),
  certain,
});
const structure = (criteria: Criteria): Query => ({ type: 'Organization', search: text(criteria), certain: true });
const text = (criteria: Criteria) => new URLSearchParams(criteria).toString();
/** A `,` would part alternatives. */
const literal = (value: string) => value.replaceAll(/[\\,$]/g, '\\$&');

/** One in so many queries takes the commonest words of all instead of those of a person. */
const COMMON_EVERY = 5;

/** The classes that the data gives anything for. */
export function queryClasses({ people, structures }: Sources): QueryClass[] {
  const named = people.filter(({ name }) => name.some((word) => word.length >= 2));
  const placed = people.filter(({ addresses }) => addresses.some((words) => words.length >= 2));
  const long = people.flatMap(({ addresses }) => addresses).filter((words) => words.length >= 5);
  const both = placed.filter(({ name }) => name.some((word) => word.length >= 2));
  const mailed = people.filter(({ telecom }) => telecom.length > 0);
  const whole = mailed.filter((one) => both.includes(one) && one.qualifications.length > 0);
  const qualified = placed.filter(({ qualifications }) => qualifications.length > 0);
  const children = structures.filter(({ partOf }) => partOf !== undefined);
  const buildings = structures.filter(({ addresses }) => addresses.some((words) => words.length >= 2));
  const signs = structures.filter(({ name }) => name.some((word) => word.length >= 2));
  const placedOnEarth = structures.filter(({ position }) => position !== undefined);
  const commonNames = commonest(
    named.flatMap(({ name }) => name),
    30,
  );
  const commonPlaces = commonest(
    placed.flatMap(({ addresses }) => addresses.flat()),
    30,
  );

  const nameWords = ({ name }: Sampled) => name.filter((word) => word.length >= 2);
  const names = (draw: Draw, one: Sampled, count: number) =>
    draw.some(nameWords(one), count).map((word) => draw.prefix(word));
  const address = (draw: Draw, one: Sampled) => draw.one(one.addresses.filter((words) => words.length >= 2));
  const places = (draw: Draw, one: Sampled, count: number) =>
    draw.some(address(draw, one), count).map((word) => (draw.between(0, 1) ? word : draw.prefix(word)));
  const common = (draw: Draw) => draw.between(1, COMMON_EVERY) === 1;
  const joined = (words: readonly string[]) => words.join(' ');

  const byName = (count: number) => (draw: Draw) =>
    common(draw)
      ? person({ name: joined(draw.some(commonNames, count)) }, count === 1)
      : person({ name: joined(names(draw, draw.one(named), count)) });
  const byAddress = (count: number) => (draw: Draw) =>
    common(draw)
      ? person({ address: joined(draw.some(commonPlaces, count)) }, count === 1)
      : person({ address: joined(places(draw, draw.one(placed), count)) });

  const alternatives: ((draw: Draw) => Query)[] = [
    (draw) =>
      person({ name: Array.from({ length: draw.between(2, 20) }, () => names(draw, draw.one(named), 1)).join(',') }),
    (draw) =>
      person({
        address: Array.from({ length: draw.between(2, 8) }, () => joined(places(draw, draw.one(placed), 2))).join(','),
      }),
    (draw) =>
      person({
        identifier: draw
          .some(people, 40)
          .map((one) => draw.one(one.identifiers).split('|')[1])
          .join(','),
      }),
    (draw) => {
      const one = draw.one(qualified);
      const others = draw.some(qualified, 4).map(({ qualifications }) => draw.one(qualifications));
      return person({
        qualification: [draw.one(one.qualifications), ...others].map(literal).join(','),
        address: joined(places(draw, one, 1)),
      });
    },
  ];

  const classes: (QueryClass & { from: readonly unknown[] })[] = [
    { name: 'name, one word', from: named, query: byName(1) },
    { name: 'name, two words', from: named, query: byName(2) },
    { name: 'address, one word', from: placed, query: byAddress(1) },
    { name: 'address, two words', from: placed, query: byAddress(2) },
    {
      name: 'address, five to eight words',
      from: long,
      query: (draw) => person({ address: joined(draw.some(draw.one(long), draw.between(5, 8))) }),
    },
    {
      name: 'name + address',
      from: both,
      query(draw) {
        const one = draw.one(both);
        // Words of two people: the lists seldom meet, which is the hardest case.
        const strangers = draw.between(1, 3) === 1;
        const other = strangers ? draw.one(placed) : one;
        const criteria = {
          name: joined(names(draw, one, 1)),
          address: joined(places(draw, other, draw.between(1, 2))),
        };
        return person(criteria, !strangers);
      },
    },
    {
      name: 'all keys together',
      from: whole,
      query(draw) {
        const one = draw.one(whole);
        return person({
          name: joined(names(draw, one, 2)),
          identifier: draw.one(one.identifiers),
          qualification: literal(draw.one(one.qualifications)),
          address: joined(places(draw, one, 3)),
          telecom: literal(draw.one(one.telecom)),
        });
      },
    },
    {
      name: 'qualification + address',
      from: qualified,
      query(draw) {
        const one = draw.one(qualified);
        return person({
          qualification: literal(draw.one(one.qualifications)),
          address: joined(places(draw, one, draw.between(1, 2))),
        });
      },
    },
    { name: 'identifier', from: people, query: (draw) => person({ identifier: identifier(draw, draw.one(people)) }) },
    {
      name: 'telecom',
      from: mailed,
      query: (draw) => person({ telecom: literal(draw.one(draw.one(mailed).telecom)) }),
    },
    { name: 'email', from: mailed, query: (draw) => person({ email: literal(draw.one(draw.one(mailed).telecom)) }) },
    {
      name: 'mailbox-mss',
      from: mailed,
      query: (draw) => person({ 'mailbox-mss': literal(draw.one(draw.one(mailed).telecom)) }, false),
    },
    {
      name: 'name, one word, sorted by given or town',
      from: named,
      query: (draw) => bySort(draw, byName(1)(draw)),
    },
    {
      name: 'name + address, sorted by given or town',
      from: both,
      query(draw) {
        const one = draw.one(both);
        return bySort(draw, person({ name: joined(names(draw, one, 1)), address: joined(places(draw, one, 1)) }));
      },
    },
    { name: 'everybody, sorted by given or town', from: named, query: (draw) => bySort(draw, person({}, false)) },
    {
      name: 'structure: near, 1 to 1,000 km',
      from: placedOnEarth,
      query: (draw) => structure({ near: circle(draw, draw.one(placedOnEarth)) }),
    },
    {
      name: 'structure: near, sorted by distance',
      from: placedOnEarth,
      query: (draw) => ({
        ...structure({ near: circle(draw, draw.one(placedOnEarth)), _sort: 'near' }),
        certain: false,
      }),
    },
    { name: 'part-of', from: children, query: (draw) => structure({ 'part-of': draw.one(children).partOf ?? '' }) },
    {
      name: 'structure: name, one or two words',
      from: signs,
      query: (draw) => structure({ name: joined(names(draw, draw.one(signs), draw.between(1, 2))) }),
    },
    {
      name: 'structure: address, one or two words',
      from: buildings,
      query: (draw) => structure({ address: joined(places(draw, draw.one(buildings), draw.between(1, 2))) }),
    },
    {
      name: 'structure: name, two words together',
      from: signs.filter(({ name }) => name.length > 1),
      query: (draw) => {
        const words = draw.one(signs.filter(({ name }) => name.length > 1)).name;
        const at = draw.between(0, words.length - 2);
        return { ...structure({ name: words.slice(at, at + 2).join('') }), certain: false };
      },
    },
    {
      // Over HTTP, such an answer has help beside it.
      name: 'name with a wrong letter',
      from: named,
      query: (draw) => {
        const word = draw.one(nameWords(draw.one(named)));
        const at = draw.between(0, word.length - 1);
        return person({ name: `${word.slice(0, at)}q${word.slice(at + 1)}` }, false);
      },
    },
    { name: 'lists of alternatives (OR)', from: qualified, query: (draw) => draw.one(alternatives)(draw) },
    {
      name: 'deep page, name or address',
      from: both,
      query: (draw) => ({
        ...(draw.between(0, 1) ? byName(1) : byAddress(draw.between(1, 2)))(draw),
        certain: false,
        depth: draw.between(50, 950) / 1000,
      }),
    },
  ];
  return classes.filter(({ from }) => from.length > 0);
}

/** A circle around a structure. */
function circle(draw: Draw, { position }: Sampled): string {
  return `${position}|${[1, 5, 20, 100, 1000][draw.between(0, 4)]}|km`;
}

/** The query in one of the orders by a field, in which a resource that it must find may be on any page. */
function bySort(draw: Draw, query: Query): Query {
  const _sort = ['given', '-given', 'address-city', '-address-city'][draw.between(0, 3)] as string;
  return { ...query, search: [query.search, text({ _sort })].filter(Boolean).join('&'), certain: false };
}

/** Gives an identifier of the person, with or without its system. */
export function identifier(draw: Draw, one: Sampled): string {
  const token = draw.one(one.identifiers);
  return literal(draw.between(0, 1) ? token : token.slice(token.lastIndexOf('|') + 1));
}
