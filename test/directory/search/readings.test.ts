// fhir-stu3 Search and STU3 search 3.1.1.5.2, 3.1.1.5.6 and 3.1.1.5.7 on the shipped edition: modifiers, labels, contacts, chains and orders
// give what a reading of every resource gives. The readings know nothing of indexes.

import { beforeAll, describe, expect, it } from '@jest/globals';
import { TABLES } from '#directory/resources/resource-types.ts';
import { createSearchParser } from '#directory/search/parse-search.ts';
import type { ResourceType } from '#search-index/snapshot.ts';
import { tokenize } from '#search-index/tokenizer.ts';
import { idsOf, linksOf, type Page, pagesFrom } from '#support/directory/reading.ts';
import { startDirectory } from '#support/directory/service.ts';
import { openedForAll } from '#support/opened.ts';
import { someOf } from '#support/seed.ts';
import { NAMESPACE, openShippedSnapshot } from '#support/shipped-snapshot.ts';

interface Concept {
  coding?: { system?: string; code?: string; display?: string }[];
  text?: string;
}
/** What the readings look at, of any type. */
interface Resource {
  id: string;
  name?: string | { family?: string; given?: string[] }[];
  alias?: string[];
  address?: { line?: string[]; city?: string; postalCode?: string }[];
  telecom?: { system: string; value: string; extension?: { valueCoding?: { code: string } }[] }[];
  identifier?: { system?: string; value?: string }[];
  qualification?: { code: Concept }[];
  type?: Concept[];
  code?: Concept[];
  specialty?: Concept[];
  practitioner?: { reference: string };
  organization?: { reference: string };
  partOf?: { reference: string };
}
type Query = Record<string, string>;
type Case = readonly [type: ResourceType, query: Query, reading: (resource: Resource) => unknown];
type Texts = (resource: Resource) => readonly (string | undefined)[];
type Concepts = (resource: Resource) => readonly Concept[] | undefined;

const codings = (concepts: readonly Concept[] = []) => concepts.flatMap(({ coding = [] }) => coding);
const codes = (concepts: readonly Concept[] = []) => codings(concepts).map(({ code }) => code);
const labels = (concepts: readonly Concept[] = []) =>
  [...codings(concepts).map(({ display }) => display), ...concepts.map(({ text }) => text)].filter(
    (label) => label !== undefined,
  );
const qualifications: Concepts = ({ qualification = [] }) => qualification.map(({ code }) => code);
const namesOf = ({ name }: Resource) => (Array.isArray(name) ? name : []);
const families: Texts = (one) => namesOf(one).map(({ family }) => family);
const given: Texts = (one) => namesOf(one).flatMap((name) => name.given ?? []);
const lines: Texts = ({ address = [] }) =>
  address.flatMap(({ line = [], city, postalCode }) => [...line, city, postalCode]);
const cities: Texts = ({ address = [] }) => address.map(({ city }) => city);
const hasContact = (key: string, value?: string) => (one: Resource) =>
  (one.telecom ?? []).some(({ system, value: held, extension = [] }) => {
    const secure = extension.some(({ valueCoding }) => valueCoding?.code === 'MSSANTE');
    return (key === 'mss' ? secure : key === system) && (value === undefined || value === held);
  });
const words = (text = '') => tokenize(text).join(' ');

/** Literal `, | $ \` with their escapes. */
const literal = (text: string) => text.replaceAll(/[,|$\\]/g, '\\$&');
const texts = (list: readonly (string | undefined)[]) => [...new Set(list)].filter((text) => text !== undefined);

