// Editions of a fictional directory, a day apart, and what searches of each must find: computed from its lines, not asked of the service.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Person } from '#sandbox/shipped-edition.ts';
import { tokenize } from '#search-index/tokenizer.ts';
import { editionFiles } from '#support/damage/edition-files.ts';
import { createPopulation, onTheNextDay, type Population } from '#support/damage/population.ts';

/** Share of the people who leave, move, get a mailbox or arrive between two editions. */
const CHURN = 0.02;
const FIRST_DAY = Date.UTC(2026, 8, 1);
const DAY = 86_400_000;
/** Columns of the address of a structure, in the register of activities. */
const ADDRESS = [26, 38] as const;
/** Days begin with two digits: the beginning of no number is another one. */
const FIRST = 10;

/** A search of practitioners, and how many it finds in an edition. */
export interface Probe {
  query: string;
  total(edition: Edition): number;
}

export interface Edition {
  number: number;
  people: number;
  /** National numbers of the people in it. */
  ids: ReadonlySet<string>;
  /** How many people have a family name with these words at the beginning of its words. */
  byFamily(beginning: string): number;
  /** How many have an address with the words of the street that people moved to on that day. */
  byStreet(day: number): number;
}

export interface Editions {
  /** The newest that was written. */
  readonly newest: Edition;
  /** Writes the files of the next edition into a folder, in place of those that are there. */
  writeNext(folder: string): Edition;
  /** Beginnings of family names that some people have. */
  readonly beginnings: readonly string[];
  /** National numbers that some edition had. */
  readonly numbers: readonly string[];
  /** Days on which people moved. */
  readonly days: readonly number[];
}

export function createEditions(seed: number, practitioners: number): Editions {
  let population: Population | undefined;
  let newest: Edition | undefined;
  const numbers = new Set<string>();
  const beginnings = new Set<string>();
  const days: number[] = [];
  return {
    get newest() {
      if (!newest) throw new Error('no edition was written yet');
      return newest;
    },
    writeNext(folder) {
      const day = FIRST + days.length;
      population = population ? onTheNextDay(population, day, CHURN) : createPopulation(seed, practitioners);
      days.push(day);
      const date = new Date(FIRST_DAY + days.length * DAY).toISOString().slice(0, 10).replaceAll('-', '');
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder, { recursive: true });
      for (const [name, content] of editionFiles(population, date)) writeFileSync(join(folder, name), content);
      newest = editionOf(days.length, population.people);
      for (const person of population.people) {
        numbers.add(`8${person.rpps}`);
        const [word = ''] = tokenize(familyOf(person));
        if (word.length >= 3) beginnings.add(word.slice(0, 3));
      }
      return newest;
    },
    get beginnings() {
      return [...beginnings];
    },
    get numbers() {
      return [...numbers];
    },
    days,
  };
}

function editionOf(number: number, people: readonly Person[]): Edition {
  const families = people.map((person) => tokenize(familyOf(person)));
  const addresses = people.map(({ lines }) =>
    lines.activities.map((line) =>
      tokenize(
        line
          .split('|')
          .slice(...ADDRESS)
          .join(' '),
      ),
    ),
  );
  return {
    number,
    people: people.length,
    ids: new Set(people.map(({ rpps }) => `8${rpps}`)),
    byFamily: (beginning) => families.filter((words) => words.some((word) => word.startsWith(beginning))).length,
    byStreet: (day) => {
      const words = ['jour', String(day)];
      const hasAll = (address: readonly string[]) =>
        words.every((wanted) => address.some((word) => word.startsWith(wanted)));
      return addresses.filter((all) => all.some(hasAll)).length;
    },
  };
}

function familyOf({ lines }: Person): string {
  return lines.activities[0]?.split('|')[7] ?? '';
}
