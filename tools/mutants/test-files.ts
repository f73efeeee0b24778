// The test files that stand for a source file: those of the mirrored folder, the most related first.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { filesTogether } from '#support/jest/together.ts';

/** The folders that no test file lies in for itself: what is below them is a folder of its own, such as `openid/sign-in`. */
const ABOVE = ['test', 'test/openid', '.'];

/** The folders of tests that stand for a file: the mirrored one, or the nearest one above it, then those above within `server`, `sign-in`... */
export function testFolders(root: string, file: string): string[] {
  const folders: string[] = [];
  for (let folder = dirname(file).replace(/^src/, 'test'); !ABOVE.includes(folder); folder = dirname(folder))
    if (existsSync(join(root, folder))) folders.push(folder);
  return folders;
}

export function testFilesIn(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => join(folder, name))
    .filter((path) => filesTogether(join(root, path)).length === 0)
    .sort();
}

/** The same tests in the fewest copies of all modules: a list that runs files together (`NAME.together.test.ts`) in place of its members. */
export function inFewestRuns(root: string, tests: readonly string[]): string[] {
  const wanted = new Set(tests.map((test) => join(root, test)));
  const lists = [...new Set(tests.flatMap((test) => listsAbove(root, test)))].filter((list) =>
    membersOf(join(root, list)).every((member) => wanted.has(member)),
  );
  const covered = new Set(lists.flatMap((list) => membersOf(join(root, list))));
  const outer = lists.filter(
    (list) => !lists.some((other) => filesTogether(join(root, other)).includes(join(root, list))),
  );
  return [...outer, ...tests.filter((test) => !covered.has(join(root, test)))];
}

function listsAbove(root: string, test: string): string[] {
  const lists: string[] = [];
  for (let folder = dirname(test); folder !== '.'; folder = dirname(folder))
    if (existsSync(join(root, `${folder}.together.test.ts`))) lists.push(`${folder}.together.test.ts`);
  return lists;
}

/** The files of a list and of the lists that it imports. */
function membersOf(list: string): string[] {
  return filesTogether(list).flatMap((file) => (filesTogether(file).length > 0 ? membersOf(file) : [file]));
}

/** Sorts test files by what they have in common with a source file: its import, names that it exports, words of the paths. */
export function mostRelatedFirst(root: string, file: string, tests: readonly string[]): string[] {
  const source = readFileSync(join(root, file), 'utf8');
  const exported = [...source.matchAll(/^export (?:async )?(?:function|const|class) (\w+)/gm)].map(([, name]) => name);
  const names = exported.map((name) => new RegExp(`\\b${name}\\b`));
  const specifier = `'#${file.slice('src/'.length)}'`;
  const words = wordsOf(file);
  const score = (test: string) => {
    const text = readFileSync(join(root, test), 'utf8');
    const shared = [...wordsOf(test)].filter((word) => words.has(word)).length;
    return (text.includes(specifier) ? 5 : 0) + names.filter((name) => name.test(text)).length + shared;
  };
  const scores = new Map(tests.map((test) => [test, score(test)]));
  return tests.toSorted((one, other) => (scores.get(other) ?? 0) - (scores.get(one) ?? 0));
}

function wordsOf(path: string): Set<string> {
  return new Set(path.split(/[^a-z0-9]+/).map((word) => word.replace(/s$/, '')));
}
