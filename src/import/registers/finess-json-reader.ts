// Reads the FINESS JSON flow: legal entities and their establishments become rows in the order of the tables of names.

import type { LegalEntities } from '../mapping/legal-entities.ts';
import type { MailboxOwners } from '../mapping/mailbox-owners.ts';
import { finessId } from '../mapping/structure-id.ts';
import { STRUCTURE_RECORD, type StructureSpill } from '../passes/structure-spill.ts';
import type { Collector } from '../publish/report.ts';
import { jsonValues } from '../sources/json-values.ts';
import { withoutControls } from '../sources/lines.ts';
import type { Source } from '../sources/sources.ts';
import type { Column, Row } from './columns.ts';
import { cell } from './columns.ts';
import { JE, JL, JSON_ESTABLISHMENT, JSON_LEGAL_ENTITY } from './finess-json.ts';
import { FINESS_NUMBER } from './finess-text.ts';

export interface FinessJsonTargets {
  structures: StructureSpill;
  legalEntities: Pick<LegalEntities, 'mention' | 'meet'>;
  mail: Pick<MailboxOwners, 'add'>;
  collector: Collector;
  /** Told how many structures were read. */
  onRead(structures: number): void;
}

/** Between the values of a name that repeats; a control character, and therefore in no value. */
export const REPEATED = '\u0002';
const NO_NUMBER = 'FINESS number of the legal entity missing or malformed (its establishments are left out with it)';
const CLOSED = 'I';
const SEAT = '02';
const PLACE_OF_PRACTICE = '03';

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
  const row = rowOf(value, JSON_LEGAL_ENTITY, SEAT);
  const finess = cell(row, JL.finess);
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
  if (cell(row, JL.state) === CLOSED && open === 0) {
    targets.collector.warn('closed-structure', `legal entity ${finess}`);
    return undefined;
  }
  count(source, 'structureej');
  targets.legalEntities.meet(finess);
  targets.structures.add(finessId(finess), STRUCTURE_RECORD.jsonLegalEntity, row);
  return undefined;
}

/** Returns `open` or `closed`, or why it cannot be used. */
function readEstablishment(
  ege: unknown,
  legalFiness: string,
  source: Source,
  { structures, legalEntities, mail, collector }: FinessJsonTargets,
): string {
  if (!isObject(ege)) return 'not a JSON object';
  const row = rowOf(ege, JSON_ESTABLISHMENT, PLACE_OF_PRACTICE);
  const finess = cell(row, JE.finess);
  if (!FINESS_NUMBER.test(finess)) return 'FINESS number missing or malformed';
  if (cell(row, JE.state) === CLOSED) {
    collector.warn('closed-structure', `establishment ${finess}`);
    return 'closed';
  }
  count(source, 'structureet');
  const id = finessId(finess);
  legalEntities.mention(legalFiness);
  mail.add(id, { siret: cell(row, JE.siret), name: cell(row, JE.name) || cell(row, JE.shortName) });
  structures.add(id, STRUCTURE_RECORD.jsonEstablishment, [...row, legalFiness]);
  return 'open';
}

/** Counted as in the text files, so that one form can follow upon the other. */
function count({ report }: Source, part: 'structureej' | 'structureet'): void {
  report.parts ??= {};
  report.parts[part] = (report.parts[part] ?? 0) + 1;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Cells in the order of the table: mapped names by their path, the others left empty. */
function rowOf(object: Record<string, unknown>, names: readonly Column[], use: string): Row {
  const addresses = (Array.isArray(object['adresse']) ? object['adresse'] : []).filter(isObject);
  const chosen = addresses.find((address) => address['usageAdresse'] === use) ?? addresses[0];
  const seen = { ...object, adresse: chosen ? [chosen] : [] };
  return names.map(({ label, to }) => (to === undefined ? '' : valuesAt(seen, label.split('.')).join(REPEATED)));
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
