// Owns reading one YAML file: its value, the lines of its keys, and its faults as YAML.
// Does not own what the keys mean (the JSON Schemas, `schema.ts`).

import { readFile } from 'node:fs/promises';
import { isMap, isPair, isSeq, LineCounter, parseDocument } from 'yaml';
import type { Fault } from './faults.ts';

const LARGEST_FILE = 5_000_000;

/** A path within a file: keys and positions. */
export type KeyPath = readonly (string | number)[];

export interface YamlFile {
  file: string;
  /** undefined when the file is absent. */
  text: string | undefined;
  /** The parsed value; an empty object for an absent or empty file; undefined when it could not be parsed. */
  value: unknown;
  faults: Fault[];
  /** 1-based line of the key, or of the nearest one around it that stands in the file. */
  lineOf(path: KeyPath): number | undefined;
}

/** Reads and parses a file. An absent one is empty; every other fault, from permissions to duplicate keys, is listed. */
export async function readYamlFile(file: string): Promise<YamlFile> {
  let text: string;
  try {
    const bytes = await readFile(file);
    if (bytes.length > LARGEST_FILE)
      return unreadable(file, `The file has more than ${LARGEST_FILE} bytes.`, 'Shorten it.');
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT') return { file, text: undefined, value: {}, faults: [], lineOf: () => undefined };
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
    const faults = [...document.errors, ...document.warnings].map((error) => syntaxFault(file, error, lines));
    const lineOf = (path: KeyPath) => lineOfPath(document.contents, path, lines);
    if (faults.length > 0) return { file, text, value: undefined, faults, lineOf };
    // An alias may stand for itself many times over; the limit keeps a small file from becoming a huge value.
    return { file, text, value: document.toJS({ maxAliasCount: 100 }) ?? {}, faults, lineOf };
  } catch (error) {
    const problem = `The file is not usable YAML: ${firstLine((error as Error).message)}`;
    return { ...unreadable(file, problem, 'Write plain keys and values, without anchors and deep nesting.'), text };
  }
}

function unreadable(file: string, problem: string, remedy: string): YamlFile {
  return { file, text: '', value: undefined, faults: [{ file, path: '', problem, remedy }], lineOf: () => undefined };
}

const SYNTAX_REMEDIES: Readonly<Record<string, string>> = {
  DUPLICATE_KEY: 'Keep one of the two keys.',
  TAB_AS_INDENT: 'Indent with spaces.',
  MULTIPLE_DOCS: 'Keep one document: remove the lines "---" between.',
};

function syntaxFault(
  file: string,
  error: { code: string; message: string; pos: [number, number] },
  lines: LineCounter,
): Fault {
  const problem =
    error.code === 'DUPLICATE_KEY' ? 'The same key stands here twice.' : `Not valid YAML: ${firstLine(error.message)}`;
  const remedy =
    SYNTAX_REMEDIES[error.code] ?? 'Correct the syntax at this line; an editor with YAML support shows the place.';
  return { file, path: '', line: lines.linePos(error.pos[0]).line, problem, remedy };
}

function firstLine(message: string): string {
  return message.split('\n', 1)[0]?.slice(0, 200) ?? '';
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
