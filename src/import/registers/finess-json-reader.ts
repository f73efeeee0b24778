// Reads the FINESS JSON feed: the legal entities, and the establishments inside each of them.

import { FINESS_NUMBER } from '#import/collect/columns.ts';
import type { Warn } from '#import/collect/warnings.ts';
import { cleanText } from '#import/sources/clean-text.ts';
import { isObject, jsonValues, repeatedIssue } from '#import/sources/json-values.ts';
import { shorten } from '#shared/log/printable.ts';
import { keyWord } from './bind-header.ts';
import { inDegrees } from './coordinates.ts';
import { FINESS_JSON_ROOT, JSON_ESTABLISHMENT, JSON_LEGAL_ENTITY, type JsonColumn } from './finess-json-columns.ts';
import {
  createJsonKeys,
  type FinessJsonNotes,
  type JsonKeys,
  type KeyNotes,
  LONGEST_NAME,
  MOST_ODD,
} from './finess-json-keys.ts';
import { type FinessTargets, finessRow } from './finess-row.ts';
import type { Source } from './source.ts';

interface FinessJsonTargets extends FinessTargets {
  /** Called with the number of structures that were read since the last call. */
  onRead(structures: number): void;
}

const NO_NUMBER = 'FINESS number of the legal entity missing or malformed (its establishments are left out with it)';
/** Meaning of the codes of the state, from TRE_R386-MacroEtatObjetAdministratif. Case is ignored. */
const STATES: ReadonlyMap<string, 'open' | 'closed'> = new Map([
  ['A', 'open'],
  ['I', 'closed'],
]);
const SEAT = '02';
const PLACE_OF_PRACTICE = '03';
/** Maximum number of characters of an unknown state in a report. */
const LONGEST_STATE = 20;
const STREET = ['number', 'streetMore', 'streetType', 'street'];
const POSITION = ['latitude', 'longitude', 'y', 'x'];
const ROOT_WORDS = new Set([...FINESS_JSON_ROOT.map(({ label }) => keyWord(label)), 'metadata']);

/** Reads a file to its end. Throws an `ImportError` if the file is not one complete JSON object. */
export async function readFinessJson(
  stream: AsyncIterable<Buffer>,
  source: Source,
  targets: FinessJsonTargets,
): Promise<void> {
  const clean = (text: string, at: string) =>
    cleanText(text, (kind) => targets.collector.warn(kind, `${source.report.name}, ${at}`));
  const entities = createJsonKeys(JSON_LEGAL_ENTITY, 'pmej[].', SEAT, clean);
  const establishments = createJsonKeys(JSON_ESTABLISHMENT, 'pmej[].ege[].', PLACE_OF_PRACTICE, clean);
  const notes: FinessJsonNotes = {
    structureej: entities.notes,
    structureet: establishments.notes,
    rootNames: new Set(),
    oddStates: new Map(),
    closed: { count: 0, open: 0 },
  };
  source.finessJson = notes;
  const array = (name: string) => {
    const word = keyWord(name);
    if (!ROOT_WORDS.has(word) && notes.rootNames.size < MOST_ODD) notes.rootNames.add(shorten(name, LONGEST_NAME));
    return word === 'pmej';
  };
  const reading = { ...targets, entities, establishments, notes };
  for await (const values of jsonValues(stream, source.input.name, { array, unit: 'legal entity' })) {
    const before = source.report.lines;
    for (const { key, value, flaws } of values) {
      source.report.lines++;
      const issue = repeatedIssue(flaws) ?? readLegalEntity(value, Number(key), source, reading);
      if (issue !== undefined) targets.collector.leaveOut(source.report, Number(key), issue);
    }
    targets.onRead(source.report.lines - before);
  }
  warnOfJsonKeys(source, notes, targets.collector.warn);
}

type Targets = FinessJsonTargets & { entities: JsonKeys; establishments: JsonKeys; notes: FinessJsonNotes };

/** Reads a legal entity with its establishments. Returns the reason if the entity itself cannot be used, otherwise undefined. */
function readLegalEntity(value: unknown, number: number, source: Source, targets: Targets): string | undefined {
  const { entities, notes, collector } = targets;
  if (!isObject(value)) return 'not a JSON object';
  const at = `legal entity ${number}`;
  const { texts, structures } = entities.read(value, at);
  collector.columns.count(source.report.name, 'finess structureej', JSON_LEGAL_ENTITY, texts, number);
  const values = valuesOf(texts, JSON_LEGAL_ENTITY);
  const finess = values.get('finess') ?? '';
  if (!FINESS_NUMBER.test(finess)) return NO_NUMBER;
  let open = 0;
  for (const [index, ege] of structures.entries()) {
    source.report.lines++;
    const issue = readEstablishment(ege, finess, number, source, targets);
    if (issue === 'open') open++;
    else if (issue !== 'closed') collector.leaveOut(source.report, number, `establishment ${index + 1}: ${issue}`);
  }
  const state = stateOf(values, at, source, notes);
  // A closed entity is kept if one of its establishments is open, because the reference of the establishment must resolve.
  if (state === 'open' || open > 0) keep(values.set('line', 'structureej'), source, number, targets);
  else if (state === 'closed') collector.warn('closed-structure', `legal entity ${finess}`);
  return state === 'open' || state === 'closed' ? undefined : state;
}

