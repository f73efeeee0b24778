// Rules of the repository that no other check sees: length and names of files, the lock file. `npm run boundaries` checks imports.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const ROOT = join(import.meta.dirname, '..');
const LONGEST = 300;
const VAGUE_NAMES = /^(utils?|helpers?|common|types|misc)(\.ts|\.css)?$/;

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

  it('has no vague names', () => {
    expect(files.filter((file) => file.split('/').some((part) => VAGUE_NAMES.test(part)))).toEqual([]);
  });
});
