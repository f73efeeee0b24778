// Guards against people that an edition holds twice or that do not exist, and against mail addresses and structures that too many people
// share. Limits that are not declared here stand in `config/service/guard-table.ts`.

import type { Collector } from '#import/collect/collector.ts';
import { idFrom } from '#import/mapping/resource-ids.ts';
import { printable } from '#shared/log/printable.ts';
import type { EditionToJudge } from './measured-edition.ts';
import { hasSpread, LEAST_CASES, LEAST_OF_REGISTER, percent, type Verdict, verdict } from './verdict.ts';

/**
 * Lists people that may be the same person under several identifiers, and people with a name that marks a test record. Each listed resource
 * is also counted as a warning.
 */
export function doubtPeople({ populations, doubt }: Collector): void {
  const { duplicates, tests } = populations.measured();
  for (const { ids } of duplicates.groups) {
    const [first, ...others] = ids.map(referenceTo);
    if (first && others.length > 0)
      doubt('same-person-twice', first, `name, profession and structure of ${others.join(', ')}`);
  }
  for (const { id, name } of tests) doubt('test-person', referenceTo(id), `named "${name}"`);
}

function referenceTo(nationalId: string): string {
  return `Practitioner/${idFrom(nationalId, 'p-')}`;
}

/**
 * Checks the share of people with the same name, profession and structure as somebody else. It must not exceed the share in the edition
 * before by more than the limit.
 */
export function guardDuplicates({ collector, ...edition }: EditionToJudge): Verdict[] {
  const { people, duplicates } = collector.populations.measured();
  if (people < LEAST_OF_REGISTER) return [];
  const what = 'have the name, profession and structure of another one';
  const example = duplicates.groups[0]?.ids.slice(0, 3).join(', ');
  const remedy = 'Were people numbered anew beside their former numbers? Take the file as published';
  return [shareOfPeople('duplicates', duplicates.people, people, edition, { what, example, remedy })];
}

/**
 * Checks the share of people with a name that marks a test record. It must not exceed the share in the edition before by more than the
 * limit. `doubtPeople` lists these people.
 */
export function guardTestNames({ collector, ...edition }: EditionToJudge): Verdict[] {
  const { people, tests } = collector.populations.measured();
  if (people === 0) return [];
  const [first] = tests;
  const example = first && `${first.id} "${printable(first.name.slice(0, 60))}"`;
  const words = { what: 'have the name of a test', example, remedy: 'Is this an edition for tests?' };
  return [shareOfPeople('testNames', tests.length, people, edition, words)];
}

/** If a share has risen by more than this fraction of the limit, the guard passes, but its verdict is marked as notable. */
const NOTABLE = 0.25;

/** Makes the verdict on `count` of `people`. Their share is compared with the share in the edition before or, at a first import, with 0. */
function shareOfPeople(
  guard: 'duplicates' | 'testNames',
  count: number,
  people: number,
  { before, limits }: Pick<EditionToJudge, 'before' | 'limits'>,
  { what, example, remedy }: { what: string; example: string | undefined; remedy: string },
): Verdict {
  const earlier = before?.statistics?.[guard];
  const limit = `limit ${percent(limits[guard])}${earlier === undefined ? '' : ` more than ${percent(earlier)} before`}`;
  const passed = !hasSpread(count, people, earlier ?? 0, limits[guard]);
  const hasRisen = earlier !== undefined && hasSpread(count, people, earlier, limits[guard] * NOTABLE);
  return verdict(guard, {
    register: 'activities',
    passed,
    ...(passed && hasRisen && { notable: true }),
    figures: `${count} of ${people} people ${what} (${percent(count / people)}, ${limit})${example ? `, such as ${example}` : ''}`,
    remedy,
  });
}

/**
 * Maximum share of people in one structure. At a first import, the limit is `firstImport`, or `ofSmall` if the edition has fewer than
 * `small` people. Later, it is the share in the edition before plus `more`. The largest hospital of a country has one in 200 people, but
 * the only hospital of an island may have a fifth.
 */
const LARGEST = { firstImport: 0.09, more: 0.03, small: 50_000, ofSmall: 0.25 };

/** Checks that not too many people have one and the same personal mail address, and that not too many people belong to one structure. */
export function guardOneForMany({ collector, before, limits }: EditionToJudge): Verdict[] {
  const { people, addresses, shared, largest } = collector.populations.measured();
  const verdicts: Verdict[] = [];
  const [most] = shared;
  if (most) {
    // Up to `LEAST_CASES` people may share an address in any edition, because a secretariat has one address for all its people.
    const earlier = before?.statistics?.shared ?? 0;
    const limit = earlier + limits.oneForMany;
    verdicts.push(
      verdict('oneForMany', {
        register: 'mailboxes',
        passed: most.people <= LEAST_CASES || most.people <= limit * addresses,
        figures: `${most.people} of ${addresses} personal addresses are "${printable(most.address.slice(0, 100))}" (${percent(most.people / addresses)}, limit ${percent(limit)})`,
        remedy: 'Was the column filled with one address? Take the file as published',
      }),
    );
  }
  if (people >= LEAST_OF_REGISTER && largest.people > 0) {
    const earlier = before?.statistics?.largest;
    const usual = earlier === undefined ? LARGEST.firstImport : earlier + LARGEST.more;
    const limit = earlier === undefined && people < LARGEST.small ? LARGEST.ofSmall : usual;
    const passed = largest.people <= limit * people;
    verdicts.push(
      verdict('oneForMany', {
        register: 'activities',
        passed,
        ...(passed && largest.people > usual * people && { notable: true }),
        figures: `about ${largest.people} of ${people} people belong to structure ${largest.id} (${percent(largest.people / people)}, limit ${percent(limit)})`,
        remedy: 'Was the column of structures filled with one number? Take the file as published',
      }),
    );
  }
  return verdicts;
}
