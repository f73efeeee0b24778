// Editions of many days in a row, as they come out: ordinary days, and what happens now and then in a year.

import { type Person, PIPE_REGISTERS } from '#sandbox/shipped-edition.ts';
import { type Directory, type Outcome, openDirectory } from './directory.ts';
import { type EditionFiles, editionFiles, nameOf } from './edition-files.ts';
import { graduates, relabelled, renumbered, withNewPostcodes } from './peaks.ts';
import { createPopulation, onTheNextDay, type Population } from './population.ts';

export interface Day {
  day: number;
  what: string;
  outcome: Outcome;
  seconds: number;
}

const NURSE = '60';
const PHYSICIAN = '10';
const DAY = 86_400_000;
/** Share of people that go missing on each day of a decline. */
const LOSS = 0.085;
/** What a register may lose beyond that: people stand in it with as many lines as they have. */
const LEEWAY = 0.005;
/** People of a hundred whose lines change every day. */
const REWRITTEN = 15;
const STREET_NUMBER = 28;
const START = Date.UTC(2026, 8, 1);

interface Event {
  what: string;
  change?(population: Population): Population;
  /** The files that come out, where they are not those of the day. */
  files?(today: EditionFiles, dayBefore: EditionFiles): EditionFiles;
  /** Days without an edition before it. */
  pause?: number;
}

const ORDINARY: Event = { what: 'an ordinary day' };
const late: Event = {
  what: 'the skills are those of the day before',
  files: (today, before) => withOld(today, before, true),
};
const EVENTS: Readonly<Record<number, Event>> = {
  5: { what: 'a class of graduates: 3 % more people, all nurses', change: (all) => graduates(all, 0.03, NURSE) },
  9: { what: 'the structures of a department under new numbers', change: (all) => renumbered(all, '69') },
  12: { what: 'other postal codes in a department', change: (all) => withNewPostcodes(all, '13') },
  15: {
    what: 'another label of a profession that 18 % have',
    change: (all) => relabelled(all, PHYSICIAN, 'Médecin(e)'),
  },
  18: late,
  19: late,
  20: late,
  22: { what: 'the mailboxes did not change', files: (today, before) => withOld(today, before, false) },
  24: { what: 'after a pause of ten days', pause: 10 },
  27: { what: 'after a holiday of three days', pause: 3 },
};

/**
 * Loads an edition of each day, day 0 into an empty directory; ends at the first refusal, the outcome of which is the last.
 * @param churn share of people that leave, move, get a mailbox or arrive within a day
 */
export async function runChain(
  { seed, people, churn, days }: { seed: number; people: number; churn: number; days: number },
  onDay: (day: Day) => void = () => {},
): Promise<Day[]> {
  const directory = await openDirectory();
  const told: Day[] = [];
  let population = createPopulation(seed, people);
  let published: EditionFiles = new Map();
  try {
    for (let day = 0, date = START; day <= days; day++, date += DAY) {
      const { what, change, files, pause = 0 } = EVENTS[day] ?? ORDINARY;
      for (let passed = 0; day > 0 && passed <= pause; passed++)
        population = onTheNextDay(population, day + passed * 100, churn);
      if (change) population = change(population);
      date += pause * DAY;
      const today = editionFiles(population, dateOf(date));
      published = files ? files(today, published) : today;
      await letPass(directory, 1 + pause);
      const started = performance.now();
      const outcome = await directory.load(published);
      const one = { day, what, outcome, seconds: (performance.now() - started) / 1000 };
      told.push(one);
      onDay(one);
      if (outcome.refusals.length > 0) break;
    }
    return told;
  } finally {
    await directory.close();
  }
}

interface Slope {
  seed: number;
  people: number;
  days: number;
}

/** Loads an edition with 8.5 % fewer people each day; returns the day that was refused, if any. */
export function runDecline(slope: Slope): Promise<{ refusedOn?: number; outcome?: Outcome }> {
  return runSlope(slope, (population) => ({ ...population, people: withFewer(population.people) }));
}

/** Loads an edition in which 15 % of the people work at another number of their street each day; returns the day that was refused, if any. */
export function runRewriting(slope: Slope): Promise<{ refusedOn?: number; outcome?: Outcome }> {
  return runSlope(slope, (population, day) => ({
    ...population,
    people: population.people.map((person, at) => (at % 100 < REWRITTEN ? atOtherNumber(person, day) : person)),
  }));
}

async function runSlope(
  { seed, people, days }: Slope,
  next: (population: Population, day: number) => Population,
): Promise<{ refusedOn?: number; outcome?: Outcome }> {
  const directory = await openDirectory();
  let population = createPopulation(seed, people);
  try {
    for (let day = 0; day <= days; day++) {
      await letPass(directory, 1);
      const outcome = await directory.load(editionFiles(population, dateOf(START + day * DAY)));
      if (outcome.refusals.length > 0) return { refusedOn: day, outcome };
      population = next(population, day);
    }
    return {};
  } finally {
    await directory.close();
  }
}

function atOtherNumber(person: Person, day: number): Person {
  const activities = person.lines.activities.map((line) => {
    const cells = line.split('|');
    return cells[STREET_NUMBER] ? cells.with(STREET_NUMBER, String(200 + day)).join('|') : line;
  });
  return { ...person, lines: { ...person.lines, activities } };
}

/** Leaves people out, spread over all, but nobody by whom a register would lose a larger share of its lines. */
function withFewer(people: Population['people']): Population['people'] {
  const linesIn = (register: (typeof PIPE_REGISTERS)[number], some: Population['people']) =>
    some.reduce((sum, { lines }) => sum + lines[register].length, 0);
  const most = PIPE_REGISTERS.map((register) => [register, linesIn(register, people) * (LOSS + LEEWAY)] as const);
  const gone: Population['people'][number][] = [];
  for (const [at, person] of people.entries()) {
    const isDue = gone.length < Math.floor((at + 1) * LOSS);
    if (isDue && most.every(([register, limit]) => linesIn(register, [...gone, person]) <= limit)) gone.push(person);
  }
  return people.filter((person) => !gone.includes(person));
}

/** Every judgement becomes so many days older. */
async function letPass({ database }: Directory, days: number): Promise<void> {
  await database('directory_judgements').decrement('made_at', (days * DAY) / 1000);
}

function dateOf(instant: number): string {
  return new Date(instant).toISOString().slice(0, 10).replaceAll('-', '');
}

/** A register with the content of the day before: under its old name, skills; or under that of today, mailboxes. */
function withOld(today: EditionFiles, before: EditionFiles, isLate: boolean): EditionFiles {
  const key = isLate ? 'skills' : 'mailboxes';
  const [name, old] = [nameOf(today, key), nameOf(before, key)];
  const others = [...today].filter(([one]) => one !== name);
  return new Map([...others, [isLate ? old : name, before.get(old) as Buffer]]);
}
