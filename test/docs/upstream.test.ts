// docs/upstream: each change that is proposed to another project fits the installed version of it, and is not applied here.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const ROOT = join(import.meta.dirname, '../..');
const FOLDER = join(ROOT, 'docs/upstream');
const patches = readdirSync(FOLDER).filter((name) => name.endsWith('.patch'));

/** Pieces of a unified diff: the file, the line where a piece begins, and the lines that it expects there. */
function piecesOf(patch: string) {
  let file = '';
  const pieces: { file: string; start: number; expects: string[] }[] = [];
  for (const line of patch.trimEnd().split('\n')) {
    const [, path] = /^--- a\/(\S+)/.exec(line) ?? [];
    const [, start] = /^@@ -(\d+)/.exec(line) ?? [];
    if (path) file = path;
    else if (start) pieces.push({ file, start: Number(start), expects: [] });
    else if (/^[ -](?!--)/.test(line)) pieces.at(-1)?.expects.push(line.slice(1));
  }
  return pieces;
}

describe('changes proposed to other projects', () => {
  it('are named in the overview', () => {
    const overview = readFileSync(join(FOLDER, 'README.md'), 'utf8');
    expect(patches.length).toBeGreaterThan(0);
    for (const name of patches) expect(overview).toContain(`](${name})`);
  });

  it.each(patches)('%s fits the installed version', (name) => {
    const library = ['oidc-provider'].find((one) => name.startsWith(one)) ?? '';
    const pieces = piecesOf(readFileSync(join(FOLDER, name), 'utf8'));
    expect(pieces.length).toBeGreaterThan(0);
    for (const { file, start, expects } of pieces) {
      const path = join(ROOT, 'node_modules', library, file);
      expect(existsSync(path)).toBe(true);
      const lines = readFileSync(path, 'utf8').split('\n');
      expect(lines.slice(start - 1, start - 1 + expects.length)).toEqual(expects);
    }
  });
});
