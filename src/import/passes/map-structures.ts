// Third pass: maps the records of one structure to an Organization. `mapper.ts` has grouped the records of a bucket by structure
// (`groupStructures` in `buckets.ts`).

import type { Collector } from '#import/collect/collector.ts';
import type { Row } from '#import/collect/columns.ts';
import type { Warn } from '#import/collect/warnings.ts';
import { fusedStructures } from '#import/consistency/fused-structures.ts';
import type { StructureComparison } from '#import/consistency/structures.ts';
import { deduplicateResources } from '#import/fhir/deduplicate.ts';
import { type DirectoryResource, indexResource } from '#import/fhir/index-entries.ts';
import type { MappingContext } from '#import/mapping/codeable-concepts.ts';
import { type Areas, isFar } from '#import/mapping/department-areas.ts';
import { mapOrganization } from '#import/mapping/organization.ts';
import {
  factsOfActivity,
  factsOfFiness,
  factsOfMailbox,
  factsOfReference,
  type StructureFacts,
} from '#import/mapping/structure-facts.ts';
import type { IndexedResource, Position } from '#search-index/index.ts';
import { STRUCTURE_RECORD, type StructureRecord } from './buckets.ts';
import type { Doubtful } from './previous-resources.ts';

interface StructuresContext {
  mapping: MappingContext;
  /**
   * The kinds of lines that the FINESS files of the edition contain, named by the first cell of a line. If the set is not empty, a
   * structure with a FINESS number that these files lack gives a warning.
   */
  finess: ReadonlySet<string>;
  areas: Areas;
  compare: StructureComparison;
  collector: Collector;
}

type FactsOf = (row: Row, context: MappingContext) => StructureFacts;

const FACTS: ReadonlyMap<number, FactsOf> = new Map<number, FactsOf>([
  [STRUCTURE_RECORD.activity, factsOfActivity],
  [STRUCTURE_RECORD.finessText, factsOfFiness],
  [STRUCTURE_RECORD.finessJson, factsOfFiness],
  [STRUCTURE_RECORD.reference, (row: Row) => factsOfReference(row[0] ?? '')],
]);

/**
 * Maps the records of one structure to an Organization. Records are sorted, so that the order of the files does not matter. At least one
 * record must not be a position.
 */
export function organizationOf(
  id: string,
  all: StructureRecord[],
  { mapping, finess, areas, compare, collector }: StructuresContext,
): IndexedResource | Doubtful {
  const records = all.filter(({ kind }) => kind !== STRUCTURE_RECORD.position);
  const given = records.filter((record) => record.kind === STRUCTURE_RECORD.resource);
  if (given.length > 0) return resourceOf(id, given, records, collector.warn);
  if (records.every(({ kind }) => kind === STRUCTURE_RECORD.kept)) return keptAsBefore(id);
  const once = records.length < 2 ? records : sortedOnce(records);
  const fused = fusedIn(once);
  const sorted = once.length < 2 ? once : withoutOldForm(fused ? withOneOfFiness(once) : once, id, collector.warn);
  const mailboxes = sorted.filter((record) => record.kind === STRUCTURE_RECORD.mailbox).map((record) => record.row);
  const stating = sorted.filter(({ kind }) => FACTS.has(kind));
  const facts = stating.map(({ kind, row }) => (FACTS.get(kind) as FactsOf)(row, mapping));
  warnOfUnknown(id, facts, finess.size > 0, collector.warn);
  compare(id, facts, stating, mailboxes.length > 0);
  if (facts.length === 0) facts.push(factsOfMailbox(mailboxes[0] ?? []));
  // If two structures share a number, the position may belong to either of them, so it is not used.
  const position = fused || all.length === records.length ? undefined : positionOf(id, all, areas, collector.warn);
  const mapped = indexResource(mapOrganization(id, facts, mailboxes, mapping, position));
  if (!fused) return mapped;
  return {
    doubtful: { type: 'Organization', id },
    fallback: [mapped],
    fallbackText: 'one of them is taken',
    warning: { kind: 'fused-structures', text: fused.join(' and ') },
  };
}

