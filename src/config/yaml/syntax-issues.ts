// Explains the errors of the YAML parser. No value of a line is shown, because it may be a secret.

import type { LineCounter } from 'yaml';
import type { ConfigIssue } from '#config/configuration-error.ts';

/** An error or warning of the parser. */
export interface ParserError {
  code: string;
  message: string;
  pos: [number, number];
}

const IN_QUOTES = 'Put the value in quotation marks.';
const ALIKE = 'Indent keys of one group alike, with spaces;';

/** The meaning of the parser's code for a common mistake, and the remedy. */
const USUAL: Readonly<Record<string, readonly [problem: string, remedy: string]>> = {
  BAD_ALIAS: ['A value begins with *, which is read as a reference to an anchor.', IN_QUOTES],
  BAD_DQ_ESCAPE: ['A backslash between "..." has no meaning.', 'Write \'...\' instead of "...".'],
  BAD_INDENT: [
    'Lines that belong together are indented differently, or a bracket above is not closed.',
    `${ALIKE} close brackets.`,
  ],
  BAD_SCALAR_START: ['A value begins with a character that YAML reserves, such as @.', IN_QUOTES],
  BLOCK_AS_IMPLICIT_KEY: [
    'The value holds a colon and a space, or the next line is indented differently.',
    `${ALIKE} put a value with a colon in quotation marks.`,
  ],
  DUPLICATE_KEY: ['The same key stands in this group twice.', 'Keep one of the two keys.'],
  MISSING_CHAR: [
    'A quotation mark above is not closed, or the line has no key with a colon behind it.',
    'Close it, or write `key: value`.',
  ],
  MULTILINE_IMPLICIT_KEY: ['The line has no key with a colon and a space behind it.', 'Write `key: value`.'],
  MULTIPLE_DOCS: ['A second document begins here.', 'Keep one document: remove the lines "---" between.'],
  TAB_AS_INDENT: ['The line is indented with a tab.', 'Indent with spaces.'],
  TAG_RESOLVE_FAILED: ['A value begins with "!", which is read as a tag.', IN_QUOTES],
};

/** Errors that cause no others. */
const INDEPENDENT: ReadonlySet<string> = new Set(['BAD_ALIAS', 'DUPLICATE_KEY', 'TAG_RESOLVE_FAILED']);

/** The issues of one file in the order of their lines. They end at the first error that may cause the later ones. */
export function syntaxIssues(file: string, errors: readonly ParserError[], lines: LineCounter): ConfigIssue[] {
  const inOrder = errors.toSorted((a, b) => a.pos[0] - b.pos[0]);
  const first = inOrder.findIndex(({ code }) => !INDEPENDENT.has(code));
  return inOrder.slice(0, first < 0 ? undefined : first + 1).map(({ code, message, pos }) => {
    // The text after a colon in a message may be quoted from the file.
    const general = [`Not valid YAML: ${message.split(/\n|: /, 1)[0]?.slice(0, 100)}.`, 'Correct the syntax here.'];
    const [problem = '', remedy = ''] = USUAL[code] ?? general;
    const { line, col: column } = lines.linePos(pos[0]);
    return { file, path: '', line, column, problem, remedy };
  });
}
