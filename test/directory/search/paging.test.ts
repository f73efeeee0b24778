// fhir-stu3, Search: pages, links, totals, and what holds them together while the directory is loaded anew.

import { describe, expect, it } from '@jest/globals';
import request from 'supertest';
import type { Snapshot } from '#search-index/snapshot.ts';
import { CROWD, edition } from '#support/directory/edition.ts';
import { openIndex } from '#support/directory/open-index.ts';
import { idsOf, linksOf, type Page, pagesFrom } from '#support/directory/reading.ts';
import { startDirectory } from '#support/directory/service.ts';
import { openedForAll } from '#support/opened.ts';

const AUTHORIZATION = { Authorization: 'Bearer both' };

describe('fhir-stu3 paging', () => {
  const first = openedForAll(() => openIndex(edition()));
  const second = openedForAll(() => openIndex(edition().filter(({ id }) => !id.endsWith('7'))));
  let current: Snapshot = first;
  const directory = openedForAll(() =>
    startDirectory({
      current: () => current,
      byId: async (id) => [first, second].find((snapshot) => snapshot.id === id),
    }),
  );

  const searchCrowd = (searchParams: Record<string, string> = {}) =>
    directory.client().search({ resourceType: 'Practitioner', searchParams: { name: 'zim', ...searchParams } });

  const walk = (page: Page) => pagesFrom(directory.client(), page);

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
    let page = pages.at(-1) as Page;
    for (const before of pages.slice(0, -1).reverse()) {
      page = (await directory.client().prevPage({ bundle: page as never })) as Page;
      expect([idsOf(page), page['total']]).toEqual([idsOf(before), before['total']]);
      expect(linksOf(page)['next']).toBeDefined();
    }
    expect(linksOf(page)['previous']).toBeUndefined();
    // And on from there to the end again.
    expect((await walk(page)).map((one) => idsOf(one))).toEqual(pages.map((one) => idsOf(one)));
  });

  it('pages before a reload can be walked back after it', async () => {
    const begun = await searchCrowd();
    const [, two] = await walk(begun);
    current = second;
    try {
      const back = await directory.client().prevPage({ bundle: two as never });
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

  it('links keep what was understood, encoded, and stay under 2 KB', async () => {
    const searchParams = { address: `${'É'.repeat(60)} & "x"\\,<y>,rue`, _count: '1', _format: 'json' };
    const bundle = await directory.client().search({ resourceType: 'Practitioner', searchParams });
    for (const link of Object.values(linksOf(bundle))) {
      expect(link.length).toBeLessThan(2048);
      expect(new URL(link).searchParams.get('address')).toBe(searchParams.address);
      expect(new URL(link).searchParams.get('_format')).toBe('json');
      expect(link).toMatch(/^[\x21-\x7e]+$/);
    }
    expect(linksOf(bundle)['next']).toBeDefined();
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
});
