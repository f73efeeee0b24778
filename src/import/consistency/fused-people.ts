// Finds two people under one national id, which would become one Practitioner.

import type { Row } from '#import/collect/columns.ts';
import { A } from '#import/registers/person-columns.ts';
import { otherPerson, type PersonName } from './names.ts';
import { type LinesOfId, nameColumnsOf, nameOf, type OtherRegister } from './people.ts';

const OTHERS: readonly OtherRegister[] = ['diplomas', 'skills', 'mailboxes'];

/** Number of names from which an id belongs to nobody. Each name would be compared with all others. */
const MOST_NAMES = 50;

/**
 * Groups the lines of activities of one id by the people that they name. There is one group, unless family and given
 * names both differ between lines: a person may have a name for each of two professions, or one before and one after a
 * marriage.
 */
export function peopleIn(activities: readonly Row[]): readonly (readonly Row[])[] {
  const first = activities[0] ?? [];
  // The names of most lines are equal as text.
  if (activities.every((row) => row[A.family] === first[A.family] && row[A.given] === first[A.given]))
    return [activities];
  const named = activities.filter((row) => isComplete(nameOf(row, A)));
  const byName = Map.groupBy(named, (row) => `${row[A.family]}|${row[A.given]}`);
  if (byName.size > MOST_NAMES) return [...byName.values()];
  let groups: Row[][] = [];
  for (const row of named) {
    const own = groups.filter((group) => group.some((one) => !otherPerson(nameOf(one, A), nameOf(row, A))));
    groups = [...groups.filter((group) => !own.includes(group)), [...own.flat(), row]];
  }
  return groups.length > 1 ? groups : [activities];
}

/**
 * The lines of the one person among these whose name other registers confirm. Undefined if they confirm none, or
 * several.
 */
export function confirmedPerson<Person extends LinesOfId>(
  person: Person,
  people: readonly (readonly Row[])[],
): Person | undefined {
  if (people.length > MOST_NAMES) return undefined;
  const candidates = people
    .map((activities) => {
      const own: Partial<Record<OtherRegister, Row[]>> = {};
      for (const register of OTHERS) {
        const at = nameColumnsOf(register);
        own[register] = person[register].filter((row) =>
          activities.some((activity) => !otherPerson(nameOf(activity, A), nameOf(row, at))),
        );
      }
      return { ...person, ...own, activities };
    })
    .filter((candidate) =>
      OTHERS.some((register) => candidate[register].some((row) => isComplete(nameOf(row, nameColumnsOf(register))))),
    );
  return candidates.length === 1 ? candidates[0] : undefined;
}

function isComplete({ family, given }: PersonName): boolean {
  return family !== '' && given !== '';
}
