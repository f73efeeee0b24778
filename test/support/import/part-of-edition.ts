// Copies of a part of the shipped edition, small and whole in itself, some of whose lines a test has edited.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { EDITION } from '#support/edition-truth.ts';

/** What becomes of the lines of a file, its header aside. */
export type Edit = (lines: string[]) => string[];

/** The lines of people whose number has one of these digits, so that the shares stay as they are. FINESS has no people. */
const ofSome =
  (digits: string): Edit =>
  (lines) =>
    lines.filter((line) => digits.includes(/(?:^|\|)8\|\d{9}(\d)\d\|/.exec(line)?.[1] ?? digits));

/** Writes the copy, of three people of ten, into a new folder, which it returns. `edits`: by parts of the files' names. */
export function writePartOfEdition(folder: string, edits: Readonly<Record<string, Edit>> = {}, digits = '789'): string {
  mkdirSync(folder);
  for (const packed of readdirSync(EDITION).filter((name) => name.endsWith('.gz'))) {
    const name = packed.slice(0, -3);
    const [header = '', ...lines] = gunzipSync(readFileSync(join(EDITION, packed)))
      .toString()
      .trimEnd()
      .split('\n');
    const edit = Object.entries(edits).find(([part]) => name.includes(part))?.[1] ?? ((same) => same);
    writeFileSync(join(folder, name), `${[header, ...edit(ofSome(digits)(lines))].join('\n')}\n`);
  }
  return folder;
}
