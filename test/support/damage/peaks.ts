// What happens to the registers within a year, beyond the ordinary day: each a pure function from one day to the next.

import type { Person } from '#sandbox/shipped-edition.ts';
import { type Population, withNewcomers } from './population.ts';

const PROFESSION = 9;
const PROFESSION_LABEL = 10;
const STRUCTURE = 23;
const [ROUTING, POSTCODE] = [34, 35] as const;

const professionOf = ({ lines }: Person) => (lines.activities[0] ?? '').split('|')[PROFESSION];

/** So many more of one profession (share of all people), all with their diploma. */
export function graduates(population: Population, share: number, profession: string): Population {
  return withNewcomers(
    population,
    Math.round(population.people.length * share),
    (person) => professionOf(person) === profession && person.lines.diplomas.length > 0,
  );
}

/** All structures of a department under new numbers, in every register. */
export function renumbered(population: Population, department: string): Population {
  const numbers = new Map<string, string>();
  const { legalEntities, establishments, coordinates, mailboxes } = population.structures;
  for (const line of [...legalEntities, ...establishments]) {
    const number = line.split(';')[1] ?? '';
    if (number.startsWith(department)) numbers.set(number, `${department}8${number.slice(3)}`);
  }
  const pattern = new RegExp([...numbers.keys()].join('|'), 'g');
  const withNumbers = (line: string) =>
    numbers.size === 0 ? line : line.replace(pattern, (number) => numbers.get(number) as string);
  const structures = {
    legalEntities: legalEntities.map(withNumbers),
    establishments: establishments.map(withNumbers),
    coordinates: coordinates.map(withNumbers),
    mailboxes: mailboxes.map(withNumbers),
  };
  const people = population.people.map((person) =>
    withActivities(person, (cells) => {
      const [id = '', postcode = ''] = [cells[STRUCTURE], cells[POSTCODE]];
      return id.startsWith('R2') && postcode.startsWith(department)
        ? cells.with(STRUCTURE, id.replace('R2', 'R3'))
        : cells;
    }),
  );
  const everywhere = people.map((person) => ({
    ...person,
    lines: {
      ...person.lines,
      activities: person.lines.activities.map(withNumbers),
      mailboxes: person.lines.mailboxes.map(withNumbers),
    },
  }));
  return { ...population, people: everywhere, structures };
}

/** Every postal code of a department is another one of it. */
export function withNewPostcodes(population: Population, department: string): Population {
  const people = population.people.map((person) =>
    withActivities(person, (cells) => {
      const postcode = cells[POSTCODE] ?? '';
      if (!postcode.startsWith(department)) return cells;
      const other = `${department}9${postcode.slice(3)}`;
      return cells.with(POSTCODE, other).with(ROUTING, (cells[ROUTING] ?? '').replace(postcode, other));
    }),
  );
  return { ...population, people };
}

/** Another label of a profession, wherever it stands. */
export function relabelled(population: Population, profession: string, label: string): Population {
  const people = population.people.map((person) => {
    if (professionOf(person) !== profession) return person;
    const old = (person.lines.activities[0] ?? '').split('|')[PROFESSION_LABEL] ?? '';
    const change = (lines: readonly string[]) =>
      lines.map((line) => line.replaceAll(`|${profession}|${old}|`, `|${profession}|${label}|`));
    const { activities, diplomas, skills, mailboxes } = person.lines;
    const lines = {
      activities: change(activities),
      diplomas: change(diplomas),
      skills: change(skills),
      mailboxes: change(mailboxes),
    };
    return { ...person, lines };
  });
  return { ...population, people };
}

function withActivities(person: Person, change: (cells: string[]) => string[]): Person {
  const activities = person.lines.activities.map((line) => change(line.split('|')).join('|'));
  return { ...person, lines: { ...person.lines, activities } };
}
