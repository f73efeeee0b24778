// Jest's filter of test files: `NAME.together.test.ts` imports test files that share one copy of all modules, which is loaded once. Where it
// runs, the files that it imports do not run a second time. Each of them also runs alone: `npx jest test/openid/account/profile`. A list may
// import lists of sub-folders, which run by themselves where Jest is asked for such a folder.

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const TOGETHER = '.together.test.ts';

/** The test files that a file imports to run them together, by absolute path; none for any other test file. */
export function filesTogether(path: string): string[] {
  if (!path.endsWith(TOGETHER)) return [];
  const imports = readFileSync(path, 'utf8').matchAll(/^import '(.+\.test\.ts)';$/gm);
  return [...imports].map(([, file = '']) => join(dirname(path), file));
}

function withoutSecondRuns(paths: readonly string[]): { filtered: string[] } {
  const second = new Set(paths.flatMap(filesTogether));
  return { filtered: paths.filter((path) => !second.has(path)) };
}

// Jest requires the filter as a module of Node's older kind.
export { withoutSecondRuns as 'module.exports' };
