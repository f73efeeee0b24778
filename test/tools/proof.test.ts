// Every line of docs/security.md and every module of the certification plans has a test that carries its name.

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { moduleCoverage, securityCoverage, securityLines } from '#tools/proof/coverage.ts';
import { testTitles } from '#tools/proof/titles.ts';

const ROOT = join(import.meta.dirname, '../..');
const titles = testTitles();

describe('inventory of the tests', () => {
  it('reads the names of the tests', () => {
    expect(titles.length).toBeGreaterThan(500);
    expect(titles.map(({ title }) => title)).toContain('inventory of the tests reads the names of the tests');
  });

  it('every line of docs/security.md has a test of its name', () => {
    const without = securityCoverage(titles).filter(({ tests }) => tests.length === 0);
    expect(without.map(({ name }) => name)).toEqual([]);
  });

  it('every line that code or tests cite stands in docs/security.md, once', () => {
    const files = globSync(['src/**/*.{ts,md}', 'test/**/*.ts', 'docs/decisions/*.md'], { cwd: ROOT });
    const cited = files.flatMap((file) => readFileSync(join(ROOT, file), 'utf8').match(/SEC-\d+/g) ?? []);
    const known = securityLines().map(({ name }) => name);
    expect([...new Set(cited)].filter((name) => !known.includes(name))).toEqual([]);
    expect(new Set(known).size).toBe(known.length);
    expect(known.length).toBeGreaterThan(70);
  });

  it('every module of the certification plans has a test of its name', () => {
    const modules = Object.values(moduleCoverage(titles)).flat();
    expect(modules.length).toBe(52);
    expect(modules.filter(({ tests }) => tests.length === 0).map(({ name }) => name)).toEqual([]);
  });
});
