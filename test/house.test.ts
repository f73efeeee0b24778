// Rules of the repository that no other check sees: length and names of files, the lock file, which tests run on both engines.
// `npm run boundaries` checks imports.

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { BOTH_ENGINES } from '#support/both-engines.ts';
import { filesTogether } from '#support/jest/together.ts';

const ROOT = join(import.meta.dirname, '..');
const LONGEST = 300;
const VAGUE_NAMES = /^(utils?|helpers?|common|types|misc)(\.ts|\.css)?$/;

/** It replaces modules, has snapshots under the name of the file that runs, or its first lines are for every test of the run. */
function runsAlone(file: string): boolean {
  const text = readFileSync(file, 'utf8');
  return (
    /unstable_mockModule/.test(text) ||
    (text.includes('toMatchSnapshot') && !text.includes('withOwnSnapshots(')) ||
    /^(before|after|with|(const|let) .* = opened)\w*\(/m.test(text)
  );
}

const files = ['src', 'test', 'tools', 'seeds'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(ts|css)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name)),
);

describe('the repository', () => {
  it(`has no file of more than ${LONGEST} lines`, () => {
    const lines = (file: string) => readFileSync(file, 'utf8').trimEnd().split('\n').length;
    expect(files.filter((file) => lines(file) > LONGEST)).toEqual([]);
  });

  it('has a lock file that names the binaries of every platform, and no address of a registry', () => {
    interface Locked {
      optionalDependencies?: Record<string, string>;
      resolved?: string;
    }
    const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, Locked>;
    };
    const needed = Object.values(lock.packages).flatMap(({ optionalDependencies = {} }) =>
      Object.keys(optionalDependencies),
    );
    const installed = Object.keys(lock.packages);
    // Bindings for WebAssembly are bundled, or are not for Node.
    const missing = needed.filter((name) => !installed.some((path) => path.endsWith(`node_modules/${name}`)));
    expect(missing).toEqual([]);
    expect(Object.values(lock.packages).filter(({ resolved }) => resolved !== undefined)).toEqual([]);
  });

  it('has a test on both engines for everything that has to hold on both, and for nothing else', () => {
    const tests = files.filter((file) => file.endsWith('.test.ts') && file !== import.meta.filename);
    const named = tests.flatMap((file) => {
      const text = readFileSync(file, 'utf8');
      const names = [...text.matchAll(/\bbothEngines\('([^']+)'\)/g)].map(([, name = '']) => name);
      // A list of engines of its own would go round the one of all.
      if (/\bENGINES\b[^\n]*databases\.ts/.test(text)) names.push(`${file} imports ENGINES`);
      return [...new Set(names)].map((name) => [relative(join(ROOT, 'test'), file), `${name}.test.ts`]);
    });
    expect(named.filter(([file, name]) => file !== name)).toEqual([]);
    expect(named.map(([file]) => file).sort()).toEqual(
      Object.values(BOTH_ENGINES)
        .flatMap((names) => names.map((name) => `${name}.test.ts`))
        .sort(),
    );
  });

  it('runs test files of a folder together, but for those that change what all tests of a run would see', () => {
    const tests = files.filter((file) => file.endsWith('.test.ts') && !file.endsWith('.system.test.ts'));
    const lists = tests.map(filesTogether).filter((list) => list.length > 0);
    const listed = lists.flat();
    expect(listed.filter((file, index) => !tests.includes(file) || listed.indexOf(file) !== index)).toEqual([]);
    expect(listed.filter(runsAlone)).toEqual([]);
    const folders = new Set(listed.map((file) => dirname(file)));
    const single = tests.filter((file) => filesTogether(file).length === 0);
    expect(single.filter((file) => folders.has(dirname(file)) && !runsAlone(file) && !listed.includes(file))).toEqual(
      [],
    );
  });

  it('has no vague names', () => {
    expect(files.filter((file) => file.split('/').some((part) => VAGUE_NAMES.test(part)))).toEqual([]);
  });
});
