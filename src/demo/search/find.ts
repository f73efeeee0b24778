// Finds people and structures by criteria. A place in the criteria is compared with a person's own addresses and with the structures where
// the person works. People with exactly the searched family name come first.

import type { Directory, Request, SearchPage, SearchParameters } from '#demo/directory.ts';
import { type Person, type Place, personOf, type Structure, structureOf } from './records.ts';
import { folded } from './text.ts';
import { type Criterion, isPlace, queryOf, type Search } from './words.ts';

const PAGE_SIZE = 10;
/** Maximum length of a list that is sorted here: the largest page of the directory. A longer list keeps the order of the directory. */
const MOST_RANKED = 200;
/** Maximum number of professions to which the page offers to restrict the result. */
const PROFESSIONS = 6;
/** Search parameters that add the roles of each person to the result, and the structures of these roles. */
export const WITH_PLACES = {
  _revinclude: 'PractitionerRole:practitioner',
  '_include:recurse': 'PractitionerRole:organization',
};

/** The requested page of results, as the query of the page names it. */
export interface PagePosition {
  /** Number of the first result on the page. The first result of all is 1. */
  from: number;
  /** The directory's own link to this page, if the list is too long to be sorted here. */
  link?: string | undefined;
  /** False if a list that is too long to be sorted has only people with exactly the searched family name. True if it has everybody. */
  all: boolean;
}

export interface Group {
  /** The searched family name in capitals, in all its spellings (`LE GALL · LEGALL`). Undefined if people in the group have other names. */
  family: string | undefined;
  total: number;
  people: Person[];
}

export interface Found {
  total: number | undefined;
  /** Professions of the people found by a name, the most frequent first. Empty if there is only one, or if the list is too long. */
  professions: { label: string; count: number }[];
  /** The people on this page, in groups. */
  groups: Group[];
  structures: Structure[];
  /** Parent structures, by reference. */
  parents: Record<string, Structure>;
  from: number;
  /** Queries of the next and of the previous page. */
  next: Record<string, string> | undefined;
  previous: Record<string, string> | undefined;
  /**
   * A link on a page that has only people with exactly the searched family name. If `all` is true, `query` finds everybody with a name that
   * begins with the searched text. If `all` is false, `query` leads to the people with other names, later in the same list. `total` is the
   * number of people that the link finds.
   */
  beyond: { query: Record<string, string>; total: number; all: boolean } | undefined;
  /** Notes of the directory about the search, which may suggest other searches. */
  notes: string[];
  requests: Request[];
}

/** Finds one page of results. A list of at most `most` people is sorted here. If it throws, `refusalOf` explains the error. */
export function find(directory: Directory, search: Search, position: PagePosition, most = MOST_RANKED): Promise<Found> {
  if (search.type === 'Organization') return walk(directory, search, position, {});
  return findPeople(directory, search, position, most);
}

/** Converts criteria to the parameters of a search for people or structures themselves, and not for roles. */
export function parametersOf(criteria: readonly Criterion[]): SearchParameters {
  return named(criteria, ({ key }) =>
    key === 'organization' ? '_has:PractitionerRole:practitioner:organization' : key,
  );
}

/**
 * Converts criteria to the parameters of a search for roles. A criterion about the person becomes a parameter `practitioner.…`, and one
 * about the place becomes `organization.…`.
 */
function roleParametersOf(criteria: readonly Criterion[]): SearchParameters {
  return named(criteria, (one) => {
    if (one.key === 'organization') return one.key;
    return `${one.key === 'phone' || isPlace(one) ? 'organization' : 'practitioner'}.${one.key}`;
  });
}

/** Converts criteria to search parameters. Several criteria with the same name make a parameter that is repeated. */
function named(criteria: readonly Criterion[], nameOf: (criterion: Criterion) => string): SearchParameters {
  return Object.fromEntries(
    [...Map.groupBy(criteria, nameOf)].map(([name, own]) => {
      const [value = '', ...others] = own.map((one) => one.value);
      return [name, others.length === 0 ? value : [value, ...others]];
    }),
  );
}

async function findPeople(directory: Directory, search: Search, position: PagePosition, most: number): Promise<Found> {
  const { criteria } = search;
  if (position.link !== undefined) {
    const found = walk(directory, search, position, {});
    return new URL(position.link).searchParams.has('family:exact') ? exactly(directory, search, found) : found;
  }
  // In the registers, only structures have telephone numbers. So a telephone number finds the people who work at its structure.
  const byStructure = criteria.some(({ key }) => key === 'phone');
  const _count = String(most);
  const [own, placed] = await Promise.all([
    byStructure
      ? undefined
      : directory.search('Practitioner', {
          ...parametersOf(criteria),
          // The roles show which people have a place of work. All people that a search by place finds have one.
          ...(criteria.some(isPlace) ? {} : { _revinclude: WITH_PLACES._revinclude }),
          _elements: 'name,address,qualification',
          _count,
        }),
    byStructure || criteria.some(isPlace)
      ? directory.search('PractitionerRole', { ...roleParametersOf(criteria), _elements: 'practitioner', _count })
      : undefined,
  ]);
  const lists = [own, placed].filter((list) => list !== undefined);
  if (lists.some(({ next }) => next !== undefined)) return findMany(directory, search, position);
  return ranked(directory, search, position, { own, placed });
}

