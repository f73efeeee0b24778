// The seed of every property in a test run: one and the same, so that what passed once passes again. Imported by each file that
// has properties. HYGIE_SEED=7 npm test tries other values, HYGIE_SEED=random others each time; a failure names its seed.
// HYGIE_RUNS=10 runs the dearest properties ten times as often as the suite does.

import { randomInt } from 'node:crypto';
import fc from 'fast-check';

const chosen = process.env['HYGIE_SEED'] ?? '20261121';
fc.configureGlobal({
  ...fc.readConfigureGlobal(),
  seed: chosen === 'random' ? randomInt(2 ** 31) : Number(chosen),
});

/** How many times as much as in `npm test` is tried. */
const DEPTH = Number(process.env['HYGIE_RUNS'] ?? 1);

/** How often a dear property runs. */
export const runs = (inSuite: number): number => inSuite * DEPTH;

/** Every so many of a list, as they differ in their values alone; more of them where properties run more often. */
export const someOf = <Item>(list: readonly Item[], every: number): Item[] =>
  list.filter((_, at) => at % Math.max(1, Math.round(every / DEPTH)) === 0);
