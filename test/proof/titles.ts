// Reads the names of all tests from the test files, without running them: for the inventory and the printed tables.
// Does not know which of them pass: that is the run's affair.

import { globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import ts from 'typescript';

export interface TestTitle {
  /** From the root of the repository. */
  file: string;
  /** Names of the groups around it and its own, joined by a space; placeholders of `each` as they stand. */
  title: string;
}

const ROOT = join(import.meta.dirname, '..', '..');

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
    if (call?.kind === 'test') titles.push([...groups, call.title].join(' '));
    const inner = call?.kind === 'group' ? [...groups, call.title] : groups;
    ts.forEachChild(node, (child) => visit(child, inner));
  };
  visit(source, []);
  return titles;
}

const KINDS: Record<string, 'test' | 'group'> = { it: 'test', test: 'test', describe: 'group' };

/** `it('...')`, `it.each([...])('...')`, `(present ? it : it.skip)('...')`, and the same with `describe`. */
function titled(call: ts.CallExpression): { kind: 'test' | 'group'; title: string } | undefined {
  const kind = KINDS[rootOf(call.expression)];
  const [first] = call.arguments;
  if (kind === undefined || first === undefined) return undefined;
  if (ts.isStringLiteralLike(first)) return { kind, title: first.text };
  // The parts of a template that do not change.
  if (ts.isTemplateExpression(first)) {
    return {
      kind,
      title: [first.head, ...first.templateSpans.map(({ literal }) => literal)].map(({ text }) => text).join('…'),
    };
  }
  return undefined;
}

function rootOf(node: ts.Expression): string {
  if (ts.isIdentifier(node)) return node.text;
  if (ts.isPropertyAccessExpression(node) || ts.isCallExpression(node) || ts.isParenthesizedExpression(node)) {
    return rootOf(node.expression);
  }
  if (ts.isConditionalExpression(node)) return rootOf(node.whenTrue);
  return '';
}
