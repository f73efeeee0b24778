// fhir-stu3 Search on the shipped edition: modifiers, orders and inclusions over HTTP, compared with what a reading of every
// resource gives. The readings know nothing of indexes.

import { beforeAll, describe, expect, it } from '@jest/globals';
import type { ResourceType } from '#search-index/snapshot.ts';
import { tokenize } from '#search-index/tokenizer.ts';
import { entriesOf, idsOf, pagesFrom } from '#support/directory/reading.ts';
import { startDirectory } from '#support/directory/service.ts';
import { openedForAll } from '#support/opened.ts';
import { NAMESPACE, openShippedSnapshot } from '#support/shipped-snapshot.ts';

describe('scans and the truth', () => {
  /** Every resource of the shipped edition is read for each search. */
  const SLOW = 60_000;

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

  const all = {} as Record<ResourceType, Resource[]>;
  const snapshot = openedForAll(openShippedSnapshot);
  const directory = openedForAll(() => startDirectory(snapshot, { namespace: NAMESPACE }));

  type Query = Record<string, string>;

  /** Ids of all pages. */
  async function walk(resourceType: string, query: Query): Promise<string[]> {
    const client = directory.client();
    const searchParams = { ...query, _count: '200', _total: 'accurate' };
    const pages = await pagesFrom(client, await client.search({ resourceType, searchParams }));
    const ids = pages.flatMap((page) => idsOf(page));
    expect(pages.at(-1)?.['total']).toBe(ids.length);
    return ids;
  }

  const codings = (concepts: readonly Concept[] = []) => concepts.flatMap(({ coding = [] }) => coding);
  const labels = (concepts: readonly Concept[] = []) =>
    [...codings(concepts).map(({ display }) => display), ...concepts.map(({ text }) => text)].filter(
      (label) => label !== undefined,
    );
  const qualifications = ({ qualification = [] }: Resource) => qualification.map(({ code }) => code);
  const parts = ({ name }: Resource) =>
    Array.isArray(name) ? name.flatMap(({ family, given = [] }) => [family, ...given]) : [];
  const lines = ({ address = [] }: Resource) =>
    address.flatMap(({ line = [], city, postalCode }) => [...line, city, postalCode]);
  const hasContact = (key: string, value?: string) => (one: Resource) =>
    (one.telecom ?? []).some(({ system, value: held, extension = [] }) => {
      const secure = extension.some(({ valueCoding }) => valueCoding?.code === 'MSSANTE');
      return (key === 'mss' ? secure : key === system) && (value === undefined || value === held);
    });
  const hasLabel =
    (label: string, concepts: (resource: Resource) => readonly Concept[] | undefined) => (one: Resource) =>
      labels(concepts(one)).some((own) => tokenize(own).join(' ') === tokenize(label).join(' '));
  const families = ({ name }: Resource) => (Array.isArray(name) ? name.map(({ family }) => family) : []);

  /** Literal `, | $ \` with their escapes. */
  const literal = (text: string) => text.replaceAll(/[,|$\\]/g, '\\$&');
  const someOf = <T>(list: readonly T[], every: number) => list.filter((_, at) => at % every === 0);
  const texts = (list: readonly (string | undefined)[]) => [...new Set(list)].filter((text) => text !== undefined);

  type Case = readonly [type: ResourceType, query: Query, reading: (resource: Resource) => boolean];

  /** Made of the edition's own values, once it is there: a few of each kind, as each reads every resource. */
  function cases(): Case[] {
    const { Practitioner: people, Organization: structures } = all;
    const sentences = texts(people.flatMap((person) => labels(qualifications(person))));
    return [
      ['Practitioner', { 'address:missing': 'true' }, ({ address }) => address === undefined],
      ['Practitioner', { 'address-city:missing': 'false' }, ({ address = [] }) => address.some(({ city }) => city)],
      ['Practitioner', { 'telecom:missing': 'false' }, ({ telecom }) => telecom !== undefined],
      ['Practitioner', { 'telecom:missing': 'true', 'address:missing': 'true' }, (r) => !r.telecom && !r.address],
      ['Practitioner', { 'identifier:missing': 'false' }, ({ identifier }) => identifier !== undefined],
      ['Practitioner', { 'qualification:missing': 'true' }, ({ qualification }) => qualification === undefined],
      ['Organization', { 'partof:missing': 'true' }, ({ partOf }) => partOf === undefined],
      ['Organization', { 'type:missing': 'false' }, ({ type }) => type !== undefined],
      ['PractitionerRole', { 'organization:missing': 'false' }, ({ organization }) => organization !== undefined],
      ['PractitionerRole', { 'specialty:missing': 'true' }, ({ specialty }) => specialty === undefined],
      ['PractitionerRole', { 'role:missing': 'false', 'specialty:missing': 'false' }, (r) => !!r.code && !!r.specialty],
      ...texts(people.flatMap((person) => codings(qualifications(person)).map(({ code }) => code)))
        .slice(0, 3)
        .map((code): Case => {
          const has = (person: Resource) => codings(qualifications(person)).some((coding) => coding.code === code);
          return ['Practitioner', { 'qualification:not': code }, (person) => !has(person)];
        }),
      ...(['Practitioner', 'Organization'] as const).flatMap((type): Case[] => [
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
      ]),
      ...ofLabels('PractitionerRole', 'role', ({ code }) => code),
      ...ofLabels('PractitionerRole', 'specialty', ({ specialty }) => specialty),
      ...ofLabels('Organization', 'type', ({ type }) => type),
      ...someOf(sentences, 160).map((label): Case => {
        const start = tokenize(label).join(' ').slice(0, 9);
        const begins = (one: string) => tokenize(one).join(' ').startsWith(tokenize(start).join(' '));
        return [
          'Practitioner',
          { 'qualification:text': start },
          (person) => labels(qualifications(person)).some(begins),
        ];
      }),
      ...someOf(people, 1000).flatMap((person): Case[] =>
        texts([...families(person), families(person)[0]?.toLowerCase()]).flatMap((text): Case[] => [
          ['Practitioner', { 'family:exact': literal(text) }, (one) => families(one).includes(text)],
          ['Practitioner', { 'name:exact': literal(text) }, (one) => parts(one).includes(text)],
        ]),
      ),
      ...someOf(people, 1000).flatMap((person): Case[] =>
        texts([parts(person)[1], lines(person)[0]]).flatMap((text): Case[] => [
          ['Practitioner', { 'given:exact': literal(text) }, (one) => parts(one).slice(1).includes(text)],
          ['Practitioner', { 'address:exact': literal(text) }, (one) => lines(one).includes(text)],
        ]),
      ),
      ...someOf(
        structures.filter(({ name }) => name !== undefined),
        400,
      ).flatMap(({ name = '', address = [], type }): Case[] => [
        [
          'Organization',
          { 'name:exact': literal(String(name)) },
          (one) => [one.name, ...(one.alias ?? [])].includes(name),
        ],
        [
          'Organization',
          { 'address-city:exact': literal(address[0]?.city ?? 'PARIS') },
          (one) => one.address?.some(({ city }) => city === (address[0]?.city ?? 'PARIS')) ?? false,
        ],
        [
          'Organization',
          { 'type:not': codings(type)[0]?.code ?? 'none' },
          (one) => !codings(one.type).some(({ code }) => code === (codings(type)[0]?.code ?? 'none')),
        ],
      ]),
    ];
  }

  function ofLabels(
    type: ResourceType,
    name: string,
    concepts: (one: Resource) => readonly Concept[] | undefined,
  ): Case[] {
    return someOf(texts(all[type].flatMap((one) => labels(concepts(one)))), 4).map((label) => [
      type,
      { [name]: literal(label.toUpperCase()) },
      hasLabel(label, concepts),
    ]);
  }

  describe('fhir-stu3 Search on the shipped edition, against a reading of every resource', () => {
    beforeAll(async () => {
      for (const [type, count] of Object.entries(await snapshot.counts()) as [ResourceType, number][])
        all[type] = (await snapshot.scan(type, { from: 0, to: count }))
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line) as Resource);
    });

    it(
      'modifiers find exactly what the resources say',
      async () => {
        let found = 0;
        for (const [type, query, reading] of cases()) {
          const expected = all[type].filter(reading).map(({ id }) => id);
          const ids = await walk(type, query);
          expect({ type, query, ids: ids.toSorted() }).toEqual({ type, query, ids: expected.toSorted() });
          found += ids.length;
        }
        expect(found).toBeGreaterThan(1000);
      },
      SLOW,
    );

    it.each<[ResourceType, string]>([
      ['Practitioner', 'name'],
      ['Organization', 'name'],
      ['PractitionerRole', '_id'],
    ])('%s sorted by %s, and turned round', async (type, name) => {
      const up = await walk(type, { _sort: name });
      expect(up).toHaveLength(all[type].length);
      expect(await walk(type, { _sort: `-${name}` })).toEqual(up.toReversed());
      if (name === '_id') expect(up).toEqual(up.toSorted());
    });

    it('a person with all roles and structures in one call', async () => {
      const client = directory.client();
      for (const { id } of someOf(all.Practitioner, 100)) {
        const bundle = await client.search({
          resourceType: 'Practitioner',
          searchParams: {
            _id: id,
            _revinclude: 'PractitionerRole:practitioner',
            '_include:recurse': 'PractitionerRole:organization',
          },
        });
        const roles = all.PractitionerRole.filter(
          ({ practitioner }) => practitioner?.reference === `Practitioner/${id}`,
        );
        const there = new Set(all.Organization.map((one) => `Organization/${one.id}`));
        const structures = texts(roles.map(({ organization }) => organization?.reference)).filter((one) =>
          there.has(one),
        );
        const expected = [...roles.map((role) => `PractitionerRole/${role.id}`), ...structures];
        const included = entriesOf(bundle).filter(({ search }) => search.mode === 'include');
        const keys = included.map(({ resource }) => `${resource.resourceType}/${resource.id}`);
        expect(keys.toSorted()).toEqual(expected.toSorted());
      }
    });
  });
});
