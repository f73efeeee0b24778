// Reads the names of all tests from the test files, without running them.

import { globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import ts from 'typescript';

export interface TestTitle {
  /** The path from the root of the repository. */
  file: string;
  /** The names of the groups around the test and its own name, joined by a space. */
  title: string;
}

const ROOT = join(import.meta.dirname, '../..');

/** The titles of all tests below `test/`, by file. */
export function testTitles(): TestTitle[] {
  const files = globSync('test/**/*.test.ts', { cwd: ROOT }).sort();
  return files.flatMap((file) => titlesIn(join(ROOT, file)).map((title) => ({ file: relative('.', file), title })));
}

function titlesIn(path: string): string[] {
  const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest);
  const titles: string[] = [];
  const visit = (node: ts.Node, groups: readonly string[]): void => {
    const call = ts.isCallExpression(node) ? titled(node) : undefined;
    if (call?.kind === 'test') titles.push(...call.titles.map((title) => [...groups, title].join(' ')));
    const inner = call?.kind === 'group' ? [...groups, call.title] : groups;
    ts.forEachChild(node, (child) => visit(child, inner));
  };
  visit(source, []);
  return titles;
}

const KINDS: Record<string, 'test' | 'group'> = { it: 'test', test: 'test', describe: 'group' };

interface Titled {
  kind: 'test' | 'group';
  title: string;
  /** One title for each row of an `each` table that is written out in the file; otherwise the title alone. */
  titles: readonly string[];
}

/** `it('...')`, `it.each([...])('...')`, `(present ? it : it.skip)('...')`, and the same with `describe`. */
function titled(call: ts.CallExpression): Titled | undefined {
  const kind = KINDS[rootOf(call.expression)];
  const [first] = call.arguments;
  const title = first && textOf(first);
  if (kind === undefined || title === undefined) return undefined;
  const rows = title.includes('%s') ? rowsOf(call.expression) : [];
  return { kind, title, titles: rows.length > 0 ? rows.map((row) => filled(title, row)) : [title] };
}

/** The text of a string, or the parts of a template that do not change. */
function textOf(node: ts.Expression): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return undefined;
  return [node.head, ...node.templateSpans.map(({ literal }) => literal)].map(({ text }) => text).join('…');
}

/** The rows of `each([...])`, if the first value of each row is a text. */
function rowsOf(callee: ts.Expression): string[][] {
  const [table] = ts.isCallExpression(callee) ? callee.arguments : [];
  if (!table || !ts.isArrayLiteralExpression(table)) return [];
  const rows = table.elements.map((row) => (ts.isArrayLiteralExpression(row) ? [...row.elements] : [row]).map(textOf));
  return rows.every(([value]) => value !== undefined) ? rows.map((row) => row.map((value) => value ?? '…')) : [];
}

function filled(title: string, row: readonly string[]): string {
  const values = [...row];
  return title.replaceAll('%s', () => values.shift() ?? '…');
}

function rootOf(node: ts.Expression): string {
  if (ts.isIdentifier(node)) return node.text;
  if (ts.isPropertyAccessExpression(node) || ts.isCallExpression(node) || ts.isParenthesizedExpression(node)) {
    return rootOf(node.expression);
  }
  if (ts.isConditionalExpression(node)) return rootOf(node.whenTrue);
  return '';
}
