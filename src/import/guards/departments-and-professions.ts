// Guards on the parts of an edition: the departments, and the professions with their specialities and diplomas. The guards notice that one
// part is missing or has shrunk. Their limits stand in `config/service/guard-table.ts`.

import { UNKNOWN } from '#import/collect/departments.ts';
import type { ResourceType } from '#search-index/index.ts';
import type { EditionStatistics } from '#store/snapshots/judgements.ts';
import type { EditionToJudge } from './measured-edition.ts';
import { hasDeclined, LEAST_CASES, percent, type Verdict, verdict } from './verdict.ts';

interface Group {
  name: string;
  now: number;
  before: number;
}

type Statistics = Pick<EditionStatistics, 'departments' | 'professions'>;

/**
 * A way to divide an edition into parts. Each part is compared by itself, because a part may be missing without the whole becoming much
 * smaller.
 */
export interface Parts {
  guard: 'departments' | 'professions';
  register: ResourceType | 'diplomas';
  /** Text before the name of one department or profession in a message, such as `department `; may be empty. */
  part: string;
  /** The plural for messages, such as `departments`. */
  parts: string;
  /** Returns the number of resources in each part, by the name of the part. */
  of: (statistics: Statistics) => Readonly<Record<string, number>>;
}

function departmentsOf(register: ResourceType): Parts {
  return {
    guard: 'departments',
    register,
    part: 'department ',
    parts: 'departments',
    of: ({ departments }) =>
      Object.fromEntries(Object.entries(departments).map(([name, counts]) => [name, counts[register] ?? 0])),
  };
}

const DEPARTMENTS: readonly Parts[] = [departmentsOf('Practitioner'), departmentsOf('Organization')];
const isDiploma = (group: string) => group.startsWith('diploma ');
const groupsOf = ({ professions = {} }: Statistics, isWanted: (group: string) => boolean) =>
  Object.fromEntries(Object.entries(professions).filter(([group]) => isWanted(group)));
/**
 * All ways to divide an edition. Diplomas are a division of their own, so each diploma is compared with the sum of all diplomas. If it were
 * compared with the number of people, all diplomas would be reported when half of their register is missing.
 */
export const PARTS: readonly Parts[] = [
  ...DEPARTMENTS,
  {
    guard: 'professions',
    register: 'Practitioner',
    part: '',
    parts: 'professions and specialities',
    of: (statistics) => groupsOf(statistics, (group) => !isDiploma(group)),
  },
  {
    guard: 'professions',
    register: 'diplomas',
    part: '',
    parts: 'diplomas of professions',
    of: (statistics) => groupsOf(statistics, isDiploma),
  },
];

/**
 * Finds departments that have lost a larger share of people or structures than the whole country since the edition before. Professions,
 * specialities, and diplomas of a profession are compared in the same way. Other guards report a loss that all parts share. Small
 * departments that have disappeared completely are added up and judged together.
 */
export function guardParts(edition: EditionToJudge): Verdict[] {
  return PARTS.flatMap((parts) => guardPart(parts, edition));
}

function guardPart(parts: Parts, { statistics, before, limits }: EditionToJudge): Verdict[] {
  const earlier = before?.statistics ?? { departments: {} };
  if (Object.keys(parts.of(earlier)).length === 0) return [];
  const limit = limits[parts.guard];
  const { named, lost, whole } = declined(parts, { now: statistics, before: earlier }, limit);
  const gone = named.filter(({ now, before: count }) => now === 0 && count > 0 && count * whole < LEAST_CASES);
  const vanished = sum(gone, 'before') * whole >= LEAST_CASES ? gone : [];
  const found = [...lost, ...vanished];
  return [
    verdict(parts.guard, {
      register: parts.register,
      passed: found.length === 0,
      figures:
        found.length === 0
          ? `${named.length} ${parts.parts} hold as many as before`
          : `${parts.parts} ${listOf(found)} have lost more than ${percent(limit)}`,
      remedy:
        parts.guard === 'departments'
          ? 'Is a part of the country missing, or were postal codes changed? Take the files as published'
          : 'Is a profession missing, or were codes changed? Take the files as published',
    }),
  ];
}

/** Formats the first five parts of a list: `31 (120 before, 0 now), 32 (...) and 3 more` */
export function listOf(groups: readonly Group[]): string {
  const list = groups.slice(0, 5).map(({ name, now, before }) => `${name} (${before} before, ${now} now)`);
  return `${list.join(', ')}${groups.length > list.length ? ` and ${groups.length - list.length} more` : ''}`;
}

/** Returns the departments with a growth that exceeds the growth of the whole country by more than the limit. */
export function risenDepartments(
  register: ResourceType,
  { statistics, before, limits }: EditionToJudge,
): readonly Group[] {
  const parts = DEPARTMENTS.find((one) => one.register === register);
  const earlier = before?.statistics;
  if (!parts || !earlier || Object.keys(parts.of(earlier)).length === 0) return [];
  // A rise is a decline in the reverse direction, so `now` and `before` are exchanged.
  const { lost } = declined(parts, { now: earlier, before: statistics }, limits.departments);
  return lost.map(({ name, now, before: after }) => ({ name, now: after, before: now }));
}

/**
 * Compares the parts of two editions. `lost` are the parts with a loss that exceeds the loss of the whole by more than `limit` (share,
 * 0-1). `named` are all parts except the unknown one. `whole` is the share of the whole that is left, 1 at most. If `now` has no counts at
 * all, no part is taken as lost: the edition may come from FHIR files alone, in which people have no profession. If there are really no
 * people any more, other guards notice it.
 */
export function declined(
  { of }: Parts,
  { now, before }: Record<'now' | 'before', Statistics>,
  limit: number,
): { named: Group[]; lost: Group[]; whole: number } {
  const [later, earlier] = [of(now), of(before)];
  if (Object.keys(later).length === 0) return { named: [], lost: [], whole: 1 };
  const names = [...new Set([...Object.keys(earlier), ...Object.keys(later)])].sort();
  const groups = names.map((name) => ({ name, now: later[name] ?? 0, before: earlier[name] ?? 0 }));
  // Specialities are not added to the sum, because their people are already counted in their profession.
  const all = groups.filter(({ name }) => !name.startsWith('speciality '));
  const whole = Math.min(1, sum(all, 'now') / Math.max(1, sum(all, 'before')));
  const named = groups.filter(({ name }) => name !== UNKNOWN);
  return { named, lost: named.filter((one) => hasDeclined(one.before * whole, one.now, limit)), whole };
}

function sum(groups: readonly Group[], key: 'now' | 'before'): number {
  return groups.reduce((total, group) => total + group[key], 0);
}
