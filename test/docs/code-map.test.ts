// docs/code-map.md names every file of src below its folder, and nothing that does not exist.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const ROOT = join(import.meta.dirname, '../..');
const SRC = join(ROOT, 'src');

interface CodeMap {
  /** Paths of the files that the page names, below src. */
  named: string[];
  /** Names and paths on the page that lead nowhere. */
  wrong: string[];
}

/**
 * Reads the bullets of a page. In a bullet, a back-quoted name that ends with `/` is a folder, below src or below a folder of the heading.
 * The back-quoted names after it are files of this folder, without `.ts`. Names after several folders in a row are files of each. A
 * back-quoted text may hold several names. One with `/` inside is a path below src: of a file, without `.ts`, or of a folder. Indented
 * bullets below a bullet belong to it: their names are files of its folder.
 */
function readMap(page: string, exists: (path: string) => boolean): CodeMap {
  const named: string[] = [];
  const wrong: string[] = [];
  for (const section of page.split(/^## /m).slice(1)) {
    const [heading = '', ...lines] = section.split('\n');
    const above = [...codeOf(heading), ''];
    for (const bullet of lines.join('\n').split(/^- /m).slice(1)) {
      let folders: string[] = [];
      let afterFolder = false;
      for (const name of codeOf(bullet).flatMap((text) => text.split(/\s+/))) {
        const isFolder = name.endsWith('/');
        const folder = isFolder ? above.map((one) => one + name).find(exists) : undefined;
        if (folder !== undefined) folders = afterFolder ? [...folders, folder] : [folder];
        afterFolder = folder !== undefined;
        if (afterFolder) continue;
        const paths = name.includes('/') ? [name] : folders.map((one) => (one === 'src/' ? '' : one) + name);
        if (!name.includes('/')) named.push(...paths.filter((path) => exists(`${path}.ts`)));
        const isThere = (path: string) => exists(`${path}.ts`) || exists(path);
        if (paths.length === 0 || !paths.every(isThere)) wrong.push(name);
      }
    }
  }
  return { named, wrong };
}

const codeOf = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);

describe('the code map', () => {
  const page = readFileSync(join(ROOT, 'docs/code-map.md'), 'utf8');
  const map = readMap(page, (path) => path === 'src/' || existsSync(join(SRC, path)));

  it('the test itself knows folders, names and paths', () => {
    const files = ['a/', 'a/b/', 'a/one.ts', 'a/b/two.ts', 'c/', 'c/two.ts', 'a/old.js'];
    const exists = (path: string) => files.includes(path);
    const text =
      '## `a/`\n\n- `a/`:\n  - `one` is;\n  - `gone`; `old.js`.\n- `b/` and `c/`: `two` is\n  `a/one`, `a/no`\n- `d/`: `one`\n';
    expect(readMap(text, exists)).toEqual({
      named: ['a/one.ts', 'a/b/two.ts', 'c/two.ts'].map((path) => path.replace('.ts', '')),
      wrong: ['gone', 'a/no', 'd/', 'one'],
    });
  });

  it('names every file below its folder', () => {
    const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));
    expect(files.length).toBeGreaterThan(500);
    const named = new Set(map.named);
    expect(files.filter((path) => !named.has(path.slice(0, -'.ts'.length))).sort()).toEqual([]);
  });

  it('names nothing that is not there', () => {
    expect(map.wrong).toEqual([]);
  });
});
