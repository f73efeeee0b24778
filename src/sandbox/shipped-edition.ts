// Reads the shipped fictional edition (`seeds/edition`). Fictional editions of any size are made from copies of its people and structures.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

/** Registers of people in the file format of the Annuaire Santé, in which `|` separates the cells of a line. */
export const PIPE_REGISTERS = ['activities', 'diplomas', 'skills', 'mailboxes'] as const;
export type PipeRegister = (typeof PIPE_REGISTERS)[number];
export type FileKey = PipeRegister | 'legalEntities' | 'establishments';

/** The lines of one person, by register and without line breaks. */
export interface Person {
  rpps: string;
  lines: Readonly<Record<PipeRegister, readonly string[]>>;
}

/**
 * The lines about structures: the lines of their mailboxes, and those of the FINESS files without the first line of each file. A single
 * FINESS file contains the establishments and, after them, their coordinates.
 */
export type Structures = Readonly<
  Record<'mailboxes' | 'legalEntities' | 'establishments' | 'coordinates', readonly string[]>
>;

/** Columns of the national number, the family name and the given name, in each register. */
export const PERSON_COLUMNS = {
  activities: { nationalId: 2, family: 7, given: 8 },
  diplomas: { nationalId: 2, family: 3, given: 4 },
  skills: { nationalId: 2, family: 3, given: 4 },
  mailboxes: { nationalId: 4, family: 9, given: 10 },
} as const satisfies Record<PipeRegister, object>;

const FOLDER = join(import.meta.dirname, '../../seeds/edition');
const FILES: Readonly<Record<FileKey, RegExp>> = {
  activities: /Personne_activite/,
  diplomas: /Dipl_AutExerc/,
  skills: /SavoirFaire/,
  mailboxes: /MSSante/,
  legalEntities: /cs1100501/,
  establishments: /cs1100507/,
};
export const FILE_KEYS = Object.keys(FILES) as FileKey[];
const DATE = /\d{8}/;

interface ShippedEdition {
  people: readonly Person[];
  structures: Structures;
  /** The name under which each file is published. */
  names: Readonly<Record<FileKey, string>>;
  /** First line of each file. */
  heads: Readonly<Record<FileKey, string>>;
  /** Date of the edition, `YYYYMMDD`. */
  date: string;
}

export const SHIPPED_EDITION: ShippedEdition = readEdition();

/** The name under which a file is published in the edition of `date` (`YYYYMMDD`). */
export function fileName(key: FileKey, date: string): string {
  return SHIPPED_EDITION.names[key].replace(DATE, date);
}

/** The first line of a file in the edition of `date` (`YYYYMMDD`), without its line break. */
export function headOf(key: FileKey, date: string): string {
  const day = `${date.slice(0, 4)}-${date.slice(4, 6)}-${date.slice(6)}`;
  return SHIPPED_EDITION.heads[key].replace(/\d{4}-\d\d-\d\d/, day);
}

/**
 * Reads a person's family name, given name and title (`M`, `MME`) from the register of activities, because only this register has every
 * person.
 */
export function nameOf({ lines }: Person): { family: string; given: string; title: string } {
  const cells = (lines.activities[0] ?? '').split('|');
  return { family: cells[7] ?? '', given: cells[8] ?? '', title: cells[5] ?? '' };
}

function readEdition(): ShippedEdition {
  const published = readdirSync(FOLDER);
  const each = <Value>(make: (key: FileKey) => Value) =>
    Object.fromEntries(FILE_KEYS.map((key) => [key, make(key)])) as Record<FileKey, Value>;
  const packed = each((key) => published.find((name) => FILES[key].test(name)) as string);
  const texts = each((key) =>
    gunzipSync(readFileSync(join(FOLDER, packed[key])))
      .toString()
      .split('\n')
      .slice(0, -1),
  );
  const lines = each((key) => texts[key].slice(1));
  const byPerson = PIPE_REGISTERS.map((register) =>
    Map.groupBy(lines[register], (line) => line.split('|')[PERSON_COLUMNS[register].nationalId] ?? ''),
  );
  const people = [...(byPerson[0]?.keys() ?? [])].map((id) => ({
    rpps: id.slice(1),
    lines: Object.fromEntries(
      PIPE_REGISTERS.map((register, at) => [register, byPerson[at]?.get(id) ?? []]),
    ) as unknown as Person['lines'],
  }));
  const { legalEntities } = lines;
  const isCoordinates = (line: string) => line.startsWith('geolocalisation;');
  const coordinates = lines.establishments.filter(isCoordinates);
  const establishments = lines.establishments.filter((line) => !isCoordinates(line));
  const mailboxes = lines.mailboxes.filter((line) => line.startsWith('ORG|'));
  return {
    people,
    structures: { mailboxes, legalEntities, establishments, coordinates },
    names: each((key) => packed[key].replace(/\.gz$/, '')),
    heads: each((key) => texts[key][0] ?? ''),
    date: DATE.exec(packed.activities)?.[0] ?? '',
  };
}
