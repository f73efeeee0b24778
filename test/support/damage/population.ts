// Populations of any size and seed, made from the people of the fictional edition in `seeds/edition`: each is a copy of one of
// them with a number and a name of its own.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { createDraw, type Draw } from '../draw.ts';
import { HEADERS, type PipeRegister } from '../import/register-files.ts';

/** The lines of one person by register, without line breaks. */
export interface Person {
  rpps: string;
  lines: Readonly<Record<PipeRegister, readonly string[]>>;
}

export interface Population {
  people: readonly Person[];
  /** Mailboxes of structures, and the lines of FINESS without its first. */
  structures: Readonly<Record<'mailboxes' | 'legalEntities' | 'establishments', readonly string[]>>;
  /** Number of the next newcomer. */
  next: number;
  seed: number;
}

export const PIPE_REGISTERS = ['activities', 'diplomas', 'skills', 'mailboxes'] as const;
/** Columns of the national number, the family name and the given name, in each register. */
export const PERSON_COLUMNS = {
  activities: { nationalId: 2, family: 7, given: 8 },
  diplomas: { nationalId: 2, family: 3, given: 4 },
  skills: { nationalId: 2, family: 3, given: 4 },
  mailboxes: { nationalId: 4, family: 9, given: 10 },
} as const satisfies Record<PipeRegister, object>;

const FOLDER = join(import.meta.dirname, '../../../seeds/edition');
const FILES = {
  activities: /Personne_activite/,
  diplomas: /Dipl_AutExerc/,
  skills: /SavoirFaire/,
  mailboxes: /MSSante/,
  legalEntities: /cs1100501/,
  establishments: /cs1100502/,
} as const;

let model: Population | undefined;

/** People of that number; those of another seed have other numbers and names. */
export function createPopulation(seed: number, size: number): Population {
  const { structures } = modelPopulation();
  const empty = { people: [], structures, next: 0, seed };
  return withNewcomers(empty, size);
}

/** As many people more. */
export function withNewcomers(population: Population, count: number, isWanted = (_: Person) => true): Population {
  const models = modelPopulation().people;
  const wanted = models.filter(isWanted);
  const people = [...population.people];
  for (let number = population.next; number < population.next + count; number++) {
    const draw = createDraw(population.seed * 1_000_003 + number);
    const person = wanted[(number * 7919 + population.seed) % wanted.length] as Person;
    people.push(copyOf(person, population.seed, number, draw.one(models)));
  }
  return { ...population, people, next: population.next + count };
}

function copyOf(person: Person, seed: number, number: number, namesake: Person): Person {
  const rpps = withCheckDigit(String(1_900_000_000 + (seed % 90) * 1_000_000 + number));
  const names = nameOf(namesake);
  const lines = Object.fromEntries(
    PIPE_REGISTERS.map((register) => [
      register,
      person.lines[register].map((line) => {
        const cells = line.replaceAll(person.rpps, rpps).split('|');
        // The same letters everywhere: registers that differ in case and accents are nothing that damages are about.
        cells[PERSON_COLUMNS[register].family] = names.family;
        cells[PERSON_COLUMNS[register].given] = names.given;
        if (register === 'mailboxes') cells[1] = `${seed}.${number}.${cells[1]}`;
        return cells.join('|');
      }),
    ]),
  ) as unknown as Person['lines'];
  return { rpps, lines };
}

function nameOf({ lines }: Person): { family: string; given: string } {
  const cells = (lines.activities[0] ?? '').split('|');
  return { family: cells[7] ?? '', given: cells[8] ?? '' };
}

function modelPopulation(): Population {
  model ??= readModel();
  return model;
}

function readModel(): Population {
  const lines = Object.fromEntries(
    Object.entries(FILES).map(([part, pattern]) => {
      const name = readdirSync(FOLDER).find((file) => pattern.test(file)) as string;
      return [
        part,
        gunzipSync(readFileSync(join(FOLDER, name)))
          .toString()
          .split('\n')
          .slice(1, -1),
      ];
    }),
  ) as Record<keyof typeof FILES, string[]>;
  const byPerson = PIPE_REGISTERS.map((register) =>
    Map.groupBy(lines[register], (line) => line.split('|')[PERSON_COLUMNS[register].nationalId] ?? ''),
  );
  const people = [...(byPerson[0]?.keys() ?? [])].map((id) => ({
    rpps: id.slice(1),
    lines: Object.fromEntries(
      PIPE_REGISTERS.map((register, at) => [register, byPerson[at]?.get(id) ?? []]),
    ) as unknown as Person['lines'],
  }));
  const { legalEntities, establishments } = lines;
  const mailboxes = lines.mailboxes.filter((line) => line.startsWith('ORG|'));
  return { people, structures: { mailboxes, legalEntities, establishments }, next: people.length, seed: 0 };
}

/** The number with its check digit after Luhn. */
function withCheckDigit(number: string): string {
  const sum = [...number].reduceRight((total, digit, at) => {
    const doubled = Number(digit) * ((number.length - at) % 2 === 1 ? 2 : 1);
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return `${number}${(10 - (sum % 10)) % 10}`;
}

/** What changes from one day to the next: a third of `churn` leave, as many move, get a mailbox, and arrive. */
export function onTheNextDay(population: Population, day: number, churn: number): Population {
  const draw: Draw = createDraw(population.seed * 31 + day);
  const third = Math.round((population.people.length * churn) / 3);
  const [leaving, moving, joining] = [0, 1, 2].map(() => new Set(draw.some(population.people, third)));
  const people = population.people
    .filter((person) => !leaving?.has(person))
    .map((person) => (moving?.has(person) ? moved(person, day) : person))
    .map((person) => (joining?.has(person) ? withMailbox(person, day) : person));
  return withNewcomers({ ...population, people }, third);
}

/** In another street. */
function moved(person: Person, day: number): Person {
  const activities = person.lines.activities.map((line) => {
    const cells = line.split('|');
    if (cells[32] !== '') cells[32] = `DU JOUR ${day}`;
    return cells.join('|');
  });
  return { ...person, lines: { ...person.lines, activities } };
}

function withMailbox(person: Person, day: number): Person {
  const { family, given } = nameOf(person);
  const cells = HEADERS.mailboxes.split('|').map(() => '');
  const profession = person.lines.activities[0]?.split('|')[9] ?? '';
  Object.assign(cells, [
    'PER',
    `jour${day}.${person.rpps}@medecin.mssante.example`,
    '8',
    person.rpps,
    `8${person.rpps}`,
  ]);
  Object.assign(cells, { 9: family, 10: given, 11: 'C', 12: 'Civil', 13: profession, 17: 'O' });
  return { ...person, lines: { ...person.lines, mailboxes: [...person.lines.mailboxes, cells.join('|')] } };
}
