// fhir-stu3, Search: pages, links, totals, and what holds them together while the directory is loaded anew.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Client } from 'fhir-kit-client';
import request from 'supertest';
import { TABLES } from '#directory/resources/resource-types.ts';
import { queryHash } from '#directory/search/page-token.ts';
import type { Snapshot } from '#search-index/snapshot.ts';
import { CROWD, edition } from '#support/directory/edition.ts';
import { ENGINES } from '#support/directory/engines.ts';
import { entriesOf, idsOf, issuesOf, linksOf, refusalOf } from '#support/directory/reading.ts';
import { type RunningDirectory, startDirectory } from '#support/directory/service.ts';
import { rounds } from '#support/rounds.ts';

const AUTHORIZATION = { Authorization: 'Bearer both' };

type FhirBundle = Awaited<ReturnType<Client['search']>>;

describe.each(ENGINES)('fhir-stu3 paging on $name', ({ open }) => {
  let first: Snapshot;
  let second: Snapshot;
  let current: Snapshot;
  let kept: Snapshot[];
  let directory: RunningDirectory;
  let client: Client;
  beforeAll(async () => {
    first = await open(edition());
    second = await open(edition().filter(({ id }) => !id.endsWith('7')));
    current = first;
    kept = [first, second];
    directory = await startDirectory({
      current: () => current,
      byId: async (id) => kept.find((snapshot) => snapshot.id === id),
    });
    client = directory.client();
  });
  afterAll(async () => {
    await directory.stop();
    await first.close();
    await second.close();
  });

  const searchCrowd = (searchParams: Record<string, string> = {}) =>
    client.search({ resourceType: 'Practitioner', searchParams: { name: 'zim', ...searchParams } });

  async function walk(bundle: FhirBundle): Promise<FhirBundle[]> {
    const pages = [bundle];
    for (const _page of rounds()) {
      const page = await client.nextPage({ bundle: pages.at(-1) as never });
      if (!page) break;
      pages.push(page);
    }
    return pages;
  }

  it('a page holds 50 unless _count says otherwise, never more than 200 and never more than asked', async () => {
    expect(entriesOf(await searchCrowd())).toHaveLength(50);
    expect(entriesOf(await searchCrowd({ _count: '7' }))).toHaveLength(7);
    const large = await searchCrowd({ _count: '9999' });
    expect(entriesOf(large)).toHaveLength(CROWD);
    expect(linksOf(large)['self']).toContain('_count=200');
  });

  it.each(['7', '40', '41', '123', '122'])('pages of %s walked to the end repeat and drop nobody', async (_count) => {
    const pages = await walk(await searchCrowd({ _count }));
    const ids = pages.flatMap((page) => idsOf(page));
    expect(new Set(ids).size).toBe(CROWD);
    expect(ids).toHaveLength(CROWD);
    expect(pages).toHaveLength(Math.ceil(CROWD / Number(_count)));
    expect(pages.map((page) => page['total'])).toEqual(pages.map(() => CROWD));
    expect(linksOf(pages.at(-1) ?? {})['next']).toBeUndefined();
  });

  it.each([
    {},
    { _count: '40', _sort: '-name' },
    { _count: '41', _sort: '_lastUpdated' },
    { _count: '30', _sort: '-_lastUpdated', _total: 'none' },
    { _count: '122', given: 'paul', _sort: 'family,given' },
    { _count: '40', _sort: '-given' },
  ])('%j: walked back by previous links, the same pages come again', async (searchParams) => {
    const pages = await walk(await searchCrowd(searchParams as Record<string, string>));
    expect(pages.length).toBeGreaterThan(1);
    expect(linksOf(pages[0] ?? {})['previous']).toBeUndefined();
    expect(linksOf(pages.at(-1) ?? {})['next']).toBeUndefined();
    let page = pages.at(-1) as FhirBundle;
    for (const before of pages.slice(0, -1).reverse()) {
      page = (await client.prevPage({ bundle: page as never })) as FhirBundle;
      expect([idsOf(page), page['total']]).toEqual([idsOf(before), before['total']]);
      expect(linksOf(page)['next']).toBeDefined();
    }
    expect(linksOf(page)['previous']).toBeUndefined();
    // And on from there to the end again.
    expect((await walk(page)).map((one) => idsOf(one))).toEqual(pages.map((one) => idsOf(one)));
  });

  it.each([
    ['name', false],
    ['-name', true],
    ['family', false],
    ['-family,-given', true],
    ['_lastUpdated', false],
    ['-_lastUpdated', true],
  ])('_sort=%s', async (_sort, descending) => {
    const usual = idsOf(await searchCrowd({ _count: '200' }));
    const sorted = await searchCrowd({ _count: '200', _sort });
    expect(idsOf(sorted)).toEqual(descending ? usual.toReversed() : usual);
    expect(new URL(linksOf(sorted)['self'] ?? '').searchParams.get('_sort')).toBe(_sort);
  });

  it.each(['birthdate', '-family,given', 'address', 'name,_id', ''])('_sort=%s is refused', async (_sort) => {
    const refused = await refusalOf(searchCrowd({ _sort }));
    expect(refused.status).toBe(400);
    expect(issuesOf(refused)[0]?.location).toEqual(['http._sort']);
    if (_sort !== '') expect(issuesOf(refused)[0]?.diagnostics).toContain('family,given or -family,-given');
  });

  it('pages before a reload can be walked back after it', async () => {
    const begun = await searchCrowd();
    const [, two] = await walk(begun);
    current = second;
    try {
      const back = await client.prevPage({ bundle: two as never });
      expect(idsOf(back ?? {})).toEqual(idsOf(begun));
    } finally {
      current = first;
    }
  });

  it('every page links to itself and to the first one', async () => {
    const [one, two, three] = await walk(await searchCrowd());
    const self = linksOf(two ?? {})['self'] ?? '';
    expect(idsOf((await request(self).get('').set(AUTHORIZATION)).body)).toEqual(idsOf(two ?? {}));
    const back = linksOf(three ?? {})['first'] ?? '';
    expect(idsOf((await request(back).get('').set(AUTHORIZATION)).body)).toEqual(idsOf(one ?? {}));
  });

  it('a search with one page has a self and nothing else', async () => {
    const bundle = await client.search({ resourceType: 'Practitioner', searchParams: { name: 'duval' } });
    expect(linksOf(bundle)).toEqual({ self: `${directory.base}/Practitioner?name=duval` });
  });

  it('pages begun before a reload go on in the old edition, new searches read the new one', async () => {
    const begun = await searchCrowd();
    current = second;
    try {
      const ids = (await walk(begun)).flatMap((page) => idsOf(page));
      expect(new Set(ids).size).toBe(CROWD);
      expect((await searchCrowd())['total']).toBe(CROWD - 12);
    } finally {
      current = first;
    }
  });

  it('a page of a dropped edition is 410 and says what to do', async () => {
    const begun = await searchCrowd();
    current = second;
    kept = [second];
    try {
      const refused = await refusalOf(Promise.resolve(client.nextPage({ bundle: begun as never })));
      expect(refused.status).toBe(410);
      expect(issuesOf(refused)).toMatchObject([{ code: 'not-found', location: ['http._page'] }]);
    } finally {
      current = first;
      kept = [first, second];
    }
  });

  it('a search by POST gives links that work by GET', async () => {
    const options = { postSearch: true };
    const searchParams = { name: 'zim', _count: '100' };
    const bundle = await client.resourceSearch({ resourceType: 'Practitioner', searchParams, options });
    expect(linksOf(bundle)['self']).toBe(`${directory.base}/Practitioner?name=zim&_count=100`);
    const rest = await client.nextPage({ bundle: bundle as never });
    expect(idsOf(rest ?? {})).toHaveLength(CROWD - 100);
  });

  it('a search by POST with an order and inclusions has links by GET that keep them, under 2 KB, in both directions', async () => {
    const searchParams = {
      name: 'zim',
      _count: '50',
      _sort: '-_lastUpdated',
      _revinclude: 'PractitionerRole:practitioner',
      '_include:recurse': 'PractitionerRole:organization',
    };
    const options = { postSearch: true };
    const bundle = await client.resourceSearch({ resourceType: 'Practitioner', searchParams, options });
    const pages = await walk(bundle as FhirBundle);
    for (const page of pages) {
      for (const link of Object.values(linksOf(page))) {
        expect(link.length).toBeLessThan(2048);
        const { searchParams: kept } = new URL(link);
        for (const [name, value] of Object.entries(searchParams)) expect(kept.get(name)).toBe(value);
      }
      // Each person with a role, and the one structure of them all.
      const [matches, included] = ['match', 'include'].map((mode) =>
        entriesOf(page).filter((one) => one.search.mode === mode),
      );
      expect(included).toHaveLength((matches?.length ?? 0) + 1);
    }
    const back = await client.prevPage({ bundle: pages[2] as never });
    expect(idsOf(back ?? {})).toEqual(idsOf(pages[1] ?? {}));
  });

  it('no match: total 0 and no entry at all', async () => {
    const bundle = await client.search({ resourceType: 'Practitioner', searchParams: { name: 'qqqq' } });
    expect(bundle['total']).toBe(0);
    expect(bundle).not.toHaveProperty('entry');
  });

  it.each([{ _summary: 'count' }, { _count: '0' }, { _summary: 'count', _total: 'none', _count: '7' }])(
    '%j gives the total alone',
    async (searchParams) => {
      const bundle = await searchCrowd(searchParams as Record<string, string>);
      expect(bundle['total']).toBe(CROWD);
      expect(bundle).not.toHaveProperty('entry');
      expect(Object.keys(linksOf(bundle))).toEqual(['self']);
    },
  );

  it('_total=none leaves the total out, on every page', async () => {
    const pages = await walk(await searchCrowd({ _total: 'none' }));
    expect(pages).toHaveLength(3);
    for (const page of pages) expect(page).not.toHaveProperty('total');
  });

  it.each(['accurate', 'estimate', 'estimated'])('_total=%s gives the exact total', async (_total) => {
    expect((await searchCrowd({ _total }))['total']).toBe(CROWD);
  });

  it('links keep what was understood, encoded, and stay under 2 KB', async () => {
    const searchParams = { address: `${'É'.repeat(60)} & "x"\\,<y>,rue`, _count: '1', _format: 'json' };
    const bundle = await client.search({ resourceType: 'Practitioner', searchParams });
    for (const link of Object.values(linksOf(bundle))) {
      expect(link.length).toBeLessThan(2048);
      expect(new URL(link).searchParams.get('address')).toBe(searchParams.address);
      expect(new URL(link).searchParams.get('_format')).toBe('json');
      expect(link).toMatch(/^[\x21-\x7e]+$/);
    }
    expect(linksOf(bundle)['next']).toBeDefined();
  });

  it.each([
    ['of another search', { name: 'zimm' }, (page: string) => page],
    ['of another order', { name: 'zim&_sort=-name' }, (page: string) => page],
    ['without its instant', { name: 'zim&_sort=_lastUpdated' }, (page: string) => ofOrder(page)],
    ['of another type', { name: 'zim', type: 'Organization' }, (page: string) => page],
    ['cut off', { name: 'zim' }, (page: string) => page.slice(0, -4)],
    ['invented', { name: 'zim' }, () => 'abc'],
    ['beyond the limit (SEC-54)', { name: 'zim' }, (page: string) => deeper(page)],
    ['of a file outside', { name: 'zim' }, (page: string) => elsewhere(page)],
  ])('a _page %s is 4xx', async (_what, { name, type = 'Practitioner' }: { name: string; type?: string }, change) => {
    const page = new URL(linksOf(await searchCrowd())['next'] ?? '').searchParams.get('_page') ?? '';
    const address = `${directory.address}/${type}?name=${name}&_page=${change(page)}`;
    const answer = await request(address).get('').set(AUTHORIZATION);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ resourceType: 'OperationOutcome', issue: [{ location: ['http._page'] }] });
  });

  it('SEC-54 a total that somebody writes into a link is passed over', async () => {
    const next = new URL(linksOf(await searchCrowd())['next'] ?? '');
    const parts = Buffer.from(next.searchParams.get('_page') ?? '', 'base64url')
      .toString()
      .split(' ');
    for (const forged of ['1', '999999', '']) {
      next.searchParams.set('_page', Buffer.from(parts.with(3, forged).join(' ')).toString('base64url'));
      // Of a directory that was just started, which has counted nothing yet, and of one that has.
      const fresh = await startDirectory({ current: () => first, byId: async () => first });
      for (const { address } of [directory, fresh, fresh]) {
        const page = await request(next.href.replace(directory.base, address)).get('').set(AUTHORIZATION);
        expect([forged, page.status, page.body.total]).toEqual([forged, 200, CROWD]);
      }
      await fresh.stop();
    }
  });

  function deeper(page: string): string {
    const parts = Buffer.from(page, 'base64url').toString().split(' ');
    return Buffer.from(parts.with(2, '100001').join(' ')).toString('base64url');
  }

  /** Of the search in the order of time, but with the place of one in alphabetical order. */
  function ofOrder(page: string): string {
    const parts = Buffer.from(page, 'base64url').toString().split(' ');
    const mark = queryHash('Practitioner', 'name=zim&_sort=_lastUpdated');
    return Buffer.from(parts.with(4, mark).join(' ')).toString('base64url');
  }

  function elsewhere(page: string): string {
    const parts = Buffer.from(page, 'base64url').toString().split(' ');
    return Buffer.from(parts.with(0, '../../../secret').join(' ')).toString('base64url');
  }

  it('reads by id with fhir-kit-client', async () => {
    for (const { type } of TABLES) {
      const [entry] = entriesOf(await client.search({ resourceType: type, searchParams: { _count: '1' } }));
      expect(await client.read({ resourceType: type, id: entry?.resource.id ?? '' })).toEqual(entry?.resource);
    }
  });
});
