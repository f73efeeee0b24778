// Jest's order of test files for `npm run orders`: by chance, the same for the same seed.

import { createHash } from 'node:crypto';

interface TestFile {
  path: string;
}

// Jest demands a class as the module's default export.
export default class RandomOrder {
  sort<Tests extends readonly TestFile[]>(tests: Tests): TestFile[] {
    const place = ({ path }: TestFile) =>
      createHash('sha256').update(`${process.env['ORDER_SEED']} ${path}`).digest('hex');
    return [...tests].sort((one, other) => (place(one) < place(other) ? -1 : 1));
  }

  /** Jest keeps the times of files for its own order. */
  cacheResults(): void {}
}
