// STU3 search 3.1.1.5.2, `_sort` by a field, over HTTP: on the shipped edition every page is where a reading of all resources has it, forth and
// back, with criteria and without.

import { beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import type { ResourceType } from '#search-index/snapshot.ts';
import { tokenize } from '#search-index/tokenizer.ts';
import { idsOf, linksOf, type Page, pagesFrom } from '#support/directory/reading.ts';
import { startDirectory } from '#support/directory/service.ts';
import { openedForAll } from '#support/opened.ts';
import { NAMESPACE, openShippedSnapshot } from '#support/shipped-snapshot.ts';

describe('sorts', () => {
  /** Every resource of the shipped edition is read. */
  const SLOW = 60_000;

  interface Resource {
    id: string;
    name?: string | { given?: string[] }[];
    address?: { city?: string }[];
    practitioner?: { reference: string };
    organization?: { reference: string };
  }

  const snapshot = openedForAll(openShippedSnapshot);
  const directory = openedForAll(() => startDirectory(snapshot, { namespace: NAMESPACE }));
  /** In alphabetical order. */
  const all = {} as Record<ResourceType, Resource[]>;
  const positions = new Map<string, number>();

  const words = (text = '') => tokenize(text).join(' ') || undefined;
  /** What a reader would sort by; undefined where there is nothing. */
  const READINGS: Readonly<Record<string, (resource: Resource) => string | number | undefined>> = {
    given: ({ name }) => (Array.isArray(name) ? words(name[0]?.given?.join(' ')) : undefined),
    'address-city': ({ address = [] }) => words(address.find(({ city }) => words(city))?.city),
    practitioner: ({ practitioner }) => positions.get(practitioner?.reference ?? ''),
    organization: ({ organization }) => positions.get(organization?.reference ?? ''),
  };

  function sorted(resources: readonly Resource[], field: string): string[] {
    const read = READINGS[field] as (resource: Resource) => string | number | undefined;
    const rows = resources.map((resource) => ({ id: resource.id, value: read(resource) }));
    const order = rows.toSorted(({ value: a }, { value: b }) => {
      if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
      return a === b ? 0 : a < b ? -1 : 1;
    });
    return order.map(({ id }) => id);
  }

  type Query = Record<string, string>;

  /** Ids of all pages forth, after which the same pages come again by `previous`, unless `back` is not wanted. */
  async function walk(resourceType: ResourceType, query: Query, back = true): Promise<string[]> {
    const client = directory.client();
    const searchParams = { _count: '200', _total: 'accurate', ...query };
    const pages = await pagesFrom(client, await client.search({ resourceType, searchParams }));
    const ids = pages.map((page) => idsOf(page));
    expect(new Set(pages.map((page) => page['total']))).toEqual(new Set([ids.flat().length]));
    if (!back) return ids.flat();
    const again = await pagesFrom(client, pages.at(-1) as Page, 'prevPage');
    expect(again.map((page) => idsOf(page))).toEqual(ids.toReversed());
    return ids.flat();
  }

  describe('STU3 search 3.1.1.5.2 _sort by a field', () => {
    beforeAll(async () => {
      for (const [type, limit] of Object.entries(await snapshot.counts()) as [ResourceType, number][]) {
        const { matches } = await snapshot.search({ type, clauses: [], limit, total: false });
        all[type] = matches.map(({ json }) => JSON.parse(json) as Resource);
        for (const { id, position } of matches) positions.set(`${type}/${id}`, position);
      }
    }, SLOW);

    it.each<[ResourceType, string]>([
      ['Practitioner', 'given'],
      ['Organization', 'address-city'],
      ['PractitionerRole', 'organization'],
    ])(
      'every %s by %s, and turned round',
      async (type, field) => {
        const expected = sorted(all[type], field);
        expect(new Set(all[type].map((one) => READINGS[field]?.(one))).size).toBeGreaterThan(100);
        expect(await walk(type, { _sort: field })).toEqual(expected);
        expect(await walk(type, { _sort: `-${field}` })).toEqual(expected.toReversed());
      },
      SLOW,
    );

    it.each<[ResourceType, string, Query]>([
      ['Practitioner', 'given', { name: 'ma', _count: '40' }],
      ['Practitioner', 'address-city', { address: 'rue', _count: '90' }],
      ['Practitioner', '-address-city', { 'address:missing': 'true', name: 'ma' }],
      ['Organization', 'address-city', { 'mailbox-mss:missing': 'false', _count: '3' }],
      ['PractitionerRole', 'practitioner', { specialty: 'SM54', _count: '9' }],
      ['Practitioner', 'given', { name: 'qqqq' }],
      ['PractitionerRole', '-organization', { 'practitioner.name': 'ma', 'organization.type': '620', _count: '5' }],
      [
        'Practitioner',
        '-address-city',
        { '_has:PractitionerRole:practitioner:role': 'FON-01', name: 'ma', _count: '5' },
      ],
    ])('%s by %s among %j', async (type, _sort, query) => {
      const { _count, ...criteria } = query;
      const found = new Set(await walk(type, criteria, false));
      const some = all[type].filter(({ id }) => found.has(id));
      const up = sorted(some, _sort.replace(/^-/, ''));
      expect(await walk(type, { ...query, _sort })).toEqual(_sort.startsWith('-') ? up.toReversed() : up);
    });

    it('SEC-44 a position that somebody writes into a link fails nothing, wherever it is', async () => {
      for (const [type, _sort] of [
        ['Practitioner', 'given'],
        ['Practitioner', '-address-city'],
        ['PractitionerRole', 'practitioner'],
      ] as const) {
        const bundle = await directory.client().search({ resourceType: type, searchParams: { _sort, _count: '3' } });
        const next = new URL(linksOf(bundle)['next'] ?? '');
        const page = Buffer.from(next.searchParams.get('_page') ?? '', 'base64url').toString();
        for (const edge of ['>65536', '<65536', '>4294967296', '<999999999999999']) {
          next.searchParams.set('_page', Buffer.from(page.replace(/>\d+/, edge)).toString('base64url'));
          const answer = await request(next.href.replace(directory.base, directory.address))
            .get('')
            .set('Authorization', 'Bearer both');
          expect([edge, answer.status]).toEqual([edge, 200]);
        }
      }
      expect(directory.logged).toEqual([]);
    });
  });
});