interface Lists {
  own: SearchPage | undefined;
  placed: SearchPage | undefined;
}

/** Makes one page of a list that is short enough to be sorted here. */
async function ranked(directory: Directory, search: Search, { from }: PagePosition, lists: Lists): Promise<Found> {
  const names = (lists.own?.matches ?? []) as fhir3.Practitioner[];
  const isExact = exactFamily(search.criteria);
  const works = hasPlace(lists.own);
  const exact = worksFirst(
    names.filter(({ name: [name] = [] }) => isExact(name?.family ?? '')),
    works,
  );
  const atStructures = (lists.placed?.matches ?? []).map((role) =>
    (role as fhir3.PractitionerRole).practitioner?.reference?.replace('Practitioner/', ''),
  );
  const first = exact.map(({ id = '' }) => id);
  const inTown = names.filter(inNamedTown(search.criteria));
  const others = worksFirst([...inTown, ...names], works).map(({ id }) => id);
  const ids = [...new Set([...first, ...others, ...atStructures])].filter((id) => id !== undefined);
  const shown = ids.slice(from - 1, from - 1 + PAGE_SIZE);
  const page =
    shown.length > 0
      ? await directory.search('Practitioner', { _id: shown.join(','), ...WITH_PLACES, _count: String(PAGE_SIZE) })
      : undefined;
  const people = new Map(page?.matches.map((one) => [one.id, personOf(one as fhir3.Practitioner, page.included)]));
  const group = (own: string[], family: string | undefined): Group => ({
    family,
    total: own.length,
    people: own.flatMap((id) => (shown.includes(id) ? (people.get(id) ?? []) : [])),
  });
  const families = [...new Set(exact.map(({ name: [name] = [] }) => name?.family?.toUpperCase()))].join(' · ');
  const query = queryOf(search);
  const rest = group(ids.slice(first.length), undefined);
  const isBeyond = first.length > 0 && rest.total > 0 && rest.people.length === 0;
  return {
    total: ids.length,
    groups: [group(first, families), rest].filter(({ people: { length } }) => length > 0),
    structures: [],
    parents: {},
    from,
    professions: professionsOf(names, search.criteria),
    beyond: isBeyond
      ? { query: { ...query, from: String(first.length + 1) }, total: rest.total, all: false }
      : undefined,
    next: from - 1 + PAGE_SIZE < ids.length ? { ...query, from: String(from + PAGE_SIZE) } : undefined,
    previous: from > 1 ? { ...query, from: String(Math.max(1, from - PAGE_SIZE)) } : undefined,
    notes: lists.own?.notes ?? [],
    requests: [lists.own, lists.placed, page].flatMap((one) => one?.request ?? []),
  };
}

/** Makes one page of a list that is too long to sort: people with exactly the searched family name or, if there are none, all people. */
async function findMany(directory: Directory, search: Search, position: PagePosition): Promise<Found> {
  const name = search.criteria.find(({ key }) => key === 'name')?.value;
  if (name !== undefined && !position.all) {
    const forms = [name.toUpperCase(), folded(name).toUpperCase(), name];
    const own = walk(directory, search, position, { 'family:exact': [...new Set(forms)].join(',') });
    const exact = await exactly(directory, search, own);
    if (exact.groups.length > 0) return exact;
  }
  return walk(directory, search, position, {});
}

/** Completes a page of exact family names: adds how many people have a name that begins with the text, and the query for all of them. */
async function exactly(directory: Directory, search: Search, own: Promise<Found>): Promise<Found> {
  const [exact, all] = await Promise.all([
    own,
    directory.search('Practitioner', { ...parametersOf(search.criteria), _count: '0' }),
  ]);
  const family = search.criteria.find(({ key }) => key === 'name')?.value.toUpperCase();
  const groups = exact.groups.map((group) => ({ ...group, family }));
  const requests = [...exact.requests, all.request];
  const beyond = { query: { ...queryOf(search), all: '1' }, total: all.total ?? 0, all: true };
  return { ...exact, total: all.total, groups, requests, beyond };
}

