// Reads the files of the registers line by line, by the headers that they have, and FINESS by the order of its cells.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

/** A line, by the name of its column. */
export type Line = Readonly<Record<string, string>>;

export interface Registers {
  activities: readonly Line[];
  diplomas: readonly Line[];
  skills: readonly Line[];
  mailboxes: readonly Line[];
  /** Lines of FINESS, by their cells. */
  legalEntities: readonly (readonly string[])[];
  establishments: readonly (readonly string[])[];
  positions: readonly (readonly string[])[];
}

/** Short names of the columns that are needed, by the beginning of their header. */
const COLUMNS: Readonly<Record<string, string>> = {
  "Type d'identifiant PP": 'idType',
  'Identifiant PP': 'rpps',
  'Identification nationale PP': 'person',
  "Nom d'exercice": 'family',
  "Prénom d'exercice": 'given',
  'Code profession': 'profession',
  'Libellé profession': 'professionLabel',
  'Code catégorie professionnelle': 'category',
  'Libellé catégorie professionnelle': 'categoryLabel',
  'Code type savoir-faire': 'skillType',
  'Libellé type savoir-faire': 'skillTypeLabel',
  'Code savoir-faire': 'skill',
  'Libellé savoir-faire': 'skillLabel',
  'Code mode exercice': 'mode',
  'Libellé mode exercice': 'modeLabel',
  'Numéro SIRET site': 'siret',
  'Numéro SIREN site': 'siren',
  'Numéro FINESS site': 'finess',
  'Numéro FINESS établissement juridique': 'legalFiness',
  'Identifiant technique de la structure': 'structure',
  'Raison sociale site': 'name',
  'Enseigne commerciale site': 'sign',
  'Complément destinataire (coord. structure)': 'addressee',
  'Complément point géographique (coord. structure)': 'locality',
  'Numéro Voie (coord. structure)': 'number',
  'Indice répétition voie (coord. structure)': 'index',
  'Libellé type de voie (coord. structure)': 'streetType',
  'Libellé Voie (coord. structure)': 'street',
  'Mention distribution (coord. structure)': 'mention',
  'Bureau cedex (coord. structure)': 'cedex',
  'Code postal (coord. structure)': 'postalCode',
  'Code commune (coord. structure)': 'commune',
  'Libellé commune (coord. structure)': 'city',
  'Libellé pays (coord. structure)': 'country',
  'Téléphone (coord. structure)': 'phone',
  'Téléphone 2 (coord. structure)': 'phone2',
  'Télécopie (coord. structure)': 'fax',
  'Adresse e-mail (coord. structure)': 'mail',
  'Libellé Département (structure)': 'department',
  'Ancien identifiant de la structure': 'formerId',
  "Code secteur d'activité": 'sector',
  "Libellé secteur d'activité": 'sectorLabel',
  'Code section tableau pharmaciens': 'section',
  'Libellé section tableau pharmaciens': 'sectionLabel',
  'Code rôle': 'role',
  'Libellé rôle': 'roleLabel',
  'Code genre activité': 'genre',
  'Libellé genre activité': 'genreLabel',
  'Code type diplôme obtenu': 'diplomaType',
  'Libellé type diplôme obtenu': 'diplomaTypeLabel',
  'Code diplôme obtenu': 'diploma',
  'Libellé diplôme obtenu': 'diplomaLabel',
  'Code type autorisation': 'permitType',
  'Libellé type autorisation': 'permitTypeLabel',
  'Code discipline autorisation': 'field',
  'Libellé discipline autorisation': 'fieldLabel',
  'Type de BAL': 'type',
  'Adresse BAL': 'address',
  'Type identifiant structure': 'structureIdType',
  'Identification Structure': 'structureId',
  'Raison Sociale structure BAL': 'name',
};

/** Reads a folder with the files of one edition, packed by gzip or not. */
export function readRegisters(folder: string): Registers {
  const names = readdirSync(folder);
  const file = (beginning: string) => {
    const name = names
      .filter((one) => one.startsWith(beginning) && /\.(txt|csv)(\.gz)?$/.test(one))
      .sort()
      .at(-1);
    if (name === undefined) throw new Error(`${folder} has no file that begins with ${beginning}.`);
    const bytes = readFileSync(join(folder, name));
    return (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8').split('\n').filter(Boolean);
  };
  const finess = [
    ...file('etalab-cs1100501'),
    ...file(names.some((one) => one.startsWith('etalab-cs1100507')) ? 'etalab-cs1100507' : 'etalab-cs1100502'),
  ].map(cellsOf);
  return {
    activities: withHeader(file('PS_LibreAcces_Personne_activite')),
    diplomas: withHeader(file('PS_LibreAcces_Dipl_AutExerc')),
    skills: withHeader(file('PS_LibreAcces_SavoirFaire')),
    mailboxes: withHeader(file('Extraction_Correspondance_MSSante')),
    legalEntities: finess.filter(([kind]) => kind === 'structureej'),
    establishments: finess.filter(([kind]) => kind === 'structureet'),
    positions: finess.filter(([kind]) => kind === 'geolocalisation'),
  };
}

function withHeader([header = '', ...lines]: readonly string[]): Line[] {
  const columns = header
    .split('|')
    .flatMap((name, at) => (COLUMNS[name] === undefined ? [] : [{ key: COLUMNS[name], at }]));
  // Objects of one shape take a tenth of the memory.
  const empty = Object.fromEntries(columns.map(({ key }) => [key, '']));
  // Repeated lines say nothing new.
  return [...new Set(lines)].map((line) => {
    const cells = line.split('|');
    const found = { ...empty };
    for (const { key, at } of columns) found[key] = (cells[at] ?? '').trim();
    return found;
  });
}

/** The cells of a line of FINESS, of which those with a `;` stand in quotes. */
function cellsOf(line: string): string[] {
  const cells: string[] = [];
  for (const [, quoted, plain = ''] of `${line};`.matchAll(/(?:"((?:[^"]|"")*)"|([^;]*));/g))
    cells.push((quoted === undefined ? plain : quoted.replaceAll('""', '"')).trim());
  return cells;
}
