// Which tests stand for which line of the security checklist, and for which module of the certification plans.

import { CERTIFICATION_PLANS } from './certification-plans.ts';
import { SECURITY_LINES } from './security-lines.ts';
import { type TestTitle, testTitles } from './titles.ts';

export interface Proved {
  /** `SEC-07`, or the name of the module. */
  name: string;
  tests: readonly TestTitle[];
}

/** Tests that carry the line's number in their name, or in the name of a group around them. */
export function securityCoverage(titles = testTitles()): Proved[] {
  return SECURITY_LINES.map((_line, index) => {
    const name = `SEC-${String(index + 1).padStart(2, '0')}`;
    return { name, tests: titles.filter(({ title }) => title.includes(name)) };
  });
}

/** By plan; a test belongs to a module when its own name is that of the module, with or without a remark behind it. */
export function moduleCoverage(titles = testTitles()): Record<string, Proved[]> {
  const all = titles.filter(({ file }) => file.includes('certification'));
  const plans = Object.entries(CERTIFICATION_PLANS).map(([plan, modules]): [string, Proved[]] => {
    const own = all.filter(({ title }) => title.startsWith(`${plan} `));
    // With or without a remark behind the name.
    const named = (name: string) => own.filter(({ title }) => title.slice(plan.length + 1).split(':')[0] === name);
    return [plan, modules.map((name) => ({ name, tests: named(name) }))];
  });
  return Object.fromEntries(plans);
}
