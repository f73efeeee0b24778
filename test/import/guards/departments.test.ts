// Directory data, section 4: a part of the country that is missing is seen; a renumbering, and what all have lost alike, is not.

import { describe, expect, it } from '@jest/globals';
import { countDepartments, type DepartmentCounts, departmentOf } from '#import/collect/departments.ts';
import { guardDepartments } from '#import/guards/departments.ts';
import { countedEdition } from '#support/import/counted-columns.ts';

/** People by department. */
const edition = (people: Record<string, number>, before?: Record<string, number>) => {
  const counts = (of: Record<string, number>): DepartmentCounts =>
    Object.fromEntries(Object.entries(of).map(([name, count]) => [name, { Practitioner: count }]));
  const earlier = before && countedEdition([], { departments: counts(before) });
  return countedEdition([], { departments: counts(people), ...(earlier && { before: earlier }) });
};
const lost = (people: Record<string, number>, before?: Record<string, number>) =>
  guardDepartments(edition(people, before))
    .filter(({ passed }) => !passed)
    .map(({ register, figures }) => `${register}: ${figures}`);

describe('directory data 4: departments', () => {
  it('one that has lost more than a fifth is named', () => {
    const before = { '01': 1000, '75': 100_000 };
    expect(lost({ '01': 800, '75': 100_200 }, before)).toEqual([]);
    expect(lost({ '01': 799, '75': 100_201 }, before)).toEqual([
      'Practitioner: departments 01 (1000 before, 799 now) have lost more than 20.0 %',
    ]);
    expect(lost({ '75': 101_000 }, before)).toHaveLength(1);
  });

  it('other guards report what all have lost alike; people without a structure are in no department', () => {
    expect(lost({ '01': 500, '75': 50_000 }, { '01': 1000, '75': 100_000 })).toEqual([]);
    expect(lost({ '01': 1000, '75': 1000, unknown: 0 }, { '01': 1000, '75': 1000, unknown: 900 })).toEqual([]);
  });

  it('small ones count together, where they are gone altogether', () => {
    const small = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [String(10 + index), 4]));
    const { '10': _ten, '11': _eleven, ...rest } = small;
    expect(lost({ ...rest, '75': 1000 }, { ...small, '75': 1000 })).toEqual([]);
    expect(lost({ '75': 1000 }, { ...small, '75': 1000 })).toEqual([
      expect.stringMatching(/^Practitioner: departments 10 \(4 before, 0 now\), .* and 7 more have lost/),
    ]);
  });

  it('says nothing at a first load', () => {
    expect(guardDepartments(edition({ '01': 5 }))).toEqual([]);
  });

  it.each([
    ...[
      ['01000', '01'],
      ['75012', '75'],
      ['20000', '2A'],
      ['20167', '2A'],
      ['20200', '2B'],
      ['20600', '2B'],
    ],
    ...[
      ['97400', '974'],
      ['98800', '988'],
      ['98000', '980'],
      ['1000', 'abroad'],
      ['B-1000', 'abroad'],
      ['00000', 'abroad'],
    ],
  ] as [string, string][])('the post code %s is in %s', (code, department) => {
    expect(departmentOf(code)).toBe(department);
  });

  it('a person who practises in two is counted in both, and once in each; roles have no department', () => {
    const counts: DepartmentCounts = {};
    const resource = (type: 'Practitioner' | 'PractitionerRole', codes: string[]) => ({
      ...{ type, id: 'x', sortKey: '', resource: { resourceType: type, id: 'x' } },
      index: { 'address-postalcode': codes },
    });
    countDepartments(counts, resource('Practitioner', ['01000', '01500', '69001']));
    countDepartments(counts, resource('Practitioner', []));
    countDepartments(counts, resource('PractitionerRole', []));
    expect(counts).toEqual({ '01': { Practitioner: 1 }, '69': { Practitioner: 1 }, unknown: { Practitioner: 1 } });
  });
});
