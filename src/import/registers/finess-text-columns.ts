// Cells of the FINESS text files, which have no header: legal entities (501), establishments (502, 507) and coordinates
// (507), distinguished by the first cell of each line.

import { parse } from 'csv-parse/sync';

/** A FINESS number. */
export const FINESS_NUMBER = /^\d[0-9AB]\d{7}$/;
/** Words, and not a code in figures. */
export const LETTERS = /\p{L}.*\p{L}/u;
const PHONE = /^[+\d][\d .()/-]+$/;
const DEPARTMENT = /^(\d{2}|2[AB]|9[A-Z\d]{1,2})$/;
const KIND = 'tells the kind of the line';

export const LEGAL_ENTITY_CELLS = [
  { key: 'line', label: 'structureej', to: KIND },
  { key: 'finess', label: 'nofiness', to: 'Organization.id, Organization.identifier', shape: FINESS_NUMBER },
  { key: 'shortName', label: 'rs', to: 'Organization.name or alias' },
  { key: 'name', label: 'rslongue', to: 'Organization.name', shape: LETTERS },
  { key: 'locality', label: 'complrs', to: 'address.line' },
  { key: 'number', label: 'numvoie', to: 'address.line', shape: /^\d/ },
  { key: 'streetType', label: 'typvoie', to: 'address.line', shape: /^\p{L}{1,5}$/u },
  { key: 'street', label: 'voie', to: 'address.line', shape: LETTERS },
  { key: 'streetMore', label: 'compvoie', to: 'address.line' },
  { key: 'distribution', label: 'compldistrib', to: 'address.line' },
  { key: 'mention', label: 'lieuditbp', to: 'address.line' },
  { key: 'commune', label: 'commune', to: 'address.extension (INSEE code)', shape: /^\d{3}$/ },
  { key: 'routing', label: 'ligneacheminement', to: 'address.line, city, postalCode', shape: /^\d{5} / },
  { key: 'departmentCode', label: 'departement', to: 'address.extension (INSEE code)', shape: DEPARTMENT },
  { key: 'department', label: 'libdepartement', to: 'address.district', shape: LETTERS },
  { key: 'phone', label: 'telephone', to: 'Organization.telecom', shape: PHONE },
  { key: 'status', label: 'statutjuridique', to: 'Organization.type (TRE_R72)' },
  { key: 'statusLabel', label: 'libstatutjuridique', to: 'Organization.type', shape: LETTERS },
  { key: 'category', label: 'categetab', to: 'Organization.type (TRE_R66)' },
  { key: 'categoryLabel', label: 'libcategetab', to: 'Organization.type', shape: LETTERS },
  { key: 'siren', label: 'siren', to: 'Organization.identifier' },
  { key: 'activity', label: 'codeape', omitted: 'a statistical code of the trade register, without label' },
  { key: 'created', label: 'datecrea', omitted: 'STU3 Organization has no element for it' },
] as const;

export const ESTABLISHMENT_CELLS = [
  { key: 'line', label: 'structureet', to: KIND },
  { key: 'finess', label: 'nofinesset', to: 'Organization.id, Organization.identifier', shape: FINESS_NUMBER },
  { key: 'legalFiness', label: 'nofinessej', to: 'Organization.partOf', shape: FINESS_NUMBER },
  { key: 'shortName', label: 'rs', to: 'Organization.name or alias' },
  { key: 'name', label: 'rslongue', to: 'Organization.name', shape: LETTERS },
  { key: 'locality', label: 'complrs', to: 'address.line' },
  { key: 'distribution', label: 'compldistrib', to: 'address.line' },
  { key: 'number', label: 'numvoie', to: 'address.line', shape: /^\d/ },
  { key: 'streetType', label: 'typvoie', to: 'address.line', shape: /^\p{L}{1,5}$/u },
  { key: 'street', label: 'voie', to: 'address.line', shape: LETTERS },
  { key: 'streetMore', label: 'compvoie', to: 'address.line' },
  { key: 'mention', label: 'lieuditbp', to: 'address.line' },
  { key: 'commune', label: 'commune', to: 'address.extension (INSEE code)', shape: /^\d{3}$/ },
  { key: 'departmentCode', label: 'departement', to: 'address.extension (INSEE code)', shape: DEPARTMENT },
  { key: 'department', label: 'libdepartement', to: 'address.district', shape: LETTERS },
  { key: 'routing', label: 'ligneacheminement', to: 'address.line, city, postalCode', shape: /^\d{5} / },
  { key: 'phone', label: 'telephone', to: 'Organization.telecom', shape: PHONE },
  { key: 'fax', label: 'telecopie', to: 'Organization.telecom', shape: PHONE },
  { key: 'category', label: 'categetab', to: 'Organization.type (TRE_R66)' },
  { key: 'categoryLabel', label: 'libcategetab', to: 'Organization.type', shape: LETTERS },
  { key: 'group', label: 'categagretab', omitted: 'follows from the category' },
  { key: 'groupLabel', label: 'libcategagretab', omitted: 'follows from the category' },
  { key: 'siret', label: 'siret', to: 'Organization.identifier', shape: /^\d{14}$/ },
  { key: 'activity', label: 'codeape', omitted: 'a statistical code of the trade register, without label' },
  { key: 'tariff', label: 'codemft', omitted: 'who sets the prices of an establishment: not asked of a directory' },
  { key: 'tariffLabel', label: 'libmft', omitted: 'who sets the prices of an establishment: not asked of a directory' },
  { key: 'publicService', label: 'codesph', to: 'Organization.type (TRE_R73)', shape: /^[0-9A-Z]{1,2}$/ },
  { key: 'publicServiceLabel', label: 'libsph', to: 'Organization.type', shape: LETTERS },
  { key: 'opened', label: 'dateouv', omitted: 'STU3 Organization has no element for it' },
  { key: 'authorised', label: 'dateautor', omitted: 'STU3 Organization has no element for it' },
  { key: 'updated', label: 'maj', omitted: 'meta.lastUpdated says when the resource last changed here' },
  { key: 'school', label: 'numuai', omitted: 'identifies the school inside an establishment, not the establishment' },
] as const;

const NO_LOCATION = 'coordinates belong to Location, which this directory does not serve';

export const COORDINATE_CELLS = [
  { key: 'line', label: 'geolocalisation', omitted: `${KIND}, all of which is left out` },
  { key: 'finess', label: 'nofinesset', omitted: NO_LOCATION },
  { key: 'x', label: 'coordxet', omitted: NO_LOCATION },
  { key: 'y', label: 'coordyet', omitted: NO_LOCATION },
  { key: 'source', label: 'sourcecoordet', omitted: NO_LOCATION },
  { key: 'updated', label: 'datemaj', omitted: NO_LOCATION },
] as const;

/** Cells of a `;` line with CSV quoting (RFC 4180). A quote that is never closed is content: real files hold some. */
export function splitFinessLine(line: string): string[] {
  if (!line.includes('"')) return line.split(';');
  try {
    const [cells = []] = parse(line, { delimiter: ';', relax_quotes: true });
    return cells;
  } catch {
    return line.split(';');
  }
}
