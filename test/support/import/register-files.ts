// Small register files in the published layouts, made from a few named cells, and imported for real. The headers below are
// copied from the published files, so that our tables are tested too.

import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ImportOptions } from '#import/import-options.ts';
import type { ImportReport } from '#import/judgement/import-report.ts';
import { importEdition } from '#import/locked-import.ts';
import { openSnapshot } from '#search-index/read/reader.ts';
import type { ResourceType, Snapshot } from '#search-index/snapshot.ts';
import { type Database, openDatabase } from '#store/database/connection.ts';
import { snapshotFolder } from '#store/snapshots/folder.ts';
import { findSnapshot, readPointer } from '#store/snapshots/registry.ts';
import { DEFAULT_LIMITS } from '#support/config/guards.ts';
import { writeMigrated } from '#support/databases.ts';

export const HEADERS = {
  activities:
    "Type d'identifiant PP|Identifiant PP|Identification nationale PP|Code civilité d'exercice|Libellé civilité d'exercice|Code civilité|Libellé civilité|Nom d'exercice|Prénom d'exercice|Code profession|Libellé profession|Code catégorie professionnelle|Libellé catégorie professionnelle|Code type savoir-faire|Libellé type savoir-faire|Code savoir-faire|Libellé savoir-faire|Code mode exercice|Libellé mode exercice|Numéro SIRET site|Numéro SIREN site|Numéro FINESS site|Numéro FINESS établissement juridique|Identifiant technique de la structure|Raison sociale site|Enseigne commerciale site|Complément destinataire (coord. structure)|Complément point géographique (coord. structure)|Numéro Voie (coord. structure)|Indice répétition voie (coord. structure)|Code type de voie (coord. structure)|Libellé type de voie (coord. structure)|Libellé Voie (coord. structure)|Mention distribution (coord. structure)|Bureau cedex (coord. structure)|Code postal (coord. structure)|Code commune (coord. structure)|Libellé commune (coord. structure)|Code pays (coord. structure)|Libellé pays (coord. structure)|Téléphone (coord. structure)|Téléphone 2 (coord. structure)|Télécopie (coord. structure)|Adresse e-mail (coord. structure)|Code Département (structure)|Libellé Département (structure)|Ancien identifiant de la structure|Autorité d'enregistrement|Code secteur d'activité|Libellé secteur d'activité|Code section tableau pharmaciens|Libellé section tableau pharmaciens|Code rôle|Libellé rôle|Code genre activité|Libellé genre activité",
  diplomas:
    "Type d'identifiant PP|Identifiant PP|Identification nationale PP|Nom d'exercice|Prénom d'exercice|Code type diplôme obtenu|Libellé type diplôme obtenu|Code diplôme obtenu|Libellé diplôme obtenu|Code type autorisation|Libellé type autorisation|Code discipline autorisation|Libellé discipline autorisation",
  skills:
    "Type d'identifiant PP|Identifiant PP|Identification nationale PP|Nom d'exercice|Prénom d'exercice|Code profession|Libellé profession|Code catégorie professionnelle|Libellé catégorie professionnelle|Code type savoir-faire|Libellé type savoir-faire|Code savoir-faire|Libellé savoir-faire",
  mailboxes:
    "Type de BAL|Adresse BAL|Type Identifiant PP|Identifiant PP|Identification nationale PP|Type identifiant structure|Identification Structure|Service de rattachement|Civilité d'exercice|Nom d'exercice|Prénom d'exercice|Catégorie profession|Libellé de catégorie profession|Code Profession|Libellé Profession|Code savoir-faire|Libellé savoir-faire|Dématérialisation|Raison Sociale structure BAL|Enseigne commerciale structure BAL|L2COMPLEMENTLOCALISATION structure BAL|L3COMPLEMENTDISTRIBUTION structure BAL|L4NUMEROVOIE structure BAL|L4COMPLEMENTNUMEROVOIE structure BAL|NL4TYPEVOIE structure BAL|L4LIBELLEVOIE structure BAL|L5LIEUDITMENTION structure BAL|L6LIGNEACHEMINEMENT structure BAL|Code postal structure BAL|Département structure BAL|Pays structure BAL",
} as const;

export type PipeRegister = keyof typeof HEADERS;

/** A line of a register: cells by their number from 0, as `directory-data` counts them. */
export type Cells = Readonly<Record<number, string>>;

/** Cells of so many people, each with a number and a structure of its own. */
export const numbered = (count: number, cells: (index: number) => Cells = () => ({})) =>
  Array.from({ length: count }, (_, index) => {
    const rpps = String(19000000000 + index);
    return activity({ 1: rpps, 2: `8${rpps}`, 23: `R2000000000${String(index).padStart(4, '0')}`, ...cells(index) });
  });

