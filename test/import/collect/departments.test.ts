// Resources by department.

import { describe, expect, it } from '@jest/globals';
import { addDepartments, countDepartments, type DepartmentCounts, departmentOf } from '#import/collect/departments.ts';

describe('departments', () => {
  it.each([
    ['01000', '01'],
    ['75002', '75'],
    ['95999', '95'],
    ['96000', '96'],
    ['97110', '971'],
    ['98800', '988'],
    ['20000', '2A'],
    ['20137', '2A'],
    ['20300', '2A'],
    ['20700', '2A'],
    ['20200', '2B'],
    ['20600', '2B'],
    ['00100', 'abroad'],
    ['7500', 'abroad'],
    ['750022', 'abroad'],
    ['B-1000', 'abroad'],
  ])('of the postal code %s is %s', (code, department) => {
    expect(departmentOf(code)).toBe(department);
  });

  it('are counted once for each resource, and added up', () => {
    const counts: DepartmentCounts = {};
    const count = (type: string, ...codes: string[]) =>
      countDepartments(counts, { type, index: codes.length > 0 ? { 'address-postalcode': codes } : {} } as never);
    count('Practitioner', '75001', '75002', '69001');
    count('Practitioner', '75001');
    count('Organization');
    count('Organization', 'x');
    count('PractitionerRole', '75001');
    expect(counts).toEqual({
      75: { Practitioner: 2 },
      69: { Practitioner: 1 },
      unknown: { Organization: 1 },
      abroad: { Organization: 1 },
    });
    addDepartments(counts, { 75: { Practitioner: 3, Organization: 1 }, '2A': { Organization: 2 } });
    expect(counts['75']).toEqual({ Practitioner: 5, Organization: 1 });
    expect(counts['2A']).toEqual({ Organization: 2 });
  });
});
