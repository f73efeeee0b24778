// fhir-stu3: what is told of a refused page, word for word; and what lenient handling makes of a fault.

import { describe, expect, it } from '@jest/globals';
import { ORGANIZATION } from '#directory/resources/organization.ts';
import type { ParameterTable } from '#directory/resources/parameters.ts';
import { PRACTITIONER } from '#directory/resources/practitioner.ts';
import { PRACTITIONER_ROLE } from '#directory/resources/practitioner-role.ts';
import { decodePage, encodePage, type Page, queryHash } from '#directory/search/page-token.ts';
import { issuesOf } from './understanding.ts';

describe('the position of a page', () => {
  const page = { snapshot: 'edition-1', number: 2, query: queryHash('Practitioner', 'name=ab') };
  it.each<Page>([
    page,
    { ...page, after: 0 },
    { ...page, before: 12 },
    { ...page, after: 7, instant: 1_700_000_000_000 },
    { ...page, before: 7, instant: 0 },
    { ...page, number: 100_000, query: 'abcDEF_-09' },
  ])('%j is read as it was written', (written) => {
    expect(decodePage(encodePage(written))).toEqual(written);
  });

  it('is the text of before, so that links of an earlier release are understood', () => {
    expect(Buffer.from(encodePage({ ...page, after: 3, instant: 5 }), 'base64url').toString()).toBe(
      `edition-1 >3@5 2  ${page.query}`,
    );
    expect(decodePage(Buffer.from(`edition-1 <4 2 123 ${page.query}`).toString('base64url'))).toEqual({
      ...page,
      before: 4,
    });
    expect(page.query).toMatch(/^[\w-]{10}$/);
    expect(queryHash('Organization', 'name=ab')).not.toBe(page.query);
  });

  const NOT_OURS =
    'error value http._page _page is not one of this directory: take it from the links of a Bundle, unchanged.';
  const OTHER = 'error value http._page _page belongs to another search: follow the links of a Bundle unchanged.';
  const BEYOND = 'error too-costly http._page _page goes beyond page 100000: take larger pages or narrow the search.';
  const NO_INSTANT = 'error value http._page _page lacks an instant: follow the links of a Bundle unchanged.';
  const sorted = (query: string) => ({ ...page, query: queryHash('Practitioner', query) });
  it.each<[string, string | Page, string[]]>([
    ['name=ab', page, []],
    ['name=abc', page, [OTHER]],
    ['name=ab', 'x', [NOT_OURS]],
    ['name=ab', { ...page, number: 100_001 }, [BEYOND]],
    ['name=ab', { ...page, snapshot: '../x' }, [NOT_OURS]],
    ['name=ab&_sort=-name', { ...sorted('name=ab&_sort=-name'), after: 3 }, []],
    ['_sort=_lastUpdated', { ...sorted('_sort=_lastUpdated'), after: 3 }, [NO_INSTANT]],
    ['_sort=_lastUpdated', { ...sorted('_sort=_lastUpdated'), before: 3 }, [NO_INSTANT]],
    ['_sort=_lastUpdated', sorted('_sort=_lastUpdated'), []],
    ['_sort=_lastUpdated', { ...sorted('_sort=_lastUpdated'), before: 3, instant: 1 }, []],
  ])('?%s with %j', (query, position, issues) => {
    const text = typeof position === 'string' ? position : encodePage(position);
    expect(issuesOf(PRACTITIONER, `${query}&_page=${text}`)).toEqual(issues);
  });

  it('by a distance has to have its distance', () => {
    const query = 'near=46%7C6&_sort=near';
    const of = (more: Partial<Page>) =>
      issuesOf(
        ORGANIZATION,
        `${query}&_page=${encodePage({ snapshot: 's', number: 2, query: queryHash('Organization', query), ...more })}`,
      );
    expect([of({ after: 1 }), of({ after: 1, instant: 9 })]).toEqual([[NO_INSTANT], []]);
  });
});

describe('Prefer: handling=lenient', () => {
  const ignored = (issue: string) =>
    issue.replace('error', 'warning').replace(/( http\S+ )/, '$1Ignored, as asked by Prefer: ');
  it.each<[ParameterTable, string]>([
    [PRACTITIONER, 'foo=1'],
    [PRACTITIONER, 'foo:exact=1'],
    [PRACTITIONER, 'name='],
    [PRACTITIONER, '_count='],
    [PRACTITIONER_ROLE, 'practitioner.nam=x'],
    [PRACTITIONER_ROLE, 'nobody.name=x'],
  ])('ignores what is unknown or empty, and says so: %#: %s', (table, query) => {
    const [issue = '', ...others] = issuesOf(table, query);
    expect(others).toEqual([]);
    expect(issue).toMatch(/^error /);
    expect(issuesOf(table, query, true)).toEqual([ignored(issue)]);
  });

  it.each<[ParameterTable, string]>([
    [PRACTITIONER, 'name=a'],
    [PRACTITIONER, 'name:contains=ab'],
    [PRACTITIONER, '_count=x'],
    [PRACTITIONER, '_count:exact=1'],
    [PRACTITIONER, '_since=2026'],
    [PRACTITIONER, '_include=x'],
    [PRACTITIONER_ROLE, 'practitioner.name=a'],
    [PRACTITIONER_ROLE, 'practitioner.name:contains=ab'],
  ])('refuses what is known and wrong: %#: %s', (table, query) => {
    const issues = issuesOf(table, query);
    expect(issues[0]).toMatch(/^error /);
    expect(issuesOf(table, query, true)).toEqual(issues);
  });
});
