// Every relative link and anchor of every Markdown page of the repository leads somewhere.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { anchorsOf, linksOf } from '#support/docs/markdown.ts';

const ROOT = join(import.meta.dirname, '../..');
const SKIPPED = ['node_modules', '.git', 'data', 'screenshots'];

function pagesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (SKIPPED.includes(entry.name)) return [];
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return pagesBelow(path);
    return entry.name.endsWith('.md') ? [path] : [];
  });
}

const pages = pagesBelow(ROOT);
const textOf = (page: string) => readFileSync(page, 'utf8');

/** Links of the page that lead nowhere. */
function brokenLinks(page: string): string[] {
  return linksOf(textOf(page)).filter((link) => {
    if (/^[a-z]+:/.test(link)) return false;
    const [path = '', anchor] = link.split('#', 2);
    const target = path === '' ? page : resolve(dirname(page), decodeURIComponent(path));
    if (!existsSync(target)) return true;
    return anchor !== undefined && target.endsWith('.md') && !anchorsOf(textOf(target)).has(anchor);
  });
}

describe('links between documents', () => {
  it('the test itself knows headings and links', () => {
    const page = '# A `b` & [c](d.md#e)\n\n## A\n\n## A\n\n```sh\n# no heading\n[x](y)\n```\n\n`[no](link)` [z]: \n';
    expect([...anchorsOf(page)]).toEqual(['a-b--c', 'a', 'a-1']);
    expect(linksOf(page)).toEqual(['d.md#e']);
  });

  it('lead to a file that exists, and to a heading of it', () => {
    expect(pages.length).toBeGreaterThan(20);
    const broken = pages.flatMap((page) => brokenLinks(page).map((link) => `${relative(ROOT, page)}: ${link}`));
    expect(broken).toEqual([]);
  });

  it('every page of the handbook is in its index', () => {
    const folder = join(ROOT, 'docs/operating');
    const index = linksOf(textOf(join(folder, 'README.md'))).map((link) => link.split('#', 1)[0]);
    const others = readdirSync(folder).filter((name) => name.endsWith('.md') && name !== 'README.md');
    expect(others.filter((name) => !index.includes(name))).toEqual([]);
  });
});
