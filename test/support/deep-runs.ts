// For the tests of `npm run test:system` that run the properties and samples of `npm test` in depth.

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Random cases of the properties whose cases are counted themselves. */
const QUERIES = '4000';
/** Times as much as in `npm test` of everything else. */
const DEPTH = '5';

/** Declares the tests of all files of a folder that draw or sample (`seed.ts`), each as it is, with so much more to try. */
export async function inDepth(folder: string): Promise<void> {
  process.env['HYGIE_FUZZ'] ??= QUERIES;
  process.env['HYGIE_RUNS'] ??= DEPTH;
  const files = globSync('**/*.test.ts', { cwd: folder }).filter((file) => !file.endsWith('.system.test.ts'));
  for (const file of files.sort()) {
    const path = join(folder, file);
    if (readFileSync(path, 'utf8').includes("'#support/seed.ts'")) await import(path);
  }
}
