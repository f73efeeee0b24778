// Owns reading one YAML file: its value, the lines of its keys, and its issues as YAML.
// Does not own what the keys mean (the JSON Schemas, `schema.ts`) nor the words for what is no YAML (`yaml-issues.ts`).

import { readFile } from 'node:fs/promises';
import { isMap, isPair, isSeq, LineCounter, parseDocument } from 'yaml';
import type { ConfigIssue } from '../configuration-error.ts';
import { syntaxIssues } from './syntax-issues.ts';

const LARGEST_FILE = 5_000_000;

/** A path within a file: keys and positions. */
export type KeyPath = readonly (string | number)[];

export interface YamlFile {
  file: string;
  /** undefined when the file is absent. */
  text: string | undefined;
  /** The parsed value; an empty object for an absent or empty file; undefined when it could not be parsed. */
  value: unknown;
  issues: ConfigIssue[];
  /** 1-based line of the key, or of the nearest one around it that stands in the file. */
  lineOf(path: KeyPath): number | undefined;
  /** Whether something was written there, which is not so of a default. */
  holds(path: KeyPath): boolean;
}

const UNWRITTEN = { lineOf: () => undefined, holds: () => false };

/** Reads and parses a file. An absent one is empty; every other issue, from permissions to duplicate keys, is listed. */
export async function readYamlFile(file: string): Promise<YamlFile> {
  let text: string;
  try {
    const bytes = await readFile(file);
    if (bytes.length > LARGEST_FILE)
      return unreadable(file, `The file has more than ${LARGEST_FILE} bytes.`, 'Shorten it.');
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT') return { file, text: undefined, value: {}, issues: [], ...UNWRITTEN };
    if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') {
      return unreadable(file, 'The file is not UTF-8 text.', 'Save it in the encoding UTF-8.');
    }
    return unreadable(
      file,
      `The file cannot be read (${code ?? 'unknown error'}).`,
      'Give the service the right to read it.',
    );
  }
  return parseYaml(file, text);
}

/** Parses text that was read from `file`. */
export function parseYaml(file: string, text: string): YamlFile {
  const lines = new LineCounter();
  try {
    const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true });
    const issues = syntaxIssues(file, text, [...document.errors, ...document.warnings], lines);
    const lineOf = (path: KeyPath) => lineOfPath(document.contents, path, lines);
    const holds = (path: KeyPath) => document.hasIn(path);
    if (issues.length > 0) return { file, text, value: undefined, issues, lineOf, holds };
    // An alias may stand for itself many times over; the limit keeps a small file from becoming a huge value.
    return { file, text, value: document.toJS({ maxAliasCount: 100 }) ?? {}, issues, lineOf, holds };
  } catch (error) {
    const issue = unusable(error as Error, text);
    return { file, text, value: undefined, issues: [{ file, path: '', ...issue }], ...UNWRITTEN };
  }
}

function unreadable(file: string, problem: string, remedy: string): YamlFile {
  return { file, text: '', value: undefined, issues: [{ file, path: '', problem, remedy }], ...UNWRITTEN };
}

// The name of an anchor that is not there is a value that begins with *, such as an address with a wildcard.
function unusable({ message }: Error, text: string): Pick<ConfigIssue, 'problem' | 'remedy' | 'line'> {
  if (!message.startsWith('Unresolved alias')) {
    const problem = `The file is not usable YAML: ${message.split('\n', 1)[0]?.slice(0, 200)}`;
    return { problem, remedy: 'Write plain keys and values, without anchors and deep nesting.' };
  }
  const line = text.split('\n').findIndex((one) => /(^|[:,[{-])\s*\*/.test(one)) + 1;
  const problem = 'A value begins with *, which is read as a reference to an anchor.';
  return { ...(line > 0 && { line }), problem, remedy: 'Put the value in quotation marks.' };
}

function lineOfPath(root: unknown, path: KeyPath, lines: LineCounter): number | undefined {
  let node = root;
  let start = offsetOf(root);
  for (const step of path) {
    let next: unknown;
    if (isMap(node)) {
      const pair = node.items.find((item) => isPair(item) && String(item.key) === String(step));
      if (!pair) break;
      start = offsetOf(pair.key) ?? start;
      next = pair.value;
    } else if (isSeq(node)) {
      next = node.items[Number(step)];
      if (next === undefined) break;
      start = offsetOf(next) ?? start;
    } else break;
    node = next;
  }
  return start === undefined ? undefined : lines.linePos(start).line;
}

function offsetOf(node: unknown): number | undefined {
  return (node as { range?: [number, number, number] } | null | undefined)?.range?.[0];
}
