// Thousands of random cases and whole samples, of which `npm test` tries a part.

import { jest } from '@jest/globals';
import { inDepth } from '#support/deep-runs.ts';

/** Thousands of cases take longer than a test of `npm test`. */
const PATIENCE = 600_000;
jest.setTimeout(PATIENCE);

await inDepth(import.meta.dirname);
