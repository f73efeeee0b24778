// No module of src keeps state: what counts, limits, caches or queues belongs to an object that is made and passed on, so that two
// services can run in one process, and no test file disturbs another one.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import ts from 'typescript';

const ROOT = join(import.meta.dirname, '..');

/** Modules that keep state all the same, each with the reason. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'src/directory/reference/browser/try.js': 'a page of a browser has its modules to itself',
  'src/import/passes/mapper-thread.ts': 'the program of a thread has its modules to itself',
};

/** Objects that do not change, or whose entries end with the request, connection or object that is their key. */
const LASTING = /^(Set|Map|WeakMap|WeakSet|RegExp|URL|AsyncLocalStorage|Text(De|En)coder|Intl\.\w+|\w+Array|NotReady)$/;
/** By their names, functions that make something with a life of its own. */
const MAKES_STATE = /^(create(?!Require|Hash)|open|start|watch|follow)[A-Z]|queue|limiter|cache|pool/i;
const MUTATORS = new Set('set add delete clear push pop shift unshift splice sort reverse fill copyWithin'.split(' '));

const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.[jt]s$/.test(file))
  .map((file) => `src/${file}`);

/** What a module keeps: names of its variables, each with the way in which it changes. */
function stateOf(text: string): string[] {
  const source = ts.createSourceFile('module.ts', text, ts.ScriptTarget.Latest, true);
  const constants = new Set<string>();
  const found = new Set<string>();
  for (const statement of source.statements) {
    if (ts.isClassDeclaration(statement)) for (const name of staticFields(statement)) found.add(`${name}: static`);
    if (!ts.isVariableStatement(statement) || isDeclared(statement)) continue;
    const isConstant = (statement.declarationList.flags & ts.NodeFlags.Const) !== 0;
    for (const { name, initializer, type } of statement.declarationList.declarations) {
      if (!isConstant) found.add(`${name.getText()}: not a constant`);
      const made = initializer && (statefulPart(initializer) ?? emptyPart(initializer, type));
      if (made !== undefined) found.add(`${name.getText()}: ${made}`);
      // A weak map forgets by itself.
      if (!initializer?.getText().startsWith('new Weak')) for (const one of namesIn(name)) constants.add(one);
    }
  }
  const visit = (node: ts.Node): void => {
    const changed = changedVariable(node);
    if (changed && constants.has(changed.text) && !isShadowed(changed)) found.add(`${changed.text}: changed`);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return [...found];
}

function isDeclared({ modifiers = [] }: { modifiers?: Iterable<ts.ModifierLike> | undefined }): boolean {
  return [...modifiers].some(({ kind }) => kind === ts.SyntaxKind.DeclareKeyword);
}

function staticFields({ members }: ts.ClassDeclaration): string[] {
  return members
    .filter((member) => ts.isPropertyDeclaration(member))
    .filter(({ modifiers = [] }) => {
      const kinds = [...modifiers].map(({ kind }) => kind);
      return kinds.includes(ts.SyntaxKind.StaticKeyword) && !kinds.includes(ts.SyntaxKind.ReadonlyKeyword);
    })
    .map(({ name }) => name.getText());
}

/** The first part of a value that has a life of its own; functions in it run later. */
function statefulPart(node: ts.Node): string | undefined {
  if (ts.isFunctionLike(node) || ts.isClassExpression(node)) return undefined;
  if (ts.isNewExpression(node) && !LASTING.test(node.expression.getText())) return `new ${node.expression.getText()}`;
  if (ts.isCallExpression(node) && ts.isIdentifier(node.expression) && MAKES_STATE.test(node.expression.text))
    return `${node.expression.text}()`;
  return ts.forEachChild(node, statefulPart);
}

/** A collection that is made empty can only be meant to be filled, by whatever name it goes elsewhere, unless its type forbids that. */
function emptyPart(node: ts.Expression, type: ts.TypeNode | undefined): string | undefined {
  if (/^(Readonly|readonly )/.test(type?.getText() ?? '')) return undefined;
  const isEmpty =
    (ts.isNewExpression(node) && /^(Set|Map|\w+Array)$/.test(node.expression.getText()) && !node.arguments?.length) ||
    (ts.isArrayLiteralExpression(node) && node.elements.length === 0) ||
    (ts.isObjectLiteralExpression(node) && node.properties.length === 0);
  const isCalledAtOnce =
    ts.isCallExpression(node) && /^\((async )?(\(|function)[\s\S]*\blet\b/.test(node.expression.getText());
  return isEmpty ? 'made empty' : isCalledAtOnce ? 'variables of a function that is called at once' : undefined;
}

function namesIn(name: ts.BindingName): string[] {
  if (ts.isIdentifier(name)) return [name.text];
  return name.elements.flatMap((element) => (ts.isOmittedExpression(element) ? [] : namesIn(element.name)));
}

/** The variable whose value this node changes. */
function changedVariable(node: ts.Node): ts.Identifier | undefined {
  if (ts.isBinaryExpression(node)) {
    const { kind } = node.operatorToken;
    const assigns = kind >= ts.SyntaxKind.FirstAssignment && kind <= ts.SyntaxKind.LastAssignment;
    // A pattern is told before each use where to begin.
    return assigns && !node.left.getText().endsWith('.lastIndex') ? rootOf(node.left) : undefined;
  }
  if (ts.isPrefixUnaryExpression(node) || ts.isPostfixUnaryExpression(node)) {
    const counts = node.operator === ts.SyntaxKind.PlusPlusToken || node.operator === ts.SyntaxKind.MinusMinusToken;
    return counts ? rootOf(node.operand) : undefined;
  }
  if (ts.isDeleteExpression(node)) return rootOf(node.expression);
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return undefined;
  const { expression, name } = node.expression;
  if (expression.getText() === 'Object' && /^(assign|define)/.test(name.text)) return rootOf(node.arguments[0]);
  return MUTATORS.has(name.text) ? rootOf(expression) : undefined;
}

function rootOf(node: ts.Node | undefined): ts.Identifier | undefined {
  if (node === undefined || ts.isIdentifier(node)) return node;
  const isPath = ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node);
  const isWrapped = ts.isParenthesizedExpression(node) || ts.isNonNullExpression(node) || ts.isAsExpression(node);
  return isPath || isWrapped ? rootOf(node.expression) : undefined;
}

/** Whether a function around it, or a block, has a variable of that name. */
function isShadowed(name: ts.Identifier): boolean {
  for (let scope = name.parent; !ts.isSourceFile(scope); scope = scope.parent) {
    let declares = false;
    ts.forEachChild(scope, (child) => {
      const lists = ts.isVariableStatement(child) ? [child.declarationList] : [child];
      for (const list of lists) {
        const declared = ts.isVariableDeclarationList(list) ? [...list.declarations] : [list];
        for (const one of declared)
          if ((ts.isParameter(one) || ts.isVariableDeclaration(one)) && namesIn(one.name).includes(name.text))
            declares = true;
      }
    });
    if (declares) return true;
  }
  return false;
}

it.each([
  ['let count = 0;', ['count: not a constant']],
  [
    'export const seen = new Map<string, number>(); export const note = (id: string) => seen.set(id, 1);',
    ['seen: made empty', 'seen: changed'],
  ],
  ['const limits = { a: 0 }; function f() { limits.a += 1; }', ['limits: changed']],
  [
    'const list: string[] = []; function f() { (list as string[])[0] = ""; delete list[1]; }',
    ['list: made empty', 'list: changed'],
  ],
  ['const cost = { n: 1 }; Object.assign(cost, { n: 2 });', ['cost: changed']],
  ['const [one, other] = [[1], [2]]; const f = () => other.push(3);', ['other: changed']],
  ['const QUEUES = { passwords: fairQueue({ running: 2 }) };', ['QUEUES: fairQueue()']],
  ['const cache = new LRUCache({ max: 1 });', ['cache: new LRUCache']],
  [
    'const known = new Map<string, number>(); const alias = known; const f = () => alias.set("a", 1);',
    ['known: made empty', 'alias: changed'],
  ],
  ['export const NONE: ReadonlySet<string> = new Set(); export const seen: string[] = [];', ['seen: made empty']],
  [
    'const next = (() => { let last = 0; return () => last++; })();',
    ['next: variables of a function that is called at once'],
  ],
  ['class Ids { static last = 0; static readonly first = 1; }', ['last: static']],
  ['const NAMES = new Set(["a"]); function f() { const NAMES = new Set(); NAMES.add("b"); }', []],
  ['const TABLE = [1, 2]; const f = (TABLE: number[]) => TABLE.sort(); const all = TABLE.toSorted();', []],
  ['const later = () => createThing(); const of = new WeakMap(); function f(key: object) { of.set(key, 1); }', []],
  ['declare let fromElsewhere: number;', []],
])('in %s it finds %j', (text, expected) => {
  expect(stateOf(text)).toEqual(expected);
});

it('no module keeps state, but for the exceptions', () => {
  const found = files.flatMap((file) => {
    const state = stateOf(readFileSync(join(ROOT, file), 'utf8'));
    return state.length === 0 ? [] : [[file, state] as const];
  });
  expect(Object.fromEntries(found.filter(([file]) => !(file in EXCEPTIONS)))).toEqual({});
  // An exception that is none any more leaves the list.
  expect(Object.keys(EXCEPTIONS).filter((file) => !found.some(([one]) => one === file))).toEqual([]);
});
