// Single faults that can be put into a source file, found in its syntax tree: each changes one place and keeps the file readable by Node.

import ts from 'typescript';

export interface Mutation {
  /** Offsets in the text of what is replaced. */
  start: number;
  end: number;
  text: string;
  /** Line of the place, from 1 on. */
  line: number;
  kind: string;
}

const OPPOSITES: ReadonlyMap<ts.SyntaxKind, string> = new Map([
  [ts.SyntaxKind.LessThanToken, '<='],
  [ts.SyntaxKind.LessThanEqualsToken, '<'],
  [ts.SyntaxKind.GreaterThanToken, '>='],
  [ts.SyntaxKind.GreaterThanEqualsToken, '>'],
  [ts.SyntaxKind.EqualsEqualsEqualsToken, '!=='],
  [ts.SyntaxKind.ExclamationEqualsEqualsToken, '==='],
  [ts.SyntaxKind.AmpersandAmpersandToken, '||'],
  [ts.SyntaxKind.BarBarToken, '&&'],
  [ts.SyntaxKind.PlusToken, '-'],
  [ts.SyntaxKind.MinusToken, '+'],
]);

/** All mutations of a TypeScript source. Types, imports and module specifiers are left alone. */
export function mutationsOf(file: string, source: string): Mutation[] {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
  const found: Mutation[] = [];
  const add = (node: ts.Node, kind: string, text: string) => {
    const start = node.getStart(tree);
    found.push({ start, end: node.end, text, kind, line: tree.getLineAndCharacterOfPosition(start).line + 1 });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return;
    if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return;
    if (ts.isExpressionStatement(node) && !isSuperCall(node)) add(node, 'statement removed', ';');
    if (ts.isIfStatement(node) || ts.isConditionalExpression(node)) {
      const condition = ts.isIfStatement(node) ? node.expression : node.condition;
      add(condition, 'condition negated', `!(${condition.getText(tree)})`);
    }
    if (ts.isBinaryExpression(node)) {
      const opposite = OPPOSITES.get(node.operatorToken.kind);
      if (opposite) add(node.operatorToken, 'operator replaced', opposite);
    }
    if (ts.isReturnStatement(node) && node.expression && node.expression.getText(tree) !== 'undefined')
      add(node.expression, 'result removed', 'undefined');
    if (ts.isNumericLiteral(node)) add(node, 'number changed', `(${node.text} + 1)`);
    if (isText(node)) add(node, 'text changed', "'-'");
    if (node.kind === ts.SyntaxKind.TrueKeyword) add(node, 'flag turned', 'false');
    if (node.kind === ts.SyntaxKind.FalseKeyword) add(node, 'flag turned', 'true');
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

function isSuperCall({ expression }: ts.ExpressionStatement): boolean {
  return ts.isCallExpression(expression) && expression.expression.kind === ts.SyntaxKind.SuperKeyword;
}

/** A text that is an argument, an element or a value; names of properties and modules are not. */
function isText(node: ts.Node): boolean {
  if (!ts.isStringLiteral(node) || node.text === '') return false;
  const { parent } = node;
  if (ts.isCallExpression(parent)) return parent.expression.kind !== ts.SyntaxKind.ImportKeyword;
  return (
    (ts.isPropertyAssignment(parent) && parent.initializer === node) ||
    ts.isArrayLiteralExpression(parent) ||
    ts.isConditionalExpression(parent) ||
    ts.isReturnStatement(parent)
  );
}
