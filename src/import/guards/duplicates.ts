// Guards on people that stand in the edition twice or do not exist, and on addresses and structures that too many people share. Their
// limits stand in `config/service/guard-table.ts`.

import type { Collector } from '#import/collect/collector.ts';
import { idFrom } from '#import/mapping/resource-ids.ts';
import { printable } from '#shared/log/printable.ts';
import type { EditionToJudge } from './measured-edition.ts';
import { hasSpread, LEAST_CASES, LEAST_OF_REGISTER, percent, type Verdict, verdict } from './verdict.ts';

/** Warns of identifiers that may belong to one person, and of people with the name of a test, and lists them. */
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

/** Checks how many people have the same name, profession and structure as another person. */
export function guardDuplicates({ collector, ...edition }: EditionToJudge): Verdict[] {
  const { people, duplicates } = collector.populations.measured();
  if (people < LEAST_OF_REGISTER) return [];
  const what = 'have the name, profession and structure of another one';
  const example = duplicates.groups[0]?.ids.slice(0, 3).join(', ');
  const remedy = 'Were people numbered anew beside their former numbers? Take the file as published';
  return [shareOfPeople('duplicates', duplicates.people, people, edition, { what, example, remedy })];
}

/** Checks how many people have the name of a test. Each of them is also reported as a warning. */
export function guardTestNames({ collector, ...edition }: EditionToJudge): Verdict[] {
  const { people, tests } = collector.populations.measured();
  if (people === 0) return [];
  const [first] = tests;
  const example = first && `${first.id} "${printable(first.name.slice(0, 60))}"`;
  const words = { what: 'have the name of a test', example, remedy: 'Is this an edition for tests?' };
  return [shareOfPeople('testNames', tests.length, people, edition, words)];
}

/** A rise of more than this part of the limit is notable. */
const NOTABLE = 0.25;

/** Compares the share of people with an oddity, in this edition and in the one before. */
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
 * Maximum share of people in one structure. `firstImport` holds at a first import; later, `more` is added to the share of the edition
 * before. The largest hospital of a country has one in 200 people. The only hospital of an island may have a fifth, so below `small` people
 * the limit is `ofSmall`.
 */
const LARGEST = { firstImport: 0.09, more: 0.03, small: 50_000, ofSmall: 0.25 };

/** Checks how many people have one mail address, and how many belong to one structure. */
export function guardOneForMany({ collector, before, limits }: EditionToJudge): Verdict[] {
  const { people, addresses, shared, largest } = collector.populations.measured();
  const verdicts: Verdict[] = [];
  const [most] = shared;
  if (most) {
    // A secretariat has one address for all its people, even in a small edition.
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
