// Finds the tests that prove each line of docs/security.md and each module of the certification plans.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CERTIFICATION_PLANS } from './certification-plans.ts';
import { type TestTitle, testTitles } from './titles.ts';

export interface SecurityLine {
  /** `SEC-07`. */
  name: string;
  promise: string;
}

const PAGE = join(import.meta.dirname, '../../docs/security.md');

export function securityLines(): SecurityLine[] {
  const rows = readFileSync(PAGE, 'utf8').matchAll(/^\| (SEC-\d\d) \| (.*?) +\|$/gm);
  return [...rows].map(([, name = '', promise = '']) => ({ name, promise })).sort((a, b) => (a.name < b.name ? -1 : 1));
}

export interface Proved {
  /** `SEC-07`, or the name of the module. */
  name: string;
  tests: readonly TestTitle[];
}

/** The tests whose name, or the name of a group around them, has the number of the line. */
export function securityCoverage(titles = testTitles()): Proved[] {
  return securityLines().map(({ name }) => ({ name, tests: titles.filter(({ title }) => title.includes(name)) }));
}

/** The modules by plan. A test proves a module if its name behind the plan's is that of the module, with or without a remark behind it. */
export function moduleCoverage(titles = testTitles()): Record<string, Proved[]> {
  const all = titles.filter(({ file }) => file.includes('certification'));
  const plans = Object.entries(CERTIFICATION_PLANS).map(([plan, modules]): [string, Proved[]] => {
    const named = (name: string) => all.filter(({ title }) => title.split(`${plan} `)[1]?.split(':')[0] === name);
    return [plan, modules.map((name) => ({ name, tests: named(name) }))];
  });
  return Object.fromEntries(plans);
}