/** Makes a page in the order of the directory. Its links to the next and the previous page are those of the directory. */
async function walk(
  directory: Directory,
  search: Search,
  { from, link, all }: PagePosition,
  more: SearchParameters,
): Promise<Found> {
  const { type, criteria } = search;
  const isPeople = type === 'Practitioner';
  const page = await (link === undefined
    ? directory.search(type, {
        ...parametersOf(criteria),
        ...more,
        ...(isPeople ? WITH_PLACES : { _include: 'Organization:partof' }),
        _count: String(PAGE_SIZE),
      })
    : directory.follow(link, type));
  const people = isPeople ? page.matches.map((one) => personOf(one as fhir3.Practitioner, page.included)) : [];
  const neighbour = (address: string | undefined, first: number) =>
    address === undefined
      ? undefined
      : { ...queryOf(search), ...(all && { all: '1' }), next: address, from: String(Math.max(1, first)) };
  return {
    total: page.total,
    groups: people.length > 0 ? [{ family: undefined, total: page.total ?? 0, people }] : [],
    professions: [],
    structures: isPeople ? [] : page.matches.map((one) => structureOf(one as fhir3.Organization)),
    parents: Object.fromEntries(
      [...page.included, ...page.matches].flatMap((one) =>
        one.resourceType === 'Organization' ? [[`Organization/${one.id}`, structureOf(one)]] : [],
      ),
    ),
    from,
    next: neighbour(page.next, from + PAGE_SIZE),
    previous: neighbour(page.previous, from - PAGE_SIZE),
    beyond: undefined,
    notes: page.notes,
    requests: [page.request],
  };
}

/** Makes a function that checks whether a person has a place of work: an address in the person's own record, or a role. */
function hasPlace({ included = [] }: Partial<SearchPage> = {}): (person: fhir3.Practitioner) => boolean {
  const people = new Set(included.map((role) => (role as fhir3.PractitionerRole).practitioner?.reference));
  return ({ id, address = [] }) => address.length > 0 || people.has(`Practitioner/${id}`);
}

/** Puts people without a place of work last, because the pages can show neither an address nor a telephone number for them. */
function worksFirst<Person>(people: readonly Person[], works: (person: Person) => boolean): Person[] {
  return [...people.filter(works), ...people.filter((one) => !works(one))];
}

/**
 * Makes a function that checks whether a person has an address in the town itself (`Lyon`, `Lyon 3e Arrondissement`). A town that only
 * contains the searched word (`Sainte-Foy-lès-Lyon`) is another town.
 */
function inNamedTown(criteria: readonly Criterion[]): (person: fhir3.Practitioner) => boolean {
  const town = criteria.find(({ key }) => key === 'address-city')?.value;
  if (town === undefined) return () => false;
  return ({ address = [] }) => address.some(({ city = '' }) => `${folded(city)} `.startsWith(`${folded(town)} `));
}

function professionsOf(people: readonly fhir3.Practitioner[], criteria: readonly Criterion[]): Found['professions'] {
  if (!criteria.some(({ key }) => key === 'name') || criteria.some(({ key }) => key === 'qualification')) return [];
  const found = Map.groupBy(people, (one) => personOf(one).profession);
  const counted = [...found].map(([label, own]) => ({ label, count: own.length })).filter(({ label }) => label);
  return counted.length > 1 ? counted.toSorted((one, other) => other.count - one.count).slice(0, PROFESSIONS) : [];
}

/**
 * Makes a function that checks whether a family name was searched for: it must consist of searched words that stand side by side. Accents,
 * capitals and blanks are ignored.
 */
function exactFamily(criteria: readonly Criterion[]): (family: string) => boolean {
  const words = criteria.filter(({ key }) => key === 'name').flatMap(({ value }) => folded(value).split(' '));
  const runs = new Set(
    words.flatMap((_word, at) => words.slice(at).map((_one, more) => words.slice(at, at + more + 1).join(''))),
  );
  return (family) => runs.has(folded(family).replaceAll(' ', ''));
}

/** Puts the places of work that match the criteria first. `matched` is the number of places that match. */
export function matchedPlaces(person: Person, criteria: readonly Criterion[]): { places: Place[]; matched: number } {
  const wanted = criteria.filter((one) => isPlace(one) || one.key === 'organization');
  const matches = ({ structure, address }: Place) =>
    wanted.every(({ key, value }) => {
      if (key === 'organization') return structure?.id === value.replace('Organization/', '');
      const addresses = structure?.addresses ?? (address ? [address] : []);
      return addresses.some((one) => {
        if (key === 'address-postalcode') return value.split(',').some((code) => one.postalCode.startsWith(code));
        const words = folded(key === 'address' ? one.text : one.city).split(' ');
        return folded(value)
          .split(' ')
          .every((word) => words.some((begun) => begun.startsWith(word)));
      });
    });
  if (wanted.length === 0) return { places: person.places, matched: 0 };
  const { true: yes = [], false: no = [] } = Object.groupBy(person.places, (place) => String(matches(place)));
  return { places: [...yes, ...no], matched: yes.length };
}