/** The text of a register file: header and lines; `trailing`: a `|` behind every line, as PA, DI and SF have it. */
export function registerText(
  register: PipeRegister,
  lines: readonly Cells[],
  trailing = register !== 'mailboxes',
): string {
  const width = HEADERS[register].split('|').length;
  const end = trailing ? '|\n' : '\n';
  const rows = lines.map((cells) => Array.from({ length: width }, (_, column) => cells[column] ?? '').join('|'));
  return [HEADERS[register], ...rows].map((line) => line + end).join('');
}

/** Cells of a person in private practice. A test overwrites the cells that it is about. */
export function activity(cells: Cells = {}): Cells {
  const rpps = cells[1] ?? '19000000018';
  return {
    0: '8',
    1: rpps,
    2: `8${rpps}`,
    5: 'MME',
    7: 'MARTIN',
    8: 'Jeanne',
    9: '10',
    10: 'Médecin',
    11: 'C',
    12: 'Civil',
    17: 'L',
    18: 'Libéral',
    23: 'R20000000000001',
    24: 'CABINET DU DR MARTIN',
    28: '12',
    31: 'Rue',
    32: 'VICTOR HUGO',
    34: '69003 LYON',
    35: '69003',
    36: '69383',
    37: 'Lyon 3e  Arrondissement',
    ...cells,
  };
}

export const finessEstablishment = (cells: Cells = {}): string =>
  finessLine(32, 'structureet', { 1: '690000013', 2: '690000021', 3: 'CH DE LYON', ...cells });
export const finessLegalEntity = (cells: Cells = {}): string =>
  finessLine(23, 'structureej', { 1: '690000021', 2: 'GROUPE', ...cells });
export const finessFile = (...lines: readonly string[]): string =>
  ['finess;etalab;101;2026-10-08', ...lines, ''].join('\n');

function finessLine(width: number, kind: string, cells: Cells): string {
  return Array.from({ length: width }, (_, cell) => (cell === 0 ? kind : (cells[cell] ?? ''))).join(';');
}

/** Registers of a few lines that agree in nothing: what tests about one register make up. */
const APART = { unknownPeople: 1, namesDiffer: 1, professionsDiffer: 1, danglingStructures: 1, coverage: 1 };

export const SETTINGS = {
  namespace: 'https://hygie.example',
  directory: {
    url: 'https://hygie.example/directory/v2',
    // Few tests need every register.
    guards: { ...DEFAULT_LIMITS, ...APART, minimum: { Practitioner: 0, Organization: 0 }, expected: [] },
    keep: 1,
    largestUnpacked: 20e9,
    distribution: 'folder' as const,
  },
  keys: { secrets: [] },
};

export interface Bench {
  /** Folder for the files of the test. */
  folder: string;
  dataFolder: string;
  database: Database;
  /** Writes a file and returns its path. */
  file(name: string, content: string | Buffer): string;
  run(paths: readonly string[], options?: Partial<ImportOptions>): Promise<ImportReport>;
  /** The current snapshot, closed with the bench. */
  snapshot(): Promise<Snapshot>;
  /** A resource of the current snapshot without `meta`. */
  read(type: ResourceType, id: string): Promise<Record<string, unknown> | undefined>;
  close(): Promise<void>;
}

/** An empty data folder with a migrated database, or a copy of what another bench has loaded. */
export async function openBench(original?: Bench): Promise<Bench> {
  const folder = mkdtempSync(join(tmpdir(), 'hygie-ingest-'));
  const dataFolder = join(folder, 'data');
  const file = join(dataFolder, 'hygie.sqlite');
  await original?.database.raw('pragma wal_checkpoint(truncate)');
  if (original) cpSync(original.dataFolder, dataFolder, { recursive: true });
  else await writeMigrated(file);
  const database = openDatabase({ engine: 'sqlite', file });
  const open: Snapshot[] = [];
  const snapshot = async () => {
    const { current } = await readPointer(database);
    const entry = current === undefined ? undefined : await findSnapshot(database, current);
    if (!entry) throw new Error('no directory is loaded');
    const opened = await openSnapshot(join(snapshotFolder(dataFolder), entry.file));
    open.push(opened);
    return opened;
  };
  return {
    folder,
    dataFolder,
    database,
    file(name, content) {
      const path = join(folder, name);
      writeFileSync(path, content);
      return path;
    },
    run: (paths, options = {}) => importEdition({ paths, database, settings: { ...SETTINGS, dataFolder }, ...options }),
    snapshot,
    async read(type, id) {
      const found = await (await snapshot()).read(type, id);
      if (!found) return undefined;
      const { meta: _meta, ...resource } = JSON.parse(found.json);
      return resource;
    },
    async close() {
      for (const one of open) await one.close();
      await database.destroy();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