/**
 * Returns the position of a structure in FINESS. A position in the JSON feed has precedence over one in the text files. A position far from
 * the department of the structure gives a warning and is not used.
 */
function positionOf(id: string, records: readonly StructureRecord[], areas: Areas, warn: Warn): Position | undefined {
  const rows = records.filter(({ kind }) => kind === STRUCTURE_RECORD.position).map(({ row }) => row.join('|'));
  const [, latitude, longitude] = (rows.sort()[0] ?? '').split('|').map(Number) as [number, number, number];
  const position = { latitude, longitude };
  if (!isFar(areas, id.slice(1), position)) return position;
  warn('impossible-position', `Organization/${id}, ${latitude} ${longitude}`);
  return undefined;
}

/**
 * Takes an Organization over from the edition in force. No record describes it, and only resources that were also taken over refer to it.
 */
function keptAsBefore(id: string): Doubtful {
  return { doubtful: { type: 'Organization', id }, fallback: [], fallbackText: '' };
}

const FINESS_KINDS: readonly number[] = [STRUCTURE_RECORD.finessText, STRUCTURE_RECORD.finessJson];

function fusedIn(records: readonly StructureRecord[]): [string, string] | undefined {
  const ofFiness = records.filter(({ kind }) => FINESS_KINDS.includes(kind));
  if (ofFiness.length < 2) return undefined;
  const rowsOf = (form: number) => ofFiness.filter(({ kind }) => kind === form).map(({ row }) => row);
  return fusedStructures(rowsOf(STRUCTURE_RECORD.finessText), rowsOf(STRUCTURE_RECORD.finessJson));
}

/**
 * Leaves out all FINESS records but one, if the records describe several structures. Otherwise one Organization would have the facts of
 * several structures. The result is used if the edition in force has no such Organization.
 */
function withOneOfFiness(records: readonly StructureRecord[]): StructureRecord[] {
  const one = records.findLast(({ kind }) => FINESS_KINDS.includes(kind));
  return records.filter((record) => record === one || !FINESS_KINDS.includes(record.kind));
}

/** Returns an Organization from a FHIR file, unchanged. Lines of registers about the same structure are not used, and give a warning. */
function resourceOf(
  id: string,
  given: readonly StructureRecord[],
  records: readonly StructureRecord[],
  warn: Warn,
): IndexedResource {
  const waiting = given.map(({ row: [file, line, text = ''] }) => ({ file: Number(file), line: Number(line), text }));
  const [resource] = deduplicateResources(waiting, warn).values();
  const others = records.some(({ kind }) => kind !== STRUCTURE_RECORD.resource && kind !== STRUCTURE_RECORD.reference);
  if (others) warn('resource-over-register', `Organization/${id}`);
  return indexResource(resource as DirectoryResource);
}

/**
 * Leaves out the records from FINESS text files if the structure is also in the JSON feed, because the text files are no longer renewed.
 */
function withoutOldForm(records: StructureRecord[], id: string, warn: Warn): StructureRecord[] {
  if (!records.some(({ kind }) => kind === STRUCTURE_RECORD.finessJson)) return records;
  const kept = records.filter(({ kind }) => kind !== STRUCTURE_RECORD.finessText);
  if (kept.length < records.length) warn('both-finess-forms', `Organization/${id}`);
  return kept;
}

function sortedOnce(records: StructureRecord[]): StructureRecord[] {
  const byText = new Map(records.map((record) => [`${record.kind}|${record.row.join('|')}`, record]));
  return [...byText].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, record]) => record);
}

function warnOfUnknown(id: string, facts: readonly StructureFacts[], finessGiven: boolean, warn: Warn): void {
  const inFiness = facts.some((fact) => fact.source === 'establishment' || fact.source === 'legal-entity');
  const [fact] = facts;
  if (!fact) warn('mail-without-structure', id);
  else if (fact.source === 'reference' && facts.length === 1) warn('known-by-reference', id);
  else if (finessGiven && !inFiness && fact.finess)
    warn('unknown-structure', `Organization/${id}, FINESS ${fact.finess}`);
}
