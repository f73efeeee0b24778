// Says in plain words what is wrong with a text as YAML, once for each mistake: the parser's further errors follow from the
// first. No value of a line is shown: it may be a secret.

import type { LineCounter } from 'yaml';
import { type ConfigIssue, type Problem, shown } from '../configuration-error.ts';

/** An error or warning of the parser. */
export interface ParserError {
  code: string;
  message: string;
  pos: [number, number];
}

/** Codes of mistakes of their own, from which nothing else follows. */
const ALONE: ReadonlySet<string> = new Set(['DUPLICATE_KEY', 'TAG_RESOLVE_FAILED']);

/** The issues of one file, in the order of their lines, up to the first that makes all further ones guesses. */
export function syntaxIssues(
  file: string,
  text: string,
  errors: readonly ParserError[],
  counter: LineCounter,
): ConfigIssue[] {
  const inOrder = errors.toSorted((a, b) => a.pos[0] - b.pos[0]);
  const first = inOrder.findIndex(({ code }) => !ALONE.has(code));
  const lines = text.split(/\r\n|\n/);
  return inOrder.slice(0, first < 0 ? undefined : first + 1).map((error) => {
    const { line, col } = counter.linePos(error.pos[0]);
    return { file, path: '', line, ...described(error, { lines, line, column: col }) };
  });
}

interface Position {
  lines: readonly string[];
  /** 1-based, as is `column`. */
  line: number;
  column: number;
}

type Description = Problem & { line?: number };

function described({ code, message }: ParserError, position: Position): Description {
  const rest = (position.lines[position.line - 1] ?? '').slice(position.column - 1);
  switch (code) {
    case 'DUPLICATE_KEY': {
      const key = /^["']?([\w-]{1,31})/.exec(rest)?.[1];
      return {
        problem: `The same key${key ? `, ${key},` : ''} stands here twice.`,
        remedy: 'Keep one of the two keys.',
      };
    }
    case 'TAB_AS_INDENT':
      return { problem: `Line ${position.line} is indented with a tab.`, remedy: 'Indent with spaces.' };
    case 'MULTIPLE_DOCS':
      return {
        problem: 'A second document begins here.',
        remedy: 'Keep one document: remove the lines "---" between.',
      };
    case 'TAG_RESOLVE_FAILED':
      return { problem: 'A value begins with "!", which is read as a tag.', remedy: IN_QUOTES };
    case 'BAD_SCALAR_START':
      return {
        problem: `A value begins with ${shown(rest.slice(0, 1))}, which YAML keeps for itself.`,
        remedy: IN_QUOTES,
      };
    case 'BAD_DQ_ESCAPE':
      return {
        problem: 'Holds a backslash that means nothing between "...".',
        remedy: 'Write \'...\' instead of "...".',
      };
    case 'BLOCK_AS_IMPLICIT_KEY':
      return /:(\s|$)/.test(rest)
        ? SECOND_COLON
        : indented(nextLine(position.line + 1, position.lines), position.lines);
    case 'BAD_INDENT':
      return /^Flow/.test(message)
        ? unclosed(message, position)
        : indented(nextLine(position.line, position.lines), position.lines);
    case 'MISSING_CHAR':
      if (/^Sequence item/.test(message)) return indented(nextLine(position.line, position.lines), position.lines);
      return /^Missing closing/.test(message) ? unclosed(message, position) : withoutKey(position);
    case 'MULTILINE_IMPLICIT_KEY':
      return withoutKey(position);
    default:
      return {
        // What stands behind a colon may be taken from the file.
        problem: `Not valid YAML: ${message.split(/\n|: /, 1)[0]?.slice(0, 100)}.`,
        remedy: 'Correct the syntax at this line; an editor with YAML support shows it.',
      };
  }
}

const IN_QUOTES = 'Put the value in quotation marks.';
const SECOND_COLON = {
  problem: 'A value holds a colon and a space, which would begin another key.',
  remedy: IN_QUOTES,
};

function indented(line: number, lines: readonly string[]): Description {
  const remedy = 'Indent it as the lines around it: keys of one group begin below each other, with spaces.';
  const key = /^(\s*(?:- +)?[\w-]{1,31}:)(.*)/.exec(lines[line - 1] ?? '');
  const quoted = key ? `: \`${key[1]}${key[2]?.trim() ? ' ...' : ''}\`` : '.';
  return { line, problem: `Line ${line} is indented differently from its neighbours${quoted}`, remedy };
}

/** The first line from this one on that holds more than a comment. */
function nextLine(line: number, lines: readonly string[]): number {
  const next = lines.findIndex((text, at) => at + 1 >= line && !/^\s*(#|$)/.test(text));
  return next < 0 ? line : next + 1;
}

function withoutKey({ lines, line }: Position): Description {
  const key = /^\s*(?:- +)?([A-Za-z][A-Za-z0-9]{0,30}):\S/.exec(lines[line - 1] ?? '')?.[1];
  if (key) return { problem: `There is no space behind "${key}:".`, remedy: `Write \`${key}: value\`.` };
  return { problem: `Line ${line} has no key with a colon and a space behind it.`, remedy: 'Write `key: value`.' };
}

/** The parser finds it where the text ends: reported where it begins, as far as that can be seen. */
function unclosed(message: string, { lines, line }: Position): Description {
  const quote = message.slice(-6).includes("'") ? "'" : '"';
  const sign = /Flow map/.test(message) ? '{' : /Flow seq/.test(message) ? '[' : quote;
  const close = sign === '{' ? '}' : sign === '[' ? ']' : sign;
  const count = (text: string, what: string) => text.split(what).length - 1;
  const open = (text: string) => (sign === close ? count(text, sign) % 2 : count(text, sign) - count(text, close)) > 0;
  const before = lines.slice(0, line).map((text) => text.replace(/(^|\s)#.*/, ''));
  const begins = before.findLastIndex((text) => open(text)) + 1 || line;
  const what = sign === close ? 'A quotation mark' : 'A bracket';
  return { line: begins, problem: `${what} (${sign}) is opened and not closed.`, remedy: `Close it: ${close}` };
}
