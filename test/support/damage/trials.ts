// Tries damages: on a renewal and on a first load, alone and together, each time from the same directory.

import { createDraw } from '#support/draw.ts';
import type { Damage, EditionForm, Expectation } from './damages/damage.ts';
import { asFhir } from './damages/fhir.ts';
import { asFinessJson } from './damages/finess.ts';
import { type Directory, type Outcome, openDirectory, type Resources } from './directory.ts';
import { type EditionFiles, editionFiles } from './edition-files.ts';
import { createPopulation, onTheNextDay } from './population.ts';

export type Occasion = 'renewal' | 'first load';

export interface Trial {
  /** Names of the damages, in their order. */
  damages: readonly string[];
  occasion: Occasion;
  seed: number;
  /** `crashed`: an error that is no refusal; `changed`: refused, and the directory is another one. */
  outcome: 'same' | 'refused' | 'silent' | 'crashed' | 'changed';
  /** Names of the guards that refused. */
  guards: readonly string[];
  /** The sentence of the refusal, or the difference. */
  said: string;
  isExpected: boolean;
}

export interface Laboratory {
  /** Applies the damages one after the other, at places that the seed says. */
  run(damages: readonly Damage[], occasion: Occasion, seed: number): Promise<Trial>;
  close(): Promise<void>;
}

interface Ground {
  directory: Directory;
  files: EditionFiles;
  /** What the undamaged edition gives. */
  undamaged: Resources;
  current: string | undefined;
}

const [BEFORE, TODAY] = ['20261008', '20261009'] as const;
const CHURN = 0.01;

/** Editions of two days of as many people, with a directory for each form and occasion that is tried. */
export function openLaboratory(seed: number, size: number): Laboratory {
  const population = createPopulation(seed, size);
  const days = [
    editionFiles(population, BEFORE),
    editionFiles(onTheNextDay(population, 1, CHURN), TODAY),
    editionFiles(createPopulation(seed + 40, size), TODAY),
  ] as const;
  const grounds = new Map<string, Promise<Ground>>();
  const groundOf = (form: EditionForm | undefined, occasion: Occasion) => {
    const key = `${form}, ${occasion}`;
    const opened = grounds.get(key) ?? openGround(days, form, occasion);
    grounds.set(key, opened);
    return opened;
  };
  return {
    async run(damages, occasion, at) {
      const form = damages[0]?.form;
      const { directory, files, undamaged, current } = await groundOf(form, occasion);
      const [dayBefore, , otherPeople] = days;
      const context = { draw: createDraw(at), dayBefore, otherPeople };
      const damaged = damages.reduce((some, damage) => damage.apply(some, context), files);
      const told = { damages: damages.map(({ name }) => name), occasion, seed: at };
      try {
        const outcome = await directory.load(damaged);
        const found = await classify(outcome, directory, undamaged, current);
        return { ...told, ...found, isExpected: isExpected(damages, occasion, found) };
      } catch (error) {
        return { ...told, outcome: 'crashed', guards: [], said: String(error), isExpected: false };
      } finally {
        await directory.restore();
      }
    },
    async close() {
      for (const ground of grounds.values()) await (await ground).directory.close();
    },
  };
}

async function openGround(
  [before, today]: readonly EditionFiles[],
  form: EditionForm | undefined,
  occasion: Occasion,
): Promise<Ground> {
  const directory = await openDirectory();
  const [formBefore, formToday] = await Promise.all([inForm(before, form, BEFORE), inForm(today, form, TODAY)]);
  if (occasion === 'renewal') await loadUndamaged(directory, formBefore);
  await directory.keep();
  const current = await directory.current();
  await loadUndamaged(directory, formToday);
  const undamaged = await directory.resources();
  await directory.restore();
  return { directory, files: formToday, undamaged, current };
}

async function inForm(
  files: EditionFiles = new Map(),
  form: EditionForm | undefined,
  date: string,
): Promise<EditionFiles> {
  if (form === 'finess-json') return asFinessJson(files);
  if (form === undefined) return files;
  const registers = await openDirectory();
  await loadUndamaged(registers, files);
  const resources = await registers.resources();
  await registers.close();
  return asFhir(resources, date);
}

async function loadUndamaged(directory: Directory, files: EditionFiles): Promise<void> {
  const { refusals } = await directory.load(files);
  if (refusals.length > 0) throw new Error(`an undamaged edition is refused: ${JSON.stringify(refusals)}`);
}

async function classify(
  { refusals }: Outcome,
  directory: Directory,
  undamaged: Resources,
  before: string | undefined,
): Promise<Pick<Trial, 'outcome' | 'guards' | 'said'>> {
  const guards = [...new Set(refusals.map(({ name }) => name))];
  if (refusals.length > 0) {
    const unchanged = (await directory.current()) === before;
    return { outcome: unchanged ? 'refused' : 'changed', guards, said: refusals.map(({ said }) => said).join('; ') };
  }
  const differences = differencesOf(await directory.resources(), undamaged);
  const outcome = differences.length === 0 ? 'same' : 'silent';
  return { outcome, guards, said: `${differences.length} resources differ: ${differences.slice(0, 3).join(' | ')}` };
}

/** What differs, each with its reference. */
function differencesOf(found: Resources, wanted: Resources): string[] {
  const references = [...new Set([...found.keys(), ...wanted.keys()])];
  return references
    .filter((reference) => found.get(reference) !== wanted.get(reference))
    .map((reference) => {
      if (!found.has(reference)) return `${reference} is missing`;
      return wanted.has(reference) ? `${reference} is ${found.get(reference)}` : `${reference} is there`;
    });
}

function isExpected(
  damages: readonly Damage[],
  occasion: Occasion,
  { outcome, guards }: Pick<Trial, 'outcome' | 'guards'>,
): boolean {
  const mayBeSilent = occasion === 'first load' && damages.some(({ firstLoad }) => firstLoad === 'unseen');
  if (mayBeSilent) return outcome !== 'crashed' && outcome !== 'changed';
  const [alone] = damages;
  if (damages.length > 1 || alone === undefined) return outcome === 'same' || outcome === 'refused';
  const { renewal, firstLoad = renewal } = alone;
  return meets(occasion === 'renewal' ? renewal : (firstLoad as Expectation), outcome, guards);
}

function meets(expected: Expectation, outcome: Trial['outcome'], guards: readonly string[]): boolean {
  if (Array.isArray(expected)) return expected.some((one) => meets(one, outcome, guards));
  if (expected === 'same') return outcome === 'same';
  return outcome === 'refused' && guards.some((name) => (expected as RegExp).test(name));
}
