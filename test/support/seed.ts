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

/** How often a dear property runs. */
export const runs = (inSuite: number): number => inSuite * Number(process.env['HYGIE_RUNS'] ?? 1);
