// Renewal and fhir-stu3, Search: `_lastUpdated` over three editions, with STU3's prefixes, partial dates and time zones.

import { beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import type { IndexedResource } from '#search-index/snapshot.ts';
import { edition } from '#support/directory/edition.ts';
import { idsOf, issuesOf, type Page, pagesFrom, refusalOf } from '#support/directory/reading.ts';
import { startRenewedDirectory } from '#support/directory/renewing.ts';
import { openedForAll } from '#support/opened.ts';

const NAMED = edition().filter(({ id }) => !id.startsWith('crowd-'));
const without = (...ids: string[]) => NAMED.filter(({ id }) => !ids.includes(id));
const changed = (resources: readonly IndexedResource[], ...ids: string[]) =>
  resources.map((one) =>
    ids.includes(one.id) ? { ...one, resource: { ...one.resource, language: 'fr' } } : one,
  ) as IndexedResource[];

// prat-1 and prat-4 are of the first edition, prat-2 and prat-5 of the second, prat-3 of the third.
const FINDS: readonly (readonly [rule: string, value: string | string[], ids: readonly string[]])[] = [
  ['a day', '2026-11-21', ['prat-3']],
  ['a minute without a zone is one of UTC', '2026-11-21T08:30', ['prat-3']],
  ['microseconds, as Python writes them', '2026-11-21T08:30:15.250000+00:00', ['prat-3']],
  ['a + that became a blank', '2026-11-21T09:30:15 01:00', ['prat-3']],
  ['the year of the zone', '2026-01-01T00:30+01:00', ['prat-1', 'prat-4']],
  ['ne', 'ne2026-11-20', ['prat-1', 'prat-3', 'prat-4']],
  ['gt: behind the whole day', 'gt2026-11-20', ['prat-3']],
  ['gt: not the instant itself', 'gt2026-11-21T08:30:15.250Z', []],
  ['ge: the instant itself', 'ge2026-11-21T08:30:15.250Z', ['prat-3']],
  ['lt: before the whole day', 'lt2026-11-20', ['prat-1', 'prat-4']],
  ['lt: not the instant itself', 'lt2026-11-20T08:30:15.250Z', ['prat-1', 'prat-4']],
  ['the comma is OR', '2025,gt2026-11-20', ['prat-1', 'prat-3', 'prat-4']],
  ['values that overlap', 'ge2026-11-20,2026,2026-11-21', ['prat-2', 'prat-3', 'prat-5']],
  ['repeated is AND', ['ge2026-11-20', 'lt2026-11-21'], ['prat-2', 'prat-5']],
  ['an empty stretch of time', ['ge2026-11-21', 'lt2026-11-20'], []],
];

const MALFORMED = [
  'yesterday',
  '2026-13',
  '2026-00',
  '2025-02-29',
  '2026-11-21T24:00Z',
  '2026-11-21T08:60Z',
  '2026-11-21T08:30+15:00',
  '2026-11-21 08:30',
  'GE2026',
  'ge',
  'gele2026',
  '12026',
];

describe('fhir-stu3 _lastUpdated', () => {
  const renewed = openedForAll(startRenewedDirectory);

  beforeAll(async () => {
    await renewed.publish(without('prat-5', 'org-4'), '2025-12-31T23:30:00.000Z');
    await renewed.publish(changed(without('org-4'), 'prat-2'), '2026-11-20T08:30:15.250Z');
    await renewed.publish(changed(NAMED, 'prat-2', 'prat-3'), '2026-11-21T08:30:15.250Z');
  });

  it.each(FINDS)('%s', async (_rule, value, ids) => {
    const searchParams = { _lastUpdated: value };
    const bundle = await renewed.directory.client().search({ resourceType: 'Practitioner', searchParams });
    expect(idsOf(bundle).toSorted()).toEqual(ids);
    expect(bundle['total']).toBe(ids.length);
  });

  it.each(MALFORMED)('%s is 400, naming the value and the remedy', async (value) => {
    const search = { resourceType: 'Practitioner', searchParams: { _lastUpdated: value } };
    const refused = await refusalOf(renewed.directory.client().search(search));
    expect(refused.status).toBe(400);
    const [issue] = issuesOf(refused);
    expect(issue).toMatchObject({ code: 'value', location: ['http._lastUpdated'] });
    expect(issue?.diagnostics).toContain(`not "${value}"`);
    expect(issue?.diagnostics).toContain('2026-11-21T08:30Z');
  });

  it('with other criteria, on organizations too', async () => {
    const client = renewed.directory.client();
    const found = async (resourceType: string, searchParams: Record<string, string>) =>
      idsOf(await client.search({ resourceType, searchParams }));
    expect(await found('Practitioner', { name: 'wu', _lastUpdated: 'ge2026' })).toEqual(['prat-5']);
    expect(await found('Practitioner', { name: 'duval', _lastUpdated: 'ge2026' })).toEqual([]);
    expect(await found('Organization', { _lastUpdated: '2026' })).toEqual(['org-4']);
    expect(await found('Organization', { _lastUpdated: 'lt2026' })).toHaveLength(3);
  });

  it('a + sent as it is, and pages that go on', async () => {
    const get = (path: string) => request(path).get('').set('Authorization', 'Bearer both');
    const { directory } = renewed;
    const one = await get(`${directory.address}/Practitioner?_lastUpdated=ge2026-11-20T09:30:15.250+01:00&_count=2`);
    expect(one.body.total).toBe(3);
    const next = one.body.link.find(({ relation }: { relation: string }) => relation === 'next').url;
    const two = await get(next);
    expect([...idsOf(one.body), ...idsOf(two.body)].toSorted()).toEqual(['prat-2', 'prat-3', 'prat-5']);
  });

  // By instant; of one instant in alphabetical order.
  const IN_TIME = ['prat-1', 'prat-4', 'prat-2', 'prat-5', 'prat-3'];

  it.each<[searchParams: Record<string, string>, ids: readonly string[]]>([
    [{ _sort: '_lastUpdated' }, IN_TIME],
    [{ _sort: '-_lastUpdated' }, IN_TIME.toReversed()],
    [{ _sort: '_lastUpdated', _lastUpdated: 'gt2025' }, ['prat-2', 'prat-5', 'prat-3']],
    [{ _sort: '-_lastUpdated', _lastUpdated: 'lt2026-11-21', name: 'wu,duval' }, ['prat-5', 'prat-1']],
    [{ _sort: '_lastUpdated', 'name:exact': 'Li,Hélène,WU' }, ['prat-1', 'prat-4', 'prat-5']],
  ])('_sort: %j, page by page to the end and back', async (searchParams, ids) => {
    const client = renewed.directory.client();
    const asked = { resourceType: 'Practitioner', searchParams: { ...searchParams, _count: '1' } };
    const pages = await pagesFrom(client, await client.search(asked));
    expect(pages.flatMap((page) => idsOf(page))).toEqual(ids);
    const back = await pagesFrom(client, pages.at(-1) as Page, 'prevPage');
    expect(back.flatMap((page) => idsOf(page))).toEqual(ids.toReversed());
  });
});
