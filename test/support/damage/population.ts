// Populations in memory, made by the generator of `hygie sandbox`, which tests change as they like from one day to the next.

import { moved, personOf, withMailbox } from '#sandbox/people.ts';
import { type Person, SHIPPED_EDITION, type Structures } from '#sandbox/shipped-edition.ts';
import { createDraw, type Draw } from '#support/draw.ts';

export interface Population {
  people: readonly Person[];
  structures: Structures;
  /** Number of the next newcomer. */
  next: number;
  seed: number;
}

/** People of that number; those of another seed have other numbers and names. */
export function createPopulation(seed: number, size: number): Population {
  const { structures } = SHIPPED_EDITION;
  return withNewcomers({ people: [], structures, next: 0, seed }, size);
}

/** As many people more. */
export function withNewcomers(population: Population, count: number, isWanted = (_: Person) => true): Population {
  const wanted = SHIPPED_EDITION.people.filter(isWanted);
  const people = [...population.people];
  for (let number = population.next; number < population.next + count; number++)
    people.push(personOf(population.seed, number, wanted));
  return { ...population, people, next: population.next + count };
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
