// Reads the FINESS text files: legal entities (file 501), establishments (502, 507) and coordinates (507). The files have no line with
// column names. The first cell of a line tells what the line is about. The first line of a file, `finess;etalab;...`, may give the date of
// the edition.

import { isUtf8 } from 'node:buffer';
import { parse } from 'csv-parse/sync';
import { FINESS_NUMBER, LETTERS, maps, NUMBER, omits, PHONE } from '#import/collect/columns.ts';
import { cleanText } from '#import/sources/clean-text.ts';
import { LONGEST_LINE, TOO_LONG } from '#import/sources/limits.ts';
import { eachLine, type LineBlock } from '#import/sources/lines.ts';
import { projected } from './coordinates.ts';
import { type FinessTargets, finessRow, GEOLOCATION } from './finess-row.ts';
import type { Source } from './source.ts';

const DEPARTMENT = /^(\d{2}|2[AB]|9[A-Z\d]{1,2})$/;
const KIND = 'tells the kind of the line';

const LEGAL_ENTITY_CELLS = [
  maps('line', 'structureej', KIND),
  maps('finess', 'nofiness', 'Organization.id, Organization.identifier', FINESS_NUMBER),
  maps('shortName', 'rs', 'Organization.name or alias'),
  maps('name', 'rslongue', 'Organization.name', LETTERS),
  maps('locality', 'complrs', 'address.line'),
  maps('number', 'numvoie', 'address.line', /^\d/),
  maps('streetType', 'typvoie', 'address.line', /^\p{L}{1,5}$/u),
  maps('street', 'voie', 'address.line', LETTERS),
  maps('streetMore', 'compvoie', 'address.line'),
  maps('distribution', 'compldistrib', 'address.line'),
  maps('mention', 'lieuditbp', 'address.line'),
  maps('commune', 'commune', 'address.extension (INSEE code)', /^\d{3}$/),
  maps('routing', 'ligneacheminement', 'address.line, city, postalCode', /^\d{5} /),
  maps('departmentCode', 'departement', 'address.extension (INSEE code)', DEPARTMENT),
  maps('department', 'libdepartement', 'address.district', LETTERS),
  maps('phone', 'telephone', 'Organization.telecom', PHONE),
  maps('status', 'statutjuridique', 'Organization.type (TRE_R72)'),
  maps('statusLabel', 'libstatutjuridique', 'Organization.type', LETTERS),
  maps('category', 'categetab', 'Organization.type (TRE_R66)'),
  maps('categoryLabel', 'libcategetab', 'Organization.type', LETTERS),
  maps('siren', 'siren', 'Organization.identifier'),
  omits('activity', 'codeape', 'a statistical code of the trade register, without label'),
  omits('created', 'datecrea', 'STU3 Organization has no element for it'),
];

const ESTABLISHMENT_CELLS = [
  maps('line', 'structureet', KIND),
  maps('finess', 'nofinesset', 'Organization.id, Organization.identifier', FINESS_NUMBER),
  maps('legalFiness', 'nofinessej', 'Organization.partOf', FINESS_NUMBER),
  maps('shortName', 'rs', 'Organization.name or alias'),
  maps('name', 'rslongue', 'Organization.name', LETTERS),
  maps('locality', 'complrs', 'address.line'),
  maps('distribution', 'compldistrib', 'address.line'),
  maps('number', 'numvoie', 'address.line', /^\d/),
  maps('streetType', 'typvoie', 'address.line', /^\p{L}{1,5}$/u),
  maps('street', 'voie', 'address.line', LETTERS),
  maps('streetMore', 'compvoie', 'address.line'),
  maps('mention', 'lieuditbp', 'address.line'),
  maps('commune', 'commune', 'address.extension (INSEE code)', /^\d{3}$/),
  maps('departmentCode', 'departement', 'address.extension (INSEE code)', DEPARTMENT),
  maps('department', 'libdepartement', 'address.district', LETTERS),
  maps('routing', 'ligneacheminement', 'address.line, city, postalCode', /^\d{5} /),
  maps('phone', 'telephone', 'Organization.telecom', PHONE),
  maps('fax', 'telecopie', 'Organization.telecom', PHONE),
  maps('category', 'categetab', 'Organization.type (TRE_R66)'),
  maps('categoryLabel', 'libcategetab', 'Organization.type', LETTERS),
  omits('group', 'categagretab', 'follows from the category'),
  omits('groupLabel', 'libcategagretab', 'follows from the category'),
  maps('siret', 'siret', 'Organization.identifier', /^\d{14}$/),
  omits('activity', 'codeape', 'a statistical code of the trade register, without label'),
  omits('tariff', 'codemft', 'who sets the prices of an establishment: not asked of a directory'),
  omits('tariffLabel', 'libmft', 'who sets the prices of an establishment: not asked of a directory'),
  maps('publicService', 'codesph', 'Organization.type (TRE_R73)', /^[0-9A-Z]{1,2}$/),
  maps('publicServiceLabel', 'libsph', 'Organization.type', LETTERS),
  omits('opened', 'dateouv', 'STU3 Organization has no element for it'),
  omits('authorised', 'dateautor', 'STU3 Organization has no element for it'),
  omits('updated', 'maj', 'meta.lastUpdated says when the resource last changed here'),
  omits('school', 'numuai', 'identifies the school inside an establishment, not the establishment'),
];

const COORDINATE_CELLS = [
  maps('line', 'geolocalisation', KIND),
  maps('finess', 'nofinesset', 'names the establishment', FINESS_NUMBER),
  maps('x', 'coordxet', GEOLOCATION, NUMBER),
  maps('y', 'coordyet', GEOLOCATION, NUMBER),
  maps('source', 'sourcecoordet', 'names the system of the coordinates'),
  omits('updated', 'datemaj', 'meta.lastUpdated says when the resource last changed here'),
];

/** Columns of a line, by the text in its first cell. */
export const FINESS_TEXT_CELLS = {
  structureej: LEGAL_ENTITY_CELLS,
  structureet: ESTABLISHMENT_CELLS,
  geolocalisation: COORDINATE_CELLS,
} as const;

/**
 * Splits a line at `;`, with CSV quoting (RFC 4180). If a quote is never closed, it is taken as a part of the text, because published files
 * contain such quotes.
 */
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
/** Index of the FINESS number in a line. It is the same for all kinds of lines. */
const FINESS_CELL = 1;

/** Reads the lines of a block. A line that is not valid UTF-8 is decoded as Windows-1252. */
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

/** Reads a line. Returns the reason if the line cannot be used, otherwise undefined. */
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
  if (first === 'geolocalisation') {
    const [, finess = '', x = '', y = '', system = ''] = cells;
    const position = projected(x, y, system);
    targets.keepPosition('finessText', finess, position, `${report.name}, line ${line}`);
    return undefined;
  }
  const values = new Map(columns.map(({ key }, index) => [key as string, cells[index] ?? '']));
  targets.keepStructure('finessText', finessRow(values), source, line);
  return undefined;
}

function isKind(first: string): first is keyof typeof FINESS_TEXT_CELLS {
  return Object.hasOwn(FINESS_TEXT_CELLS, first);
}