/** Reads an establishment. Returns its state, `open` or `closed`, or else the reason why the establishment cannot be used. */
function readEstablishment(
  ege: unknown,
  legalFiness: string,
  number: number,
  source: Source,
  targets: Targets,
): string {
  const { establishments, notes, collector } = targets;
  if (!isObject(ege)) return 'not a JSON object';
  const at = `legal entity ${number}`;
  const { texts } = establishments.read(ege, at);
  collector.columns.count(source.report.name, 'finess structureet', JSON_ESTABLISHMENT, texts, number);
  const values = valuesOf(texts, JSON_ESTABLISHMENT);
  const finess = values.get('finess') ?? '';
  if (!FINESS_NUMBER.test(finess)) return 'FINESS number missing or malformed';
  const state = stateOf(values, at, source, notes);
  if (state === 'closed') collector.warn('closed-structure', `establishment ${finess}`);
  if (state !== 'open') return state;
  keep(values.set('legalFiness', legalFiness).set('line', 'structureet'), source, number, targets);
  return 'open';
}

function keep(values: ReadonlyMap<string, string>, source: Source, number: number, targets: Targets): void {
  targets.keepStructure('finessJson', finessRow(values), source, number);
  const [latitude = '', longitude = '', y = '', x = ''] = POSITION.map((key) => values.get(key));
  const position = inDegrees([
    [latitude, longitude],
    [y, x],
  ]);
  targets.keepPosition('finessJson', values.get('finess') ?? '', position, `legal entity ${number}`);
}

/** Returns the state of a structure, `open` or `closed`, or else a text about the fault of the state. */
function stateOf(
  values: ReadonlyMap<string, string>,
  at: string,
  { report: { edition = '' } }: Source,
  { oddStates, closed }: FinessJsonNotes,
): string {
  const code = values.get('state') ?? '';
  const state = STATES.get(code.toUpperCase());
  const closing = values.get('closed') ?? '';
  if (/^\d{4}-\d{2}-\d{2}/.test(closing) && closing.slice(0, 10) < edition.slice(0, 10)) {
    closed.count++;
    if (state === 'open') closed.open++;
  }
  if (state !== undefined) return state;
  const short = shorten(code, LONGEST_STATE);
  const odd = oddStates.get(short) ?? { count: 0, first: `${at}, FINESS ${values.get('finess')}` };
  odd.count++;
  // At most `MOST_ODD` different unknown states are kept, because a file with more of them probably has other values in the place of the
  // states. A structure with an unknown state is left out and counted in any case.
  if (oddStates.size < MOST_ODD) oddStates.set(short, odd);
  return code === '' ? 'no state (etatObjet)' : `the state "${short}" (etatObjet) is neither A nor I`;
}

/** Returns the texts by the keys of their columns. The parts of the address are converted to the form that they have in the text files. */
function valuesOf(texts: readonly string[], columns: readonly JsonColumn[]): Map<string, string> {
  const values = new Map(columns.map(({ key }, index) => [key, texts[index] ?? '']));
  if (STREET.every((key) => values.get(key) === '')) values.set('street', values.get('line4') ?? '');
  const town = values.get('routing')?.replace(/^\d{5}\s*/, '') ?? '';
  values.set('routing', town === '' ? '' : `${values.get('postalCode')} ${town}`.trim());
  return values;
}

// The rest of this file gives warnings about names: unknown names, names in another spelling, and expected names that no structure has.

/**
 * If a file has at least this number of structures, a warning is given for each mapped name that has a text in none of them. In a smaller
 * file, this may be chance.
 */
const MANY = 1000;
/** The major version of the schema for which the tables are made. */
const SCHEMA = 1;

/**
 * Warns of unknown property names in a JSON file, of a missing date and of a later schema version. Call it when the file was read to its
 * end, because only then are all names known.
 */
function warnOfJsonKeys(source: Source, { structureej, structureet, rootNames }: FinessJsonNotes, warn: Warn): void {
  const { name: file, edition } = source.report;
  const { schema = '' } = source.recognised;
  if (edition === undefined) warn('misfit-value', `${file}: generatedAt, which gives no date`);
  const major = Number(/^v?(\d+)\b/i.exec(schema)?.[1] ?? SCHEMA);
  if (major > SCHEMA) warn('later-schema', `${file}: schemaVersion ${schema}`);
  for (const name of rootNames) warn('unknown-key', `${file}: ${name}, at the root`);
  for (const keys of [structureej, structureet]) warnOf(keys, file, warn);
}

function warnOf({ objects, keys, unknown, respelled }: KeyNotes, file: string, warn: Warn): void {
  for (const { path, count, first } of unknown.values()) {
    warn('unknown-key', `${file}: ${path}, ${count} times, first in ${first}`);
  }
  for (const { path, count, first } of respelled.values()) {
    warn('respelled-key', `${file}: ${path}, ${count} times, first in ${first}`);
  }
  for (const { path, mapped, filled, misfits, misfit } of keys) {
    if (misfits > 0) warn('misfit-value', `${file}: ${path}, ${misfits} times, such as ${misfit}`);
    if (mapped && filled === 0 && objects >= MANY) warn('absent-key', `${file}: ${path}, in none of ${objects}`);
  }
}
