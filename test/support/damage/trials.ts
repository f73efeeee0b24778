// Tries damages: on a renewal and on a first import, alone and together, each time from the same directory.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createDraw } from '#support/draw.ts';
import type { Damage, EditionForm, Expectation } from './damages/damage.ts';
import { asFhir } from './damages/fhir.ts';
import { asFinessJson } from './damages/finess.ts';
import { withFewMailboxes, withUnlikeMailboxes } from './damages/mailboxes.ts';
import { type Directory, type Outcome, openDirectory, type Resources } from './directory.ts';
import { type EditionFiles, editionFiles } from './edition-files.ts';
import { createPopulation, onTheNextDay } from './population.ts';

export type Occasion = 'renewal' | 'first import';

export interface Trial {
  /** Names of the damages, in their order. */
  damages: readonly string[];
  occasion: Occasion;
  seed: number;
  /**
   * `warned`: loaded, with more warnings than the undamaged edition. `crashed`: an error that is no refusal. `changed`: refused, and the
   * directory is another one.
   */
  outcome: 'same' | 'refused' | 'warned' | 'silent' | 'crashed' | 'changed';
  /** Names of the guards that refused. */
  guards: readonly string[];
  /** Kinds of warnings that the undamaged edition has fewer of, lines that were left out, guards with a notable finding. */
  warned: readonly string[];
  /** The sentence of the refusal, or the difference. */
  said: string;
  isExpected: boolean;
}

export interface Laboratory {
  /** Applies the damages one after the other, at places that the seed says. */
  run(damages: readonly Damage[], occasion: Occasion, seed: number): Promise<Trial>;
  /** What speaks against the undamaged editions: sentences by occasion and form, none if they are accepted without a warning. */
  undamaged(): Promise<readonly Undamaged[]>;
  close(): Promise<void>;
}

export interface Undamaged {
  occasion: Occasion;
  form: EditionForm | undefined;
  /** Guards that refuse it, with their sentences: false alarms. */
  refusals: Outcome['refusals'];
  /** Why it is accepted with warnings, if it is. */
  warnings: readonly string[];
}

/** Editions of two days, and one of other people. */
export interface Days {
  before: EditionFiles;
  today: EditionFiles;
  others: EditionFiles;
}

interface Ground {
  directory: Directory;
  files: EditionFiles;
  /** What the undamaged edition gives. */
  undamaged: Resources;
  report: Outcome['report'];
  alarms: Undamaged;
  current: string | undefined;
}

const [BEFORE, TODAY] = ['20261008', '20261009'] as const;
const CHURN = 0.01;
/** Kinds of warnings about lines and numbers that every edition has some of. More of them tell nobody that facts are wrong. */
const UNTELLING: ReadonlySet<string> = new Set([
  'bad-check-digit',
  'duplicate-line',
  'unknown-person',
  'unknown-structure',
  'known-by-reference',
  'mail-without-structure',
  'shared-siret',
  'meaningless-number',
]);
const GUIDE = join(import.meta.dirname, '../../../docs/directory-guards.md');

/** Days of as many people of the sandbox. */
export function generatedDays(seed: number, size: number): Days {
  const population = createPopulation(seed, size);
  return {
    before: editionFiles(population, BEFORE),
    today: editionFiles(onTheNextDay(population, 1, CHURN), TODAY),
    others: editionFiles(createPopulation(seed + 40, size), TODAY),
  };
}

/** A directory on these days for each form and occasion that is tried. */
export function openLaboratory(days: Days): Laboratory {
  const grounds = new Map<string, Promise<Ground>>();
  const guide = readFileSync(GUIDE, 'utf8');
  const groundOf = (form: EditionForm | undefined, occasion: Occasion) => {
    const key = `${form}, ${occasion}`;
    const opened = grounds.get(key) ?? openGround(days, form, occasion);
    grounds.set(key, opened);
    return opened;
  };
  return {
    async run(damages, occasion, at) {
      const told = { damages: damages.map(({ name }) => name), occasion, seed: at };
      const crashed = (error: unknown): Trial => ({
        ...told,
        outcome: 'crashed',
        guards: [],
        warned: [],
        said: String(error),
        isExpected: false,
      });
      let ground: Ground;
      try {
        ground = await groundOf(damages[0]?.form, occasion);
      } catch (error) {
        return crashed(error);
      }
      const context = { draw: createDraw(at), dayBefore: days.before, otherPeople: days.others };
      const damaged = damages.reduce((some, damage) => damage.apply(some, context), ground.files);
      try {
        const found = await classify(await ground.directory.load(damaged), ground);
        const isNamed = damages.some(({ name }) => guide.includes(name));
        return { ...told, ...found, isExpected: isExpected(damages, occasion, found, isNamed) };
      } catch (error) {
        return crashed(error);
      } finally {
        await ground.directory.restore();
      }
    },
    undamaged: async () => (await opened(grounds)).map(({ alarms }) => alarms),
    async close() {
      for (const { directory } of await opened(grounds)) await directory.close();
    },
  };
}

