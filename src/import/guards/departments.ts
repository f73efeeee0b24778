// Guards on the distribution of people and structures over the country.

import { UNKNOWN } from '#import/collect/departments.ts';
import type { ResourceType } from '#search-index/index.ts';
import type { EditionToJudge } from './measured-edition.ts';
import { hasDeclined, LEAST_CASES } from './significance.ts';
import { percent, type Verdict, verdict } from './verdict.ts';

interface Department {
  name: string;
  now: number;
  before: number;
}

/**
 * Finds departments that lost a larger share of people or structures than the whole country, compared with the edition before. Other guards
 * report a loss that all share. Small departments that disappeared altogether count together.
 */
export function guardDepartments({ statistics, before, limits }: EditionToJudge): Verdict[] {
  const earlier = before?.statistics?.departments ?? {};
  if (Object.keys(earlier).length === 0) return [];
  return (['Practitioner', 'Organization'] as const).map((type) => {
    const { placed, lost, whole } = declined(
      type,
      { now: statistics.departments, before: earlier },
      limits.departments,
    );
    const gone = placed.filter(({ now, before: count }) => now === 0 && count > 0 && count * whole < LEAST_CASES);
    const vanished = sum(gone, 'before') * whole >= LEAST_CASES ? gone : [];
    const found = [...lost, ...vanished];
    const list = found.slice(0, 5).map(({ name, now, before: count }) => `${name} (${count} before, ${now} now)`);
    const more = found.length > list.length ? ` and ${found.length - list.length} more` : '';
    return verdict('departments', {
      register: type,
      passed: found.length === 0,
      figures:
        found.length === 0
          ? `${placed.length} departments hold as many as before`
          : `departments ${list.join(', ')}${more} have lost more than ${percent(limits.departments)}`,
      remedy: 'Is a part of the country missing, or were postal codes changed? Take the files as published',
    });
  });
}

/**
 * Returns the departments that have lost more than `limit` (share, 0-1) beyond the loss of all, and all departments
 * that have a name.
 */
export function declined(
  type: ResourceType,
  { now, before }: Record<'now' | 'before', EditionToJudge['statistics']['departments']>,
  limit: number,
): { placed: Department[]; lost: Department[]; whole: number } {
  const departments = departmentsOf(type, now, before);
  const whole = Math.min(1, sum(departments, 'now') / Math.max(1, sum(departments, 'before')));
  const placed = departments.filter(({ name }) => name !== UNKNOWN);
  return { placed, lost: placed.filter((one) => hasDeclined(one.before * whole, one.now, limit)), whole };
}

function departmentsOf(
  type: ResourceType,
  now: EditionToJudge['statistics']['departments'],
  before: EditionToJudge['statistics']['departments'],
): Department[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])].sort();
  return names.map((name) => ({ name, now: now[name]?.[type] ?? 0, before: before[name]?.[type] ?? 0 }));
}

function sum(departments: readonly Department[], key: 'now' | 'before'): number {
  return departments.reduce((total, department) => total + department[key], 0);
}

export function guardProfessions(_edition: EditionToJudge): Verdict[] {
  return [];
}
