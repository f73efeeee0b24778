// The inventory: every line of the security checklist and every module of the certification plans has a test of its name.

import { describe, expect, it } from '@jest/globals';
import { moduleCoverage, securityCoverage } from '#tools/proof/coverage.ts';
import { SECURITY_LINES } from '#tools/proof/security-lines.ts';
import { testTitles } from '#tools/proof/titles.ts';

const titles = testTitles();

describe('inventory of the tests', () => {
  it('reads the names of the tests', () => {
    expect(titles.length).toBeGreaterThan(500);
    expect(titles.map(({ title }) => title)).toContain('inventory of the tests reads the names of the tests');
  });

  it('every line of the security checklist has a test of its name', () => {
    expect(SECURITY_LINES).toHaveLength(70);
    const without = securityCoverage(titles).filter(({ tests }) => tests.length === 0);
    expect(without.map(({ name }) => name)).toEqual([]);
  });

  it('every module of the certification plans has a test of its name', () => {
    const without = Object.values(moduleCoverage(titles)).flat();
    expect(without.length).toBe(52);
    expect(without.filter(({ tests }) => tests.length === 0).map(({ name }) => name)).toEqual([]);
  });
});
