// The classes of searches over linked resources: each class with words of single resources, and the worst pairs with the commonest of all.

import type { ResourceType } from '#search-index/snapshot.ts';
import type { Draw } from '#support/draw.ts';
import type { Query, QueryClass, Sources } from './query-classes.ts';
import { commonest, type Sampled } from './sample.ts';

type Criteria = Record<string, string>;

const role = (criteria: Criteria) => search('PractitionerRole', criteria);

function search(type: ResourceType, criteria: Criteria): Query {
  // Whoever was drawn may work nowhere.
  return { type, search: new URLSearchParams(criteria).toString(), certain: false };
}

export function chainClasses({ people, structures, roles }: Sources): QueryClass[] {
  const words = ({ name }: Sampled) => name.filter((word) => word.length >= 2);
  const named = people.filter((one) => words(one).length > 0);
  const signs = structures.filter((one) => words(one).length > 0);
  const children = structures.filter(({ partOf }) => partOf !== undefined);
  const practising = roles.filter(({ qualifications }) => qualifications.length > 0);
  if ([named, signs, children, practising].some(({ length }) => length === 0)) return [];
  const places = structures.flatMap(({ addresses }) => addresses.map((address) => address.at(-1) ?? 'paris'));
  const common = {
    names: commonest(named.flatMap(words), 20),
    signs: commonest(signs.flatMap(words), 20),
    places: commonest(places, 20),
    specialties: commonest(
      practising.flatMap(({ qualifications }) => qualifications),
      10,
    ),
  };
  const word = (draw: Draw, some: readonly Sampled[]) => draw.prefix(draw.one(words(draw.one(some))));
  /** With an alternative that finds nothing, so that nothing of an earlier search is remembered. */
  const anew = (draw: Draw, some: readonly string[]) => `${draw.one(some)},none${draw.between(1, 1e9)}`;
  const token = (text: string) => text.slice(text.lastIndexOf('|') + 1);
  const ofStaff = '_has:PractitionerRole:organization';
  const ofPerson = '_has:PractitionerRole:practitioner';
  const parent = (draw: Draw) => draw.one(children).partOf ?? '';
  return [
    {
      name: 'chain: practitioner.identifier',
      query: (draw) => role({ 'practitioner.identifier': token(draw.one(draw.one(people).identifiers)) }),
    },
    { name: 'chain: practitioner.name', query: (draw) => role({ 'practitioner.name': word(draw, named) }) },
    {
      name: 'chain: practitioner.name + organization.name',
      query: (draw) => role({ 'practitioner.name': word(draw, named), 'organization.name': word(draw, signs) }),
    },
    {
      name: 'chain: the commonest names, signs and towns together',
      query: (draw) =>
        role({
          'practitioner.name': anew(draw, common.names),
          'organization.name': anew(draw, common.signs),
          'organization.address': anew(draw, common.places),
        }),
    },
    { name: 'chain: partof.name', query: (draw) => search('Organization', { 'partof.name': word(draw, signs) }) },
    {
      name: 'chain: people with a speciality',
      query: (draw) =>
        search('Practitioner', {
          [`${ofPerson}:specialty`]: anew(draw, common.specialties),
          'address-city': draw.one(common.places),
        }),
    },
    {
      name: 'chain: people of a structure',
      query: (draw) => search('Practitioner', { [`${ofPerson}:organization`]: parent(draw) }),
    },
    {
      name: 'chain: structures with two specialities',
      query(draw) {
        return search('Organization', {
          [`${ofStaff}:specialty`]: anew(draw, common.specialties),
          [`${ofStaff}:specialty:not`]: anew(draw, common.specialties),
          address: draw.one(common.places),
        });
      },
    },
  ];
}
