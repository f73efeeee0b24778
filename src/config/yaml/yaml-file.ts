// Reads one YAML file: its value, the positions of its keys, and issues of its syntax. No issue shows a value of the file, because the
// value may be a secret.

import { isUtf8 } from 'node:buffer';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Document, isMap, isNode, LineCounter, type ParsedNode, parseDocument, visit } from 'yaml';
import type { ConfigIssue, Problem } from '#config/configuration-error.ts';

/** A path within a file: keys and list indexes. */
export type KeyPath = readonly (string | number)[];

export interface YamlFile {
  file: string;
  /** Undefined if the file is absent. */
  text: string | undefined;
  /** The parsed value. It is an empty object for an absent or empty file, and undefined if the file could not be parsed. */
  value: unknown;
  issues: ConfigIssue[];
  /**
   * Makes an issue about a key, with the position of the key. If the file lacks the key, the position is that of the nearest group around
   * it.
   */
  issueAt(path: KeyPath, problem: Problem): ConfigIssue;
  /** Checks whether the key stands in the file. A key that a variable or a default sets is not in the file. */
  has(path: KeyPath): boolean;
}

const MISSING: Problem = {
  problem: 'The file is missing, and production does not use defaults by itself.',
  remedy: 'Put it back, or mount it there; an empty file stands for defaults, or for no clients.',
};

/**
 * Reads and parses a file. A missing file is read as an empty one, but is an issue if `required` is true (SEC-79). Every other problem is
 * an issue, for example missing permissions or duplicate keys.
 */
export async function readYamlFile(file: string, required = false): Promise<YamlFile> {
  try {
    const bytes = await readFile(file);
    if (isUtf8(bytes)) return parseYaml(file, bytes.toString());
    return unusable(file, '', { problem: 'The file is not UTF-8 text.', remedy: 'Save it in the encoding UTF-8.' });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') {
      // A missing folder is reported by another issue, so the missing file is not reported as well.
      const refused = required && existsSync(dirname(file));
      return { ...(refused ? unusable(file, '', MISSING) : parseYaml(file, '')), text: undefined };
    }
    const remedy = 'Give the service the right to read it.';
    return unusable(file, '', { problem: `The file cannot be read (${code}).`, remedy });
  }
}

function parseYaml(file: string, text: string): YamlFile {
  const lines = new LineCounter();
  try {
    const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
    const errors: ParserError[] = [...document.errors, ...document.warnings];
    visit(document, {
      Alias: (_key, alias) => {
        const [start = 0, end = start] = alias.range ?? [];
        if (!alias.resolve(document)) errors.push({ code: 'BAD_ALIAS', message: '', pos: [start, end] });
      },
    });
    const issues = syntaxIssues(file, errors, lines);
    return {
      file,
      text,
      // Aliases may refer to values with further aliases, so that a small file becomes a huge value. The limit prevents this.
      value: issues.length > 0 ? undefined : (document.toJS({ maxAliasCount: 100 }) ?? {}),
      issues,
      issueAt: (path, problem) => {
        const { line, col: column } = lines.linePos(offsetOf(document, path));
        return { file, path: pathText(path), line, column, ...problem };
      },
      has: (path) => document.hasIn(path),
    };
  } catch {
    const remedy = 'Write plain keys and values, without deep nesting or anchors that repeat each other.';
    return unusable(file, text, { problem: 'The file is not usable YAML.', remedy });
  }
}

function unusable(file: string, text: string, problem: Problem): YamlFile {
  const issueAt = (path: KeyPath, other: Problem) => ({ file, path: pathText(path), ...other });
  return { file, text, value: undefined, issues: [issueAt([], problem)], issueAt, has: () => false };
}

/**
 * Returns the position at which a key or list entry begins. If the file lacks it, returns the position of the nearest group or list around
 * it.
 */
function offsetOf(document: Document.Parsed<ParsedNode>, path: KeyPath): number {
  const parent = path.length === 0 ? undefined : document.getIn(path.slice(0, -1), true);
  const pair = isMap(parent) ? parent.items.find(({ key }) => String(key) === String(path.at(-1))) : undefined;
  const node = pair ? pair.key : document.getIn(path, true);
  const offset = isNode(node) ? node.range?.[0] : undefined;
  return offset ?? (path.length === 0 ? 0 : offsetOf(document, path.slice(0, -1)));
}

/** Formats a path as an operator reads it: `clients[2].callbackUrls[0]`. */
export function pathText(path: KeyPath): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`;
    const key = /^[\w$-]{1,60}$/.test(step) ? step : JSON.stringify(step.slice(0, 60));
    return text === '' ? key : `${text}.${key}`;
  }, '');
}

/** An error or a warning of the YAML parser. */
interface ParserError {
  code: string;
  message: string;
  pos: [number, number];
}

const IN_QUOTES = 'Put the value in quotation marks.';
const ALIKE = 'Indent keys of one group alike, with spaces;';

/** Problem and remedy for common mistakes, by the error code of the YAML parser. */
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
  DUPLICATE_KEY: ['This group has the same key twice.', 'Keep one of the two keys.'],
  MISSING_CHAR: [
    'A quotation mark above is not closed, or the line has no key with a colon behind it.',
    'Close it, or write `key: value`.',
  ],
  MULTILINE_IMPLICIT_KEY: ['The line has no key with a colon and a space behind it.', 'Write `key: value`.'],
  MULTIPLE_DOCS: ['A second document begins here.', 'Keep one document: remove the lines "---" between.'],
  TAB_AS_INDENT: ['The line is indented with a tab.', 'Indent with spaces.'],
  TAG_RESOLVE_FAILED: ['A value begins with "!", which is read as a tag.', IN_QUOTES],
};

/** Error codes of the YAML parser for mistakes that do not cause further errors below. */
const INDEPENDENT: ReadonlySet<string> = new Set(['BAD_ALIAS', 'DUPLICATE_KEY', 'TAG_RESOLVE_FAILED']);

/**
 * Returns the issues of one file in the order of their lines. The list ends with the first error that may have caused the errors after it.
 */
function syntaxIssues(file: string, errors: readonly ParserError[], lines: LineCounter): ConfigIssue[] {
  const inOrder = errors.toSorted((a, b) => a.pos[0] - b.pos[0]);
  const first = inOrder.findIndex(({ code }) => !INDEPENDENT.has(code));
  return inOrder.slice(0, first < 0 ? undefined : first + 1).map(({ code, message, pos }) => {
    // The message of the parser may quote the file after a colon, and the quoted text may be a secret. So the message is cut off at the
    // colon.
    const general = [`Not valid YAML: ${message.split(/\n|: /, 1)[0]?.slice(0, 100)}.`, 'Correct the syntax here.'];
    const [problem = '', remedy = ''] = USUAL[code] ?? general;
    const { line, col: column } = lines.linePos(pos[0]);
    return { file, path: '', line, column, problem, remedy };
  });
}