/** The grounds that could be made. */
async function opened(grounds: ReadonlyMap<string, Promise<Ground>>): Promise<Ground[]> {
  const settled = await Promise.allSettled(grounds.values());
  return settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
}

async function openGround({ before, today }: Days, form: EditionForm | undefined, occasion: Occasion): Promise<Ground> {
  const directory = await openDirectory();
  const [formBefore, files] = [await inForm(before, form, BEFORE), await inForm(today, form, TODAY)];
  if (occasion === 'renewal') await loadUndamaged(directory, formBefore);
  await directory.keep();
  const current = await directory.current();
  const { refusals, report } = await directory.load(files);
  const alarms = { occasion, form, refusals, warnings: refusals.length > 0 ? [] : (report?.judgement.reasons ?? []) };
  const undamaged = await directory.resources();
  await directory.restore();
  return { directory, files, undamaged, report, alarms, current };
}

async function inForm(files: EditionFiles, form: EditionForm | undefined, date: string): Promise<EditionFiles> {
  if (form === 'finess-json') return asFinessJson(files);
  if (form === 'few-mailboxes') return withFewMailboxes(files);
  if (form === 'unlike-mailboxes') return withUnlikeMailboxes(files);
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
  { refusals, report }: Outcome,
  { directory, undamaged, report: before, current }: Ground,
): Promise<Pick<Trial, 'outcome' | 'guards' | 'warned' | 'said'>> {
  const guards = [...new Set(refusals.map(({ name }) => name))];
  const countBefore = (kind: string) => before?.warnings.find((one) => one.kind === kind)?.count ?? 0;
  const kinds = (report?.warnings ?? [])
    .filter(({ kind, count }) => !UNTELLING.has(kind) && count > countBefore(kind))
    .map(({ kind }) => kind);
  const notable = (report?.guards ?? []).filter((guard) => guard.notable).map(({ name }) => name);
  const hasLeftOut = (report?.linesLeftOut.count ?? 0) > (before?.linesLeftOut.count ?? 0);
  const warned = [...new Set([...kinds, ...notable, ...(hasLeftOut ? ['lines left out'] : [])])];
  if (refusals.length > 0) {
    const isUnchanged = (await directory.current()) === current;
    const said = refusals.map((one) => one.said).join('; ');
    return { outcome: isUnchanged ? 'refused' : 'changed', guards, warned, said };
  }
  const differences = differencesOf(await directory.resources(), undamaged);
  const outcome = differences.length === 0 ? 'same' : warned.length > 0 ? 'warned' : 'silent';
  const said = `${differences.length} resources differ: ${differences.slice(0, 3).join(' | ')}`;
  return { outcome, guards, warned, said };
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
  trial: Pick<Trial, 'outcome' | 'guards' | 'warned'>,
  isNamed: boolean,
): boolean {
  const { outcome } = trial;
  const mayBeSilent =
    occasion === 'first import' && (isNamed || damages.some(({ firstLoad }) => firstLoad === 'unseen'));
  if (mayBeSilent) return outcome !== 'crashed' && outcome !== 'changed';
  const [alone] = damages;
  if (damages.length > 1 || alone === undefined) return outcome === 'same' || outcome === 'refused';
  const { renewal, firstLoad = renewal } = alone;
  return meets(occasion === 'renewal' ? renewal : (firstLoad as Expectation), trial);
}

function meets(expected: Expectation, trial: Pick<Trial, 'outcome' | 'guards' | 'warned'>): boolean {
  const { outcome, guards, warned } = trial;
  if (expected === 'same') return outcome === 'same';
  if (expected === 'seen') return outcome === 'same' || outcome === 'warned' || outcome === 'refused';
  if (expected instanceof RegExp) return outcome === 'refused' && guards.some((name) => expected.test(name));
  if ('warned' in expected) return outcome === 'warned' && warned.some((kind) => expected.warned.test(kind));
  return expected.some((one) => meets(one, trial));
}
