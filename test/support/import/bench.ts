// Benches that open and close with the tests of a file or block.

import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import { type Bench, openBench } from './register-files.ts';

/** A new bench for each test. */
export function benchForEach(): Bench {
  const bench = {} as Bench;
  beforeEach(async () => void Object.assign(bench, await openBench()));
  afterEach(() => bench.close());
  return bench;
}

/** One bench for all tests. */
export function benchForAll(): Bench {
  const bench = {} as Bench;
  beforeAll(async () => void Object.assign(bench, await openBench()));
  afterAll(() => bench.close());
  return bench;
}
