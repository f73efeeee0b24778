// Guards on the numbers of lines and resources. Most of them compare this edition with the one before. Their limits are in
// `config/service/guard-table.ts`.

import { titleOf } from '#import/registers/register-kinds.ts';
import { editionsOf } from '#import/registers/source.ts';
import { RESOURCE_TYPES, type ResourceType } from '#search-index/index.ts';
import { listOf, risenDepartments } from './departments-and-professions.ts';
import { hasOtherForm, hintOfMissing } from './editions.ts';
import type { EditionToJudge } from './measured-edition.ts';
import { hasGrown, hasLost, LEAST_OF_FIRST_IMPORT, limitText, type Verdict, verdict } from './verdict.ts';

/** Checks that there are at least as many resources as the operator requires (`minimum`). */
export function guardMinimum({ counts, limits }: EditionToJudge): Verdict[] {
  return (['Practitioner', 'Organization'] as const).map((type) =>
    verdict('minimum', {
      register: type,
      passed: counts[type] >= limits.minimum[type],
      figures: `${counts[type]} resources (at least ${limits.minimum[type]})`,
      remedy: 'Give all files of the edition, whole',
    }),
  );
}

/** Compares the number of lines in each register with the edition before. A missing register counts as a loss of all its lines. */
export function guardRegisters({ sources, incoming, collector, before, limits }: EditionToJudge): Verdict[] {
  const now = editionsOf(sources);
  return Object.entries(before?.editions ?? {}).map(([register, { lines }]) => {
    const left = now[register]?.lines ?? 0;
    const hint = left === 0 ? hintOfMissing(register, { sources, incoming, collector }) : '';
    return verdict('registers', {
      register,
      passed: !hasLost(lines - left, lines, limits.registers),
      figures: `${titleOf(register)}: ${lines} lines before, ${left} now ${limitText(lines - left, lines, limits.registers, ' fewer')}${hint}`,
      remedy: hint === '' ? `Give the ${left === 0 ? 'missing' : 'whole'} file` : 'Take it as published, and whole',
    });
  });
}

/** Compares the number of resources of each type with the edition before. */
export function guardShrinkage({ counts, before, limits }: EditionToJudge): Verdict[] {
  if (!before) return [];
  return RESOURCE_TYPES.map((type) => {
    const [earlier, now] = [before.counts[type], counts[type]];
    return verdict('shrinkage', {
      register: type,
      passed: !hasLost(earlier - now, earlier, limits.shrinkage),
      figures: `${earlier} before, ${now} now ${limitText(earlier - now, earlier, limits.shrinkage, ' fewer')}`,
      remedy: 'Give the whole files of one day',
    });
  });
}

// A first import must have all expected registers. A later import is compared with the registers of the edition before.

/** The two registers of FINESS text, which need each other: establishments refer to legal entities. */
const FINESS = ['finess structureej', 'finess structureet'];

/** Checks at a first import that no expected register is missing. An edition that has only FHIR resources needs no registers. */
export function guardPartial({ sources, incoming, collector, before, limits }: EditionToJudge): Verdict[] {
  const kinds = new Set(sources.map(({ recognised }) => recognised.kind));
  if (before || (kinds.size === 1 && kinds.has('fhir'))) return [];
  const held = new Set(
    sources.flatMap(({ recognised, report }) => [
      recognised.kind,
      ...Object.keys(report.parts ?? {}).map((part) => `${recognised.kind} ${part}`),
    ]),
  );
  return limits.expected
    .flatMap((register) => (register === 'finess' && kinds.has('finess') ? FINESS : [register]))
    .map((register) => {
      const given = held.has(register);
      const hint = given ? '' : hintOfMissing(register, { sources, incoming, collector });
      return verdict('partial', {
        register,
        passed: given,
        figures: `${titleOf(register)}: ${given ? 'given' : 'not given'}${hint}`,
        remedy: hint === '' ? 'Give its file, too' : 'Take it as published, and whole',
      });
    });
}

// The next guards find editions that contain people twice, or the people of two editions.

const DOUBLED = 'Does the edition hold people or lines twice? Take the files as published';
/**
 * Maximum number of lines for each person: `firstImport` at a first import; after that, `factor` times the number in the edition before.
 */
const LINES_PER_PERSON = { firstImport: 2.5, factor: 1.2 };

/**
 * Checks whether there are too many resources of a type, lines of a register, resources in a department or lines for each person. Each of
 * these numbers is compared with the edition before. A first import has no edition before, so only the lines for each person are checked.
 */
export function guardGrowth(edition: EditionToJudge): Verdict[] {
  return [
    ...grownCounts(edition),
    ...RESOURCE_TYPES.flatMap((type) => risen(type, edition)),
    ...linesPerPerson(edition),
  ];
}

function grownCounts(edition: EditionToJudge): Verdict[] {
  const { counts, before, limits } = edition;
  if (!before) return [];
  const now = editionsOf(edition.sources);
  const lines = Object.entries(before.editions)
    // FHIR resources are left out here, because they are compared by type. FINESS is left out if it has changed from text to JSON or back,
    // because its text files and its JSON feed do not contain the same structures.
    .filter(([register]) => !register.startsWith('fhir ') && !(register.startsWith('finess ') && hasOtherForm(edition)))
    .map(([register, one]) => [register, one.lines, now[register]?.lines ?? 0] as const);
  const types = RESOURCE_TYPES.map((type) => [type, before.counts[type], counts[type]] as const);
  return [...types, ...lines].map(([register, earlier, count]) =>
    verdict('growth', {
      register,
      passed: !hasGrown(count, earlier, limits.growth),
      figures: `${earlier} before, ${count} now ${limitText(count - earlier, earlier, limits.growth, ' more')}`,
      remedy: DOUBLED,
    }),
  );
}

function risen(type: ResourceType, edition: EditionToJudge): Verdict[] {
  const found = risenDepartments(type, edition);
  if (found.length === 0) return [];
  const figures = `departments ${listOf(found)} have gained more than the whole country`;
  return [verdict('growth', { register: type, passed: false, figures, remedy: DOUBLED })];
}

function linesPerPerson({ collector, statistics, before }: EditionToJudge): Verdict[] {
  const { people, lines } = collector.populations.measured();
  const now = statistics.linesPerPerson;
  if (people < LEAST_OF_FIRST_IMPORT || now === undefined) return [];
  const earlier = before?.statistics?.linesPerPerson;
  const limit = earlier === undefined ? LINES_PER_PERSON.firstImport : earlier * LINES_PER_PERSON.factor;
  const beside = earlier === undefined ? '' : `, ${earlier.toFixed(2)} before`;
  return [
    verdict('growth', {
      register: 'activities',
      passed: now <= limit,
      figures: `${lines} lines of ${people} people (${now.toFixed(2)} for each${beside}; limit ${limit.toFixed(2)})`,
      remedy: DOUBLED,
    }),
  ];
}
