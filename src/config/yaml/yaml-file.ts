// Reads one YAML file: its value, the positions of its keys, and what is wrong with it as YAML.

import { readFile } from 'node:fs/promises';
import { type Document, isMap, isNode, LineCounter, type ParsedNode, parseDocument } from 'yaml';
import type { ConfigIssue, Problem } from '../configuration-error.ts';
import { syntaxIssues } from './syntax-issues.ts';

const LARGEST_FILE = 5_000_000;

/** A path within a file: keys, and indexes of list entries. */
export type KeyPath = readonly (string | number)[];

export interface YamlFile {
  file: string;
  /** undefined when the file is absent. */
  text: string | undefined;
  /** The parsed value; an empty object for an absent or empty file; undefined when it could not be parsed. */
  value: unknown;
  issues: ConfigIssue[];
  /** An issue at a key, with the position of the key, or of the nearest group around it that stands in the file. */
  issueAt(path: KeyPath, problem: Problem): ConfigIssue;
  /** Whether the file itself has the key. */
  has(path: KeyPath): boolean;
}

/** Reads and parses a file. An absent one is empty; every other problem, from permissions to duplicate keys, is an issue. */
export async function readYamlFile(file: string): Promise<YamlFile> {
  try {
    const bytes = await readFile(file);
    if (bytes.length > LARGEST_FILE) {
      return unusable(file, '', { problem: `The file has more than ${LARGEST_FILE} bytes.`, remedy: 'Shorten it.' });
    }
    return parseYaml(file, new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT') return { ...withoutPositions(file), text: undefined };
    const problem =
      code === 'ERR_ENCODING_INVALID_ENCODED_DATA'
        ? { problem: 'The file is not UTF-8 text.', remedy: 'Save it in the encoding UTF-8.' }
        : {
            problem: `The file cannot be read (${code ?? 'unknown error'}).`,
            remedy: 'Give the service the right to read it.',
          };
    return unusable(file, '', problem);
  }
}

/** A file without any key, which stands for values from elsewhere. */
export function withoutPositions(file: string, value: unknown = {}): YamlFile {
  const issueAt = (path: KeyPath, problem: Problem) => ({ file, path: pathText(path), ...problem });
  return { file, text: '', value, issues: [], issueAt, has: () => false };
}

function parseYaml(file: string, text: string): YamlFile {
  const lines = new LineCounter();
  try {
    const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true });
    const issues = syntaxIssues(file, text, [...document.errors, ...document.warnings], lines);
    return {
      file,
      text,
      // An alias may stand for itself many times over; the limit keeps a small file from becoming a huge value.
      value: issues.length > 0 ? undefined : (document.toJS({ maxAliasCount: 100 }) ?? {}),
      issues,
      issueAt: (path, problem) => {
        const { line, col: column } = lines.linePos(offsetOf(document, path));
        return { file, path: pathText(path), line, column, ...problem };
      },
      has: (path) => document.hasIn(path),
    };
  } catch (error) {
    return unusable(file, text, problemOf(error as Error, text));
  }
}

function unusable(file: string, text: string, problem: Problem & { line?: number }): YamlFile {
  return { ...withoutPositions(file), text, value: undefined, issues: [{ file, path: '', ...problem }] };
}

// The name of an anchor that is not there is a value that begins with *, such as an address with a wildcard.
function problemOf({ message }: Error, text: string): Problem & { line?: number } {
  if (!message.startsWith('Unresolved alias')) {
    const problem = `The file is not usable YAML: ${message.split('\n', 1)[0]?.slice(0, 200)}`;
    return { problem, remedy: 'Write plain keys and values, without anchors and deep nesting.' };
  }
  const line = text.split('\n').findIndex((one) => /(^|[:,[{-])\s*\*/.test(one)) + 1;
  const problem = 'A value begins with *, which is read as a reference to an anchor.';
  return { ...(line > 0 && { line }), problem, remedy: 'Put the value in quotation marks.' };
}

/** Where the key, or the list entry, begins; or the nearest one around it. */
function offsetOf(document: Document.Parsed<ParsedNode>, path: KeyPath): number {
  const parent = path.length === 0 ? undefined : document.getIn(path.slice(0, -1), true);
  const pair = isMap(parent) ? parent.items.find(({ key }) => String(key) === String(path.at(-1))) : undefined;
  const node = pair ? pair.key : document.getIn(path, true);
  const offset = isNode(node) ? node.range?.[0] : undefined;
  return offset ?? (path.length === 0 ? 0 : offsetOf(document, path.slice(0, -1)));
}

/** `clients[2].callbackUrls[0]`, as an operator reads it. */
export function pathText(path: KeyPath): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`;
    const key = /^[\w$-]{1,60}$/.test(step) ? step : JSON.stringify(step.slice(0, 60));
    return text === '' ? key : `${text}.${key}`;
  }, '');
}
