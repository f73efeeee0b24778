// STU3 Bundle and search 3.1.1.6: the Bundle of a search, whole, with its links; and what an inclusion reads, leaves out and says of it.

import { describe, expect, it } from '@jest/globals';
import { ORGANIZATION } from '#directory/resources/organization.ts';
import { PRACTITIONER } from '#directory/resources/practitioner.ts';
import { bundleJson } from '#directory/search/bundle.ts';
import { orderValue } from '#directory/search/near.ts';
import { encodePage, queryHash } from '#directory/search/page-token.ts';
import type { SearchPage, StoredResource } from '#search-index/index.ts';
import { base, parse, stored } from './understanding.ts';

const [A, B] = [stored(3, 'a'), stored(8, 'b')];
const NOTHING = { included: [], incomplete: [] };
const bundleOf = (query: string, page: SearchPage, more: object = {}) =>
  JSON.parse(
    bundleJson({
      base,
      type: 'Practitioner',
      request: parse(PRACTITIONER, query),
      snapshot: 's-1',
      page,
      inclusions: NOTHING,
      notes: [],
      ...more,
    }),
  );
const linkTo = (criteria: string, page: object) =>
  `${base}/Practitioner?${criteria}${criteria && '&'}_page=${encodePage({ snapshot: 's-1', query: queryHash('Practitioner', hashedOf(criteria)), number: 1, ...page })}`;
const hashedOf = (criteria: string) => criteria.replace(/&?_count=\d+/, '');
const entry = ({ id, json }: StoredResource) => ({
  fullUrl: `${base}/Practitioner/${id}`,
  resource: JSON.parse(json),
  search: { mode: 'match' },
});

describe('the Bundle of a search', () => {
  it('has matches, included resources and notes, in this order', () => {
    const note = { severity: 'information', code: 'informational', diagnostics: 'Note.' } as const;
    const lack = { severity: 'warning', code: 'too-costly', diagnostics: 'Lack.' } as const;
    const included = [{ type: 'Organization', resource: stored(0, 'o') }];
    const inclusions = { included, incomplete: [lack] };
    const whole = bundleOf('name=ab', { matches: [A, B], more: false, total: 2 }, { inclusions, notes: [note] });
    const [, , , outcome] = whole.entry;
    expect(outcome.fullUrl).toMatch(/^urn:uuid:[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-8[\da-f]{3}-[\da-f]{12}$/);
    expect(whole).toEqual({
      resourceType: 'Bundle',
      type: 'searchset',
      total: 2,
      link: [{ relation: 'self', url: `${base}/Practitioner?name=ab` }],
      entry: [
        entry(A),
        entry(B),
        { fullUrl: `${base}/Organization/o`, resource: { id: 'o' }, search: { mode: 'include' } },
        {
          fullUrl: outcome.fullUrl,
          resource: { resourceType: 'OperationOutcome', issue: [note, lack] },
          search: { mode: 'outcome' },
        },
      ],
    });
    const alone = bundleOf('name=ab', { matches: [], more: false, total: 0 }, { notes: [note, lack] });
    expect(alone.entry).toEqual([outcome]);
  });

  it('without matches and criteria has neither entry nor query', () => {
    expect(bundleOf('', { matches: [], more: false, total: 0 })).toEqual({
      resourceType: 'Bundle',
      type: 'searchset',
      total: 0,
      link: [{ relation: 'self', url: `${base}/Practitioner` }],
    });
    const { total, ...others } = bundleOf('_total=none', { matches: [A], more: false, total: 1 });
    expect([total, others.entry]).toEqual([undefined, [entry(A)]]);
  });

  const page = (query: string, position: object) =>
    `&_page=${encodePage({ snapshot: 's-0', number: 3, query: queryHash('Practitioner', query), ...position })}`;
  it.each<[what: string, query: string, position: object | undefined, more: boolean, links: Record<string, object>]>([
    ['the first of several', 'name=ab', undefined, true, { next: { after: 8, number: 2 } }],
    [
      'one in between',
      'name=ab&_count=2',
      { after: 1 },
      true,
      { previous: { before: 3, number: 2 }, next: { after: 8, number: 4 } },
    ],
    ['the last', 'name=ab', { after: 1 }, false, { previous: { before: 3, number: 2 } }],
    [
      'one found from behind',
      'name=ab',
      { before: 9 },
      true,
      { previous: { before: 3, number: 2 }, next: { after: 8, number: 4 } },
    ],
    ['the first, found from behind', 'name=ab', { before: 9 }, false, { next: { after: 8, number: 4 } }],
    [
      'one that claims to be the first',
      'name=ab',
      { after: 1, number: 1 },
      false,
      { previous: { before: 3, number: 1 } },
    ],
    [
      'the last that may be',
      'name=ab',
      { after: 1, number: 100_000 },
      true,
      { previous: { before: 3, number: 99_999 } },
    ],
    [
      'one before the last that may be',
      'name=ab',
      { before: 9, number: 99_999 },
      false,
      { next: { after: 8, number: 100_000 } },
    ],
  ])('%s has its links', (_what, query, position, more, links) => {
    const asked = position ? `${query}${page(hashedOf(query), position)}` : query;
    const { link } = bundleOf(asked, { matches: [A, B], more, total: 9 });
    expect(link).toEqual([
      { relation: 'self', url: `${base}/Practitioner?${asked}` },
      { relation: 'first', url: linkTo(query, {}) },
      ...Object.entries(links).map(([relation, at]) => ({ relation, url: linkTo(query, at) })),
    ]);
  });

  it('in the order of time a link has the instant, and the total alone has no link', () => {
    const instant = Date.parse(A.lastUpdated);
    const { link } = bundleOf('_sort=_lastUpdated', { matches: [A], more: true });
    expect(link[2].url).toBe(linkTo('_sort=_lastUpdated', { after: 3, instant, number: 2 }));
    expect(bundleOf('_summary=count', { matches: [], more: true, total: 4 }).link).toHaveLength(1);
    expect(bundleOf('_count=0', { matches: [], more: true, total: 4 }).total).toBe(4);
  });
});

describe('distances', () => {
  const at = (latitude: number, longitude: number) => ({
    address: [
      {
        extension: [
          {
            url: 'http://hl7.org/fhir/StructureDefinition/geolocation',
            extension: [
              { url: 'latitude', valueDecimal: latitude },
              { url: 'longitude', valueDecimal: longitude },
            ],
          },
        ],
      },
    ],
  });
  const place = stored(0, 'o', at(47, 6));

  it('order by millimetres, and times by milliseconds', () => {
    const value = (query: string, sort: string) => {
      const { order, clauses } = parse(ORGANIZATION, `${query}&_sort=${sort}`);
      return orderValue(order, clauses)(place);
    };
    expect([value('near=46|6', 'near'), value('name=ab', '_lastUpdated'), value('near=46|6', 'name')]).toEqual([
      111_195_080,
      Date.parse('2026-11-02T05:00:00.250Z'),
      undefined,
    ]);
    expect(orderValue(undefined, [])(place)).toBeUndefined();
  });
});
