// A population as the files of an edition, held in memory.

import { HEADERS, type PipeRegister } from '../import/register-files.ts';
import { PIPE_REGISTERS, type Population } from './population.ts';

/** Content by name of file. */
export type EditionFiles = ReadonlyMap<string, Buffer>;

export type FileKey = PipeRegister | 'legalEntities' | 'establishments';

const NAMES: Readonly<Record<FileKey, (date: string) => string>> = {
  activities: (date) => `PS_LibreAcces_Personne_activite_${date}0830.txt`,
  diplomas: (date) => `PS_LibreAcces_Dipl_AutExerc_${date}0830.txt`,
  skills: (date) => `PS_LibreAcces_SavoirFaire_${date}0830.txt`,
  mailboxes: (date) => `Extraction_Correspondance_MSSante_${date}0830.txt`,
  legalEntities: (date) => `etalab-cs1100501-stock-${date}-0830.csv`,
  establishments: (date) => `etalab-cs1100502-stock-${date}-0830.csv`,
};
export const FILE_KEYS = Object.keys(NAMES) as FileKey[];

/** @param date `YYYYMMDD` */
export function editionFiles({ people, structures }: Population, date: string): EditionFiles {
  const files = new Map<string, Buffer>();
  for (const register of PIPE_REGISTERS) {
    const end = register === 'mailboxes' ? '' : '|';
    const lines = [HEADERS[register] + end, ...people.flatMap((person) => person.lines[register])];
    if (register === 'mailboxes') lines.push(...structures.mailboxes);
    files.set(NAMES[register](date), Buffer.from(`${lines.join('\n')}\n`));
  }
  const day = `${date.slice(0, 4)}-${date.slice(4, 6)}-${date.slice(6)}`;
  for (const [key, flow] of [
    ['legalEntities', 101],
    ['establishments', 111],
  ] as const) {
    const lines = [`finess;etalab;${flow};${day}`, ...structures[key]];
    files.set(NAMES[key](date), Buffer.from(`${lines.join('\n')}\n`));
  }
  return files;
}

/** The name of a register's file among these. */
export function nameOf(files: EditionFiles, key: FileKey): string {
  const [start = ''] = NAMES[key]('*').split('*');
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
