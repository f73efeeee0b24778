// Reads the FINESS JSON flow: legal entities and the establishments inside them.

import type { Collector } from '../publish/report.ts';
import { jsonValues } from '../sources/json-values.ts';
import { withoutControls } from '../sources/lines.ts';
import type { Source } from '../sources/sources.ts';
import type { Column } from './bind-header.ts';
import { JSON_ESTABLISHMENT, JSON_LEGAL_ENTITY } from './finess-json-columns.ts';
import { type FinessTargets, keepFinessStructure, REPEATED } from './finess-structure.ts';
import { FINESS_NUMBER } from './finess-text-columns.ts';

interface FinessJsonTargets extends FinessTargets {
  collector: Collector;
  /** Called with the number of structures read. */
  onRead(structures: number): void;
}

const NO_NUMBER = 'FINESS number of the legal entity missing or malformed (its establishments are left out with it)';
const CLOSED = 'I';
const SEAT = '02';
const PLACE_OF_PRACTICE = '03';
const STREET = ['number', 'streetMore', 'streetType', 'street'];

/** Reads a file to its end. Throws an `ImportError` when it is not one whole JSON object. */
export async function readFinessJson(
  stream: AsyncIterable<Buffer>,
  source: Source,
  targets: FinessJsonTargets,
): Promise<void> {
  for await (const values of jsonValues(stream, source.input.name, { array: 'pmej', unit: 'legal entity' })) {
    const before = source.report.lines;
    for (const { key, value } of values) {
      const issue = readLegalEntity(value, Number(key), source, targets);
      if (issue !== undefined) targets.collector.leaveOut(source.report, Number(key), issue);
    }
    targets.onRead(source.report.lines - before);
  }
}

/** Returns why the entity as a whole cannot be used, if so. */
function readLegalEntity(
  value: unknown,
  number: number,
  source: Source,
  targets: FinessJsonTargets,
): string | undefined {
  source.report.lines++;
  if (!isObject(value)) return 'not a JSON object';
  const values = valuesOf(value, JSON_LEGAL_ENTITY, SEAT);
  const finess = values.get('finess') ?? '';
  if (!FINESS_NUMBER.test(finess)) return NO_NUMBER;
  let open = 0;
  for (const [index, ege] of (Array.isArray(value['ege']) ? value['ege'] : []).entries()) {
    source.report.lines++;
    const state = readEstablishment(ege, finess, source, targets);
    if (state === 'open') open++;
    else if (state !== 'closed') {
      targets.collector.leaveOut(source.report, number, `establishment ${index + 1}: ${state}`);
    }
  }
  // One that is closed stays while an establishment belongs to it: a reference must lead somewhere.
  if (values.get('state') === CLOSED && open === 0) {
    targets.collector.warn('closed-structure', `legal entity ${finess}`);
    return undefined;
  }
  keep('structureej', values, source, targets);
  return undefined;
}

/** Returns `open` or `closed`, or why it cannot be used. */
function readEstablishment(ege: unknown, legalFiness: string, source: Source, targets: FinessJsonTargets): string {
  if (!isObject(ege)) return 'not a JSON object';
  const values = valuesOf(ege, JSON_ESTABLISHMENT, PLACE_OF_PRACTICE);
  const finess = values.get('finess') ?? '';
  if (!FINESS_NUMBER.test(finess)) return 'FINESS number missing or malformed';
  if (values.get('state') === CLOSED) {
    targets.collector.warn('closed-structure', `establishment ${finess}`);
    return 'closed';
  }
  keep('structureet', values.set('legalFiness', legalFiness), source, targets);
  return 'open';
}

/** Counted as in the text files, so that one form can follow upon the other. */
function keep(
  line: 'structureej' | 'structureet',
  values: Map<string, string>,
  { report }: Source,
  targets: FinessTargets,
): void {
  report.parts ??= {};
  report.parts[line] = (report.parts[line] ?? 0) + 1;
  keepFinessStructure('finessJson', values.set('line', line), targets);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Texts of the mapped names, by key; of an address in the form of the text files. */
function valuesOf(object: Record<string, unknown>, names: readonly Column[], use: string): Map<string, string> {
  const addresses = (Array.isArray(object['adresse']) ? object['adresse'] : []).filter(isObject);
  const chosen = addresses.find((address) => address['usageAdresse'] === use) ?? addresses[0];
  const seen = { ...object, adresse: chosen ? [chosen] : [] };
  const values = new Map<string, string>();
  for (const { key, label, to } of names) {
    if (to !== undefined) values.set(key, valuesAt(seen, label.split('.')).join(REPEATED));
  }
  if (STREET.every((key) => values.get(key) === '')) values.set('street', values.get('line4') ?? '');
  const town = values.get('routing')?.replace(/^\d{5}\s*/, '') ?? '';
  values.set('routing', town === '' ? '' : `${values.get('postalCode')} ${town}`.trim());
  return values;
}

/** Texts at a path; `[]` behind a name: of every element. */
function valuesAt(value: unknown, path: readonly string[]): string[] {
  const [name, ...rest] = path;
  if (name === undefined) {
    const text = typeof value === 'string' || typeof value === 'number' ? withoutControls(String(value)).trim() : '';
    return text === '' ? [] : [text];
  }
  if (!isObject(value)) return [];
  if (!name.endsWith('[]')) return valuesAt(value[name], rest);
  const elements = value[name.slice(0, -2)];
  return Array.isArray(elements) ? elements.flatMap((element) => valuesAt(element, rest)) : valuesAt(elements, rest);
}
