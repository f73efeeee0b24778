// A population as the files of an edition, held in memory.

import { FILE_KEYS, type FileKey, fileName, headOf, PIPE_REGISTERS } from '#sandbox/shipped-edition.ts';
import type { Population } from './population.ts';

/** Content by name of file. */
export type EditionFiles = ReadonlyMap<string, Buffer>;

/** @param date `YYYYMMDD` */
export function editionFiles({ people, structures }: Population, date: string): EditionFiles {
  const { mailboxes, coordinates, ...finess } = structures;
  const ofPeople = PIPE_REGISTERS.map(
    (register) => [register, people.flatMap(({ lines }) => lines[register])] as const,
  );
  const lines = { ...Object.fromEntries(ofPeople), ...finess } as Record<FileKey, readonly string[]>;
  lines.mailboxes = [...lines.mailboxes, ...mailboxes];
  lines.establishments = [...lines.establishments, ...coordinates];
  return new Map(
    FILE_KEYS.map((key) => [fileName(key, date), Buffer.from(`${[headOf(key, date), ...lines[key]].join('\n')}\n`)]),
  );
}

/** The name of a register's file among these. */
export function nameOf(files: EditionFiles, key: FileKey): string {
  const [start = ''] = fileName(key, '*').split('*');
  const found = [...files.keys()].find((name) => name.startsWith(start));
  if (found === undefined) throw new Error(`${key} is missing`);
  return found;
}

/** The files with another content of one of them. */
export function withContent(files: EditionFiles, key: FileKey, change: (content: Buffer) => Buffer): EditionFiles {
  const name = nameOf(files, key);
  return new Map(files).set(name, change(files.get(name) as Buffer));
}

/** The files with other lines in one of them, `lines[0]` being the header. */
export function withLines(files: EditionFiles, key: FileKey, change: (lines: string[]) => string[]): EditionFiles {
  return withContent(files, key, (content) => {
    const lines = change(content.toString().split('\n').slice(0, -1));
    return Buffer.from(`${lines.join('\n')}\n`);
  });
}
