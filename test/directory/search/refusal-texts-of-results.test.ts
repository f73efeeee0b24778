// fhir-stu3: what is told of a refused order, page and inclusion, word for word; and what lenient handling makes of a fault.

import { describe, expect, it } from '@jest/globals';
import { CODE_SYSTEM } from '#directory/resources/code-system.ts';
import { ORGANIZATION } from '#directory/resources/organization.ts';
import type { ParameterTable } from '#directory/resources/parameters.ts';
import { PRACTITIONER } from '#directory/resources/practitioner.ts';
import { PRACTITIONER_ROLE } from '#directory/resources/practitioner-role.ts';
import { decodePage, encodePage, type Page, queryHash } from '#directory/search/page-token.ts';
import { issuesOf } from './understanding.ts';

describe('the text of a refused order', () => {
  const OF_PEOPLE =
    'name or -name or family or -family or family,given or -family,-given or given or -given or address-city or -address-city or _lastUpdated or -_lastUpdated';
  const NEEDS_CIRCLE =
    'error value http._sort _sort=near goes by the distance from the centre of a circle: send near too, once and with one value.';
  it.each<[ParameterTable, string, string[]]>([
    [PRACTITIONER, '_sort=-family,-given', []],
    [PRACTITIONER, '_sort=%20family%20,%20given', []],
    [
      PRACTITIONER,
      '_sort=-family,given',
      [
        `error not-supported http._sort Practitioner cannot be sorted so. _sort is ${OF_PEOPLE}; without it results are in alphabetical order.`,
      ],
    ],
    [CODE_SYSTEM, '_sort=url', ['error not-supported http._sort CodeSystem cannot be sorted: leave _sort out.']],
    [
      PRACTITIONER,
      '_sort=name&_sort=family',
      ['error value http._sort _sort stands more than once: send it once, with commas in its value.'],
    ],
    [ORGANIZATION, '_sort=near', [NEEDS_CIRCLE]],
    [ORGANIZATION, '_sort=-near&near=46|6,47|6', [NEEDS_CIRCLE]],
    [ORGANIZATION, '_sort=-near&near=46|6', []],
    [ORGANIZATION, '_sort=name&near=46|6,47|6', []],
  ])('%#: %s', (table, query, issues) => {
    expect(issuesOf(table, query)).toEqual(issues);
  });
});

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

describe('the text of a refused inclusion', () => {
  it.each<[ParameterTable, string, string?]>([
    [PRACTITIONER_ROLE, '_include=PractitionerRole:practitioner'],
    [PRACTITIONER_ROLE, '_include=PractitionerRole:practitioner:Practitioner'],
    [PRACTITIONER, '_include:recurse=Organization:partof'],
    [
      PRACTITIONER_ROLE,
      '_include=PractitionerRole:practitioner:Organization',
      'takes PractitionerRole:practitioner, PractitionerRole:organization or * in a search for PractitionerRole, not "PractitionerRole:practitioner:Organization".',
    ],
    [
      PRACTITIONER_ROLE,
      '_include=PractitionerRole:practitioner:Practitioner:x',
      'takes PractitionerRole:practitioner, PractitionerRole:organization or * in a search for PractitionerRole, not "PractitionerRole:practitioner:Practitioner:x".',
    ],
    [
      PRACTITIONER_ROLE,
      '_include=Organization:partof',
      'Organization:partof begins at a Organization, and this search finds each PractitionerRole: to follow what is included, write _include:recurse.',
    ],
    [
      PRACTITIONER,
      '_include=x',
      'has nothing to follow in a search for Practitioner, where _include:recurse follows what is included, not "x".',
    ],
    [
      PRACTITIONER,
      '_include:iterate=x',
      'takes Organization:part-of, Organization:partof, PractitionerRole:practitioner, PractitionerRole:organization or * in a search for Practitioner, not "x".',
    ],
    [PRACTITIONER, '_revinclude=x', 'takes PractitionerRole:practitioner or * in a search for Practitioner, not "x".'],
    [CODE_SYSTEM, '_include=x', 'has nothing to follow in a search for CodeSystem: leave it out, not "x".'],
    [CODE_SYSTEM, '_revinclude:recurse=x', 'has nothing to follow in a search for CodeSystem: leave it out, not "x".'],
    [PRACTITIONER, '_include=', 'has no value: give it one, or leave it out to search every Practitioner.'],
  ])('%#: %s', (table, query, told = undefined) => {
    const [name] = query.split('=');
    expect(issuesOf(table, query)).toEqual(told === undefined ? [] : [`error value http.${name} ${name} ${told}`]);
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