describe('the shipped edition, against a reading of every resource', () => {
  const snapshot = openedForAll(openShippedSnapshot);
  const directory = openedForAll(() => startDirectory(snapshot, { namespace: NAMESPACE }));
  /** In alphabetical order. */
  const all = {} as Record<ResourceType, Resource[]>;
  const positions = new Map<string, number>();
  beforeAll(async () => {
    for (const [type, limit] of Object.entries(await snapshot.counts()) as [ResourceType, number][]) {
      const { matches } = await snapshot.search({ type, clauses: [], limit, total: false });
      all[type] = matches.map(({ json }) => JSON.parse(json) as Resource);
      for (const { id, position } of matches) positions.set(`${type}/${id}`, position);
    }
  });

  const PARSERS = new Map(
    TABLES.map((table) => [table.type, createSearchParser(table, { base: 'https://d.example', namespace: NAMESPACE })]),
  );

  function found(type: ResourceType, query: Query) {
    const parsed = PARSERS.get(type)?.(new URLSearchParams(query).toString(), { lenient: false });
    const { clauses = [], exactly = [], order } = parsed ?? {};
    return snapshot.search({ type, clauses, exactly, ...(order && { order }), limit: all[type].length, total: true });
  }

  async function expectFound([type, query, reading]: Case): Promise<number> {
    const { matches, total } = await found(type, query);
    const expected = sorted(all[type].filter(reading), query['_sort']);
    const ids = matches.map(({ id }) => id);
    expect({ type, query, ids, total }).toEqual({ type, query, ids: expected, total: expected.length });
    return total ?? 0;
  }

  /** What a reader would sort by; undefined where there is nothing. */
  const ORDERS: Readonly<Record<string, (resource: Resource) => string | number | undefined>> = {
    _id: ({ id }) => id,
    name: ({ id }) => positions.get(`Practitioner/${id}`),
    given: (one) => words(namesOf(one)[0]?.given?.join(' ')) || undefined,
    'address-city': (one) => words(cities(one).find((city) => words(city))) || undefined,
    practitioner: ({ practitioner }) => positions.get(practitioner?.reference ?? ''),
    organization: ({ organization }) => positions.get(organization?.reference ?? ''),
  };

  function sorted(resources: readonly Resource[], sort = ''): string[] {
    const read = ORDERS[sort.replace(/^-/, '')] ?? (() => 0);
    const rows = resources.map((one) => ({ id: one.id, value: read(one) }));
    const up = rows.toSorted(({ value: a }, { value: b }) => {
      if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
      return a === b ? 0 : a < b ? -1 : 1;
    });
    return (sort.startsWith('-') ? up.reverse() : up).map(({ id }) => id);
  }

  const exactly = (type: ResourceType, parameter: string, read: Texts, every: number): Case[] =>
    someOf(texts(all[type].flatMap(read)), every).map((text) => [
      type,
      { [`${parameter}:exact`]: literal(text) },
      (one) => read(one).includes(text),
    ]);
  const labelled = (type: ResourceType, parameter: string, read: Concepts): Case[] =>
    someOf(texts(all[type].flatMap((one) => labels(read(one)))), 4).map((label) => [
      type,
      { [parameter]: literal(label.toUpperCase()) },
      (one) => labels(read(one)).some((own) => words(own) === words(label)),
    ]);
  const contacts = (type: ResourceType): Case[] => [
    [type, { 'email:missing': 'false' }, hasContact('email')],
    [type, { 'phone:missing': 'true' }, (one) => !hasContact('phone')(one)],
    [type, { 'mailbox-mss:missing': 'false' }, hasContact('mss')],
    [type, { telecom: 'fax|' }, hasContact('fax')],
    ...someOf(
      all[type].flatMap(({ telecom = [] }) => telecom),
      300,
    ).flatMap(({ system, value }): Case[] => [
      [type, { telecom: `${system}|${value}` }, hasContact(system, value)],
      [type, { email: value }, hasContact('email', value)],
      [type, { phone: value }, hasContact('phone', value)],
      [type, { 'mailbox-mss': value }, hasContact('mss', value)],
    ]),
  ];

  /** What chains of a role find, both ways. */
  const chained = ({ practitioner, organization, specialty }: Resource): Case[] => {
    const [person, place] = [practitioner?.reference ?? '', organization?.reference ?? ''];
    const ofPerson = (role: Resource) => role.practitioner?.reference === person;
    const atPlace = (role: Resource) => role.organization?.reference === place;
    const linked = (type: string, key: 'practitioner' | 'organization') => (fits: (role: Resource) => boolean) => {
      const found = new Set(all.PractitionerRole.filter(fits).map((role) => role[key]?.reference));
      return ({ id }: Resource) => found.has(`${type}/${id}`);
    };
    const [people, places] = [linked('Practitioner', 'practitioner'), linked('Organization', 'organization')];
    const [, id = ''] = person.split('/');
    return [
      ['Organization', { '_has:PractitionerRole:organization:practitioner': id }, places(ofPerson)],
      ['PractitionerRole', { 'practitioner.identifier': id }, ofPerson],
      ['Practitioner', { '_has:PractitionerRole:practitioner:organization': place }, people(atPlace)],
      ['PractitionerRole', { 'organization._id': place.split('/')[1] ?? '' }, atPlace],
      [
        'PractitionerRole',
        { 'practitioner._id': id, 'organization._id': place.split('/')[1] ?? '' },
        (role) => ofPerson(role) && atPlace(role),
      ],
      ...texts(codes(specialty)).flatMap((code): Case[] => {
        const has = (role: Resource) => codes(role.specialty).includes(code);
        return [
          ['Practitioner', { '_has:PractitionerRole:practitioner:specialty': code }, people(has)],
          ['Organization', { '_has:PractitionerRole:organization:specialty': code }, places(has)],
        ];
      }),
    ];
  };

  const MISSING: readonly Case[] = [
    ['Practitioner', { 'address:missing': 'true' }, ({ address }) => !address],
    ['Practitioner', { 'address-city:missing': 'false' }, (one) => cities(one).some(Boolean)],
    ['Practitioner', { 'telecom:missing': 'false' }, ({ telecom }) => telecom],
    ['Practitioner', { 'telecom:missing': 'true', 'address:missing': 'true' }, (one) => !one.telecom && !one.address],
    ['Practitioner', { 'identifier:missing': 'false' }, ({ identifier }) => identifier],
    ['Practitioner', { 'qualification:missing': 'true' }, ({ qualification }) => !qualification],
    ['Organization', { 'partof:missing': 'true' }, ({ partOf }) => !partOf],
    ['Organization', { 'type:missing': 'false' }, ({ type }) => type],
    ['PractitionerRole', { 'organization:missing': 'false' }, ({ organization }) => organization],
    ['PractitionerRole', { 'specialty:missing': 'true' }, ({ specialty }) => !specialty],
    ['PractitionerRole', { 'role:missing': 'false', 'specialty:missing': 'false' }, (one) => one.code && one.specialty],
  ];

  it.each<[what: string, most: number, cases: () => readonly Case[]]>([
    ['what is missing', 4000, () => MISSING],
    ['contacts', 200, () => [...contacts('Practitioner'), ...contacts('Organization')]],
    [
      'codes and labels',
      2000,
      () => [
        ...texts(all.Practitioner.flatMap((one) => codes(qualifications(one))))
          .slice(0, 3)
          .map((code): Case => {
            return ['Practitioner', { 'qualification:not': code }, (one) => !codes(qualifications(one)).includes(code)];
          }),
        ...someOf(all.Organization, 400).map(({ type }): Case => {
          const [code = 'none'] = codes(type);
          return ['Organization', { 'type:not': code }, (one) => !codes(one.type).includes(code)];
        }),
        ...labelled('PractitionerRole', 'role', ({ code }) => code),
        ...labelled('PractitionerRole', 'specialty', ({ specialty }) => specialty),
        ...labelled('Organization', 'type', ({ type }) => type),
        ...someOf(texts(all.Practitioner.flatMap((one) => labels(qualifications(one)))), 160).map((label): Case => {
          const start = words(label).slice(0, 9);
          const begins = (own: string) => words(own).startsWith(words(start));
          return ['Practitioner', { 'qualification:text': start }, (one) => labels(qualifications(one)).some(begins)];
        }),
      ],
    ],
    [
      'texts letter for letter',
      50,
      () => [
        ...exactly('Practitioner', 'family', families, 500),
        ...exactly('Practitioner', 'name', (one) => [...families(one), ...given(one)], 500),
        ...exactly('Practitioner', 'given', given, 100),
        ...exactly('Practitioner', 'address', lines, 1000),
        ...exactly('Organization', 'name', ({ name, alias = [] }) => [name as string | undefined, ...alias], 400),
        ...exactly('Organization', 'address-city', cities, 400),
      ],
    ],
    [
      'chains of roles',
      1000,
      () =>
        someOf(
          all.PractitionerRole.filter(({ organization }) => organization),
          200,
        ).flatMap(chained),
    ],
    [
      'orders',
      4000,
      () =>
        [
          ['Practitioner', 'name'] as const,
          ['Practitioner', 'given'] as const,
          ['PractitionerRole', '_id'] as const,
          ['Organization', 'address-city'] as const,
          ['PractitionerRole', 'organization'] as const,
        ].flatMap(([type, field]): Case[] => ['', '-'].map((way) => [type, { _sort: way + field }, () => true])),
    ],
  ])('%s: what is found is what the resources say', async (_what, most, cases) => {
    let found = 0;
    for (const one of cases()) found += await expectFound(one);
    expect(found).toBeGreaterThan(most);
  });

  it.each<[ResourceType, sort: string, Query]>([
    ['Practitioner', 'address-city', { address: 'lyon', _count: '30' }],
    ['Practitioner', '-address-city', { 'address:missing': 'true', name: 'ma', _count: '200' }],
    ['Organization', 'address-city', { 'mailbox-mss:missing': 'false', _count: '3' }],
    ['PractitionerRole', 'practitioner', { specialty: 'SM54', _count: '9' }],
    ['PractitionerRole', '-organization', { 'practitioner.name': 'ma', 'organization.type': '620', _count: '5' }],
    ['Practitioner', '-address-city', { '_has:PractitionerRole:practitioner:role': 'FON-01', name: 'ma', _count: '5' }],
  ])('pages of %s in the order %s, forth and back, among %j', async (type, _sort, { _count = '', ...criteria }) => {
    const those = new Set((await found(type, criteria)).matches.map(({ id }) => id));
    const client = directory.client();
    const first = await client.search({ resourceType: type, searchParams: { ...criteria, _count, _sort } });
    const pages = await pagesFrom(client, first);
    const ids = pages.map((page) => idsOf(page));
    expect(ids.flat()).toEqual(
      sorted(
        all[type].filter(({ id }) => those.has(id)),
        _sort,
      ),
    );
    const again = await pagesFrom(client, pages.at(-1) as Page, 'prevPage');
    expect(again.map((page) => idsOf(page))).toEqual(ids.toReversed());
  });

  it.each<[ResourceType, sort: string]>([
    ['Practitioner', 'given'],
    ['Practitioner', '-address-city'],
    ['PractitionerRole', 'practitioner'],
  ])('SEC-44 a position that somebody writes into a link fails nothing: %s by %s', async (type, _sort) => {
    const bundle = await directory.client().search({ resourceType: type, searchParams: { _sort, _count: '3' } });
    const next = new URL(linksOf(bundle)['next'] ?? '');
    const page = Buffer.from(next.searchParams.get('_page') ?? '', 'base64url').toString();
    for (const edge of ['>65536', '<65536', '>4294967296', '<999999999999999']) {
      next.searchParams.set('_page', Buffer.from(page.replace(/>\d+/, edge)).toString('base64url'));
      const address = next.href.replace(directory.base, directory.address);
      const answer = await fetch(address, { headers: { authorization: 'Bearer both' } });
      expect([edge, answer.status]).toEqual([edge, 200]);
    }
    expect(directory.logged).toEqual([]);
  });
});
