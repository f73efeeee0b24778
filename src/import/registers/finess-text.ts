// The FINESS text files, which have no header: legal entities (501), establishments (502, 507) and coordinates (507). The
// first cell of each line tells them apart.

import { isUtf8 } from 'node:buffer';
import { parse } from 'csv-parse/sync';
import { cleanText } from '#import/sources/clean-text.ts';
import { LONGEST_LINE, TOO_LONG } from '#import/sources/limits.ts';
import { eachLine, type LineBlock } from '#import/sources/lines.ts';
import { type FinessTargets, finessRow } from './finess-structure.ts';
import type { Source } from './source.ts';

/** A FINESS number. */
export const FINESS_NUMBER = /^\d[0-9AB]\d{7}$/;
/** Words, and not a code in figures. */
export const LETTERS = /\p{L}.*\p{L}/u;
const PHONE = /^[+\d][\d .()/-]+$/;
const DEPARTMENT = /^(\d{2}|2[AB]|9[A-Z\d]{1,2})$/;
const KIND = 'tells the kind of the line';

const LEGAL_ENTITY_CELLS = [
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

const ESTABLISHMENT_CELLS = [
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

const COORDINATE_CELLS = [
  { key: 'line', label: 'geolocalisation', omitted: `${KIND}, all of which is left out` },
  { key: 'finess', label: 'nofinesset', omitted: NO_LOCATION },
  { key: 'x', label: 'coordxet', omitted: NO_LOCATION },
  { key: 'y', label: 'coordyet', omitted: NO_LOCATION },
  { key: 'source', label: 'sourcecoordet', omitted: NO_LOCATION },
  { key: 'updated', label: 'datemaj', omitted: NO_LOCATION },
] as const;

/** Cells of the lines of each kind, by their first cell. */
export const FINESS_TEXT_CELLS = {
  structureej: LEGAL_ENTITY_CELLS,
  structureet: ESTABLISHMENT_CELLS,
  geolocalisation: COORDINATE_CELLS,
} as const;

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

const WINDOWS_1252 = new TextDecoder('windows-1252');
/** Cell of the FINESS number in every kind of line. */
const FINESS_CELL = 1;

/** Reads the lines of a block; lines that are not UTF-8 are Windows-1252. */
export function readFinessText(block: LineBlock, source: Source, targets: FinessTargets): void {
  const { report, recognised } = source;
  const { collector } = targets;
  eachLine(block, (start, end, line) => {
    if (line <= recognised.headerLines || start === end) return;
    report.lines++;
    if (end - start > LONGEST_LINE) {
      collector.leaveOut(report, line, TOO_LONG);
      return;
    }
    const bytes = block.bytes.subarray(start, end);
    const utf8 = block.utf8 || isUtf8(bytes);
    if (!utf8) collector.warn('windows-1252', `${report.name}, line ${line}`);
    const text = utf8 ? bytes.toString('utf8') : WINDOWS_1252.decode(bytes);
    const cleaned = cleanText(text, (kind) => collector.warn(kind, `${report.name}, line ${line}`));
    const issue = readLine(cleaned, line, source, targets);
    if (issue !== undefined) collector.leaveOut(report, line, issue);
  });
}

/** Returns why the line cannot be used, if so. */
function readLine(text: string, line: number, source: Source, targets: FinessTargets): string | undefined {
  const { report } = source;
  const cells = splitFinessLine(text).map((value) => value.trim());
  const [first = ''] = cells;
  const columns = isKind(first) ? FINESS_TEXT_CELLS[first] : undefined;
  if (!columns && first.startsWith('"')) return 'a cell in quotes that does not end on this line';
  if (!columns) return `a line of unknown kind "${first.slice(0, 20)}"`;
  source.finessLines ??= {};
  source.finessLines[first] = (source.finessLines[first] ?? 0) + 1;
  if (cells.length === columns.length + 1 && cells.at(-1) === '') cells.pop();
  if (cells.length !== columns.length) {
    return `${cells.length} cells instead of ${columns.length}: another layout, or a ";" within a text`;
  }
  targets.collector.columns.count(report.name, `finess ${first}`, columns, cells, line);
  if (!FINESS_NUMBER.test(cells[FINESS_CELL] ?? '')) return 'FINESS number missing or malformed';
  if (first === 'geolocalisation') return undefined;
  targets.keepStructure(
    'finessText',
    finessRow(new Map(columns.map(({ key }, index) => [key, cells[index] ?? '']))),
    source,
  );
  return undefined;
}

function isKind(first: string): first is keyof typeof FINESS_TEXT_CELLS {
  return Object.hasOwn(FINESS_TEXT_CELLS, first);
}
