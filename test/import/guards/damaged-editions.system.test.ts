// Issue "an edition is judged by what it says": a sample of the damages that `npm run damage` tries in full, and a month of good
// editions. HYGIE_SEED says which damages and where.

import { afterAll, describe, expect, it } from '@jest/globals';
import { OF_FACTS, OF_FILES } from '#support/damage/catalogue.ts';
import { runChain, runDecline } from '#support/damage/chain.ts';
import { generatedDays, type Laboratory, type Occasion, openLaboratory } from '#support/damage/trials.ts';
import { createDraw } from '#support/draw.ts';

const SEED = process.env['HYGIE_SEED'] === 'random' ? Date.now() % 100_000 : Number(process.env['HYGIE_SEED'] ?? 1);
/** Enough that guards on shares count. */
const PEOPLE = 700;
/** Enough that a run of lines stands out. */
const PEOPLE_OF_FACTS = 3000;
const MONTH_MS = 120_000;

const draw = createDraw(SEED);
const plain = OF_FILES.filter(({ form }) => form === undefined);
/** Were refused: mailboxes of structures counted twice, and those of people once; then repeated lines counted as growth. */
const mended = plain
  .filter(({ name }) => name === 'every mailbox twice' || name === 'every line twice')
  .map((damage) => [damage.name, 'renewal' as Occasion, [damage]] as const);
const alone = draw
  .some(plain, 22)
  .map((damage) => [damage.name, draw.one<Occasion>(['renewal', 'first import']), [damage]] as const);
const pairs = Array.from({ length: 3 }, () => draw.some(plain, 2)).map(
  (two) => [two.map(({ name }) => name).join(' + '), 'renewal' as Occasion, two] as const,
);

describe(`directory data 4: a damaged edition is read as undamaged, or refused by name (seed ${SEED})`, () => {
  let laboratory: Laboratory | undefined;
  afterAll(() => laboratory?.close());

  it.each([...mended, ...alone, ...pairs])('%s, on a %s', async (_name, occasion, damages) => {
    laboratory ??= openLaboratory(generatedDays(SEED, PEOPLE));
    expect(await laboratory.run(damages, occasion, SEED)).toMatchObject({ isExpected: true });
  });
});

describe('SEC-81: facts of one person or structure beside another are refused at a renewal', () => {
  let laboratory: Laboratory | undefined;
  afterAll(() => laboratory?.close());
  const shifted = OF_FACTS.filter(({ name }) =>
    /^(mailboxes: 200 lines one line lower|streets one|SIRET of|one phone for|towns of 600)/.test(name),
  );

  it.each(shifted.map((damage) => [damage.name, damage] as const))('%s', async (_name, damage) => {
    laboratory ??= openLaboratory(generatedDays(SEED, PEOPLE_OF_FACTS));
    expect(await laboratory.run([damage], 'renewal', SEED)).toMatchObject({ outcome: 'refused' });
  });
});

describe('directory data 4: what is good is not refused', () => {
  it(
    'a month of ordinary days, graduates, new numbers, late registers and pauses',
    async () => {
      const days = await runChain({ seed: SEED, people: 300, churn: 0.01, days: 25 });
      expect(days.filter(({ outcome }) => outcome.refusals.length > 0)).toEqual([]);
      expect(days).toHaveLength(26);
    },
    MONTH_MS,
  );

  it('and 8.5 % fewer people every day are refused on the second', async () => {
    const { refusedOn, outcome } = await runDecline({ seed: SEED, people: PEOPLE, days: 3 });
    expect(refusedOn).toBe(2);
    expect(outcome?.refusals.map(({ name }) => name)).toContain('drift');
  });
});
