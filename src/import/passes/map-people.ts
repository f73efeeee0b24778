// Second pass: groups the lines of one bucket by person and maps them to Practitioners and PractitionerRoles. Also adds the structures in
// these lines to the records of the third pass.

import type { Collector } from '#import/collect/collector.ts';
import { cell, type Row } from '#import/collect/columns.ts';
import { createNumberSet, printOf } from '#import/collect/frequent-values.ts';
import {
  createActivityComparison,
  createLabelComparison,
  createPersonComparison,
  isCompared,
} from '#import/consistency/activities.ts';
import { createMailboxComparison } from '#import/consistency/mailboxes.ts';
import {
  confirmedPerson,
  createPeopleComparison,
  type LineOf,
  nameOf,
  nameText,
  peopleIn,
  placeText,
} from '#import/consistency/people.ts';
import { deduplicateResources, type SpilledResource } from '#import/fhir/deduplicate.ts';
import { type DirectoryResource, indexResource } from '#import/fhir/index-entries.ts';
import type { MappingContext } from '#import/mapping/codeable-concepts.ts';
import { isMailAddress } from '#import/mapping/contact-points.ts';
import { mapPractitioner, type PersonLines, practitionerId } from '#import/mapping/practitioner.ts';
import { mapRoles } from '#import/mapping/practitioner-role.ts';
import { structureId } from '#import/mapping/resource-ids.ts';
import { type Binding, cellCountIssue, rowOf } from '#import/registers/bind-header.ts';
import {
  A,
  ACTIVITY_COLUMNS,
  DIPLOMA_COLUMNS,
  M,
  MAILBOX_COLUMNS,
  SKILL_COLUMNS,
} from '#import/registers/person-columns.ts';
import type { Source } from '#import/registers/source.ts';
import { cleanText } from '#import/sources/clean-text.ts';
import { cellBounds } from '#import/sources/lines.ts';
import type { IndexedResource } from '#search-index/index.ts';
import { idCellOf, PERSON_RECORD, RESOURCE_RECORD, STRUCTURE_RECORD, type StructureSpill } from './buckets.ts';
import { type MailboxCandidates, NO_ADDRESS } from './mailbox-owners.ts';
import type { Doubtful } from './previous-resources.ts';
import { eachRecord, MOST_LINES, readRecord, type SpillRecord, tooManyLines } from './spill-file.ts';

/** The part of a source that each mapper needs. It can be sent to other threads. */
export type KnownSource = Pick<Source, 'file' | 'recognised' | 'report'>;

interface PeopleContext {
  mapping: MappingContext;
  sources: readonly KnownSource[];
  structures: StructureSpill;
  mail: Pick<MailboxCandidates, 'add'>;
  collector: Collector;
}

interface Line {
  text: string;
  source: KnownSource;
  number: number;
}

/** The lines of one person, by kind of record: index 0 has the lines of kind 1 (`PERSON_RECORD`). */
type Group = [Line[], Line[], Line[], Line[]];

/** The rows of one kind, and the line from which each row came. */
interface PlacedRows {
  rows: readonly Row[];
  lines: readonly Line[];
}

/**
 * Many people have no lines of some kind, and share these empty lists. The lists are not frozen, because the engine does not optimise code
 * that gets both frozen and other lists.
 */
const NOTHING: PlacedRows = { rows: [], lines: [] };

/** Returns the cells of a line of an unknown person. Unlike `rowsOf`, it adds the line to no statistics. */
function unjudgedRow({ text, source }: Line): Row {
  return rowOf(source.recognised.binding as Binding, text.split('|')) ?? [];
}

const COLUMNS = { 1: ACTIVITY_COLUMNS, 2: DIPLOMA_COLUMNS, 3: SKILL_COLUMNS, 4: MAILBOX_COLUMNS } as const;

export function createPeople({ mapping, sources, structures, mail, collector }: PeopleContext) {
  const byFile = new Map(sources.map((source) => [source.file, source]));
  const isNewWording = createNumberSet();
  const record = { kind: 0, file: 0, line: 0, start: 0, end: 0 };
  const comparison = createPeopleComparison(new Set(sources.map(({ recognised }) => recognised.kind)), collector);
  const compareActivity = createActivityComparison(collector);
  const comparePerson = createPersonComparison(collector);
  const compareMailbox = createMailboxComparison(collector);
  const [ownPhones, ownStreets] = [collector.pairs.of('ownPhones'), collector.pairs.of('ownStreets')];
  const ownSirets = collector.pairs.of('ownSirets');

  const labels: Readonly<Partial<Record<number, (row: Row) => void>>> = {
    [PERSON_RECORD.activities]: createLabelComparison('labelsInActivities', collector.consistency),
    [PERSON_RECORD.diplomas]: createLabelComparison('labelsInDiplomas', collector.consistency),
    [PERSON_RECORD.skills]: createLabelComparison('labelsInSkills', collector.consistency),
  };

  /**
   * Groups the records of a bucket by person, and collects the FHIR resources. Of each record about a person, only the index at which it
   * starts is kept. Otherwise, the texts of all records would be in memory at the same time.
   */
  function group(content: Buffer): { people: Map<string, number[]>; waiting: SpilledResource[] } {
    const people = new Map<string, number[]>();
    const waiting: SpilledResource[] = [];
    eachRecord(content, (record) => {
      const { kind, file, line, start, end } = record;
      if (kind === RESOURCE_RECORD) {
        waiting.push({ file, line, text: content.toString('utf8', start, end) });
        return;
      }
      const id = nationalIdIn(content, record);
      const starts = people.get(id);
      if (starts) starts.push(start);
      else people.set(id, [start]);
    });
    return { people, waiting };
  }

  function nationalIdIn(content: Buffer, { kind, file, start, end }: SpillRecord): string {
    const { recognised } = byFile.get(file) as KnownSource;
    const [from, to] = cellBounds(content, start, end, idCellOf(recognised.binding as Binding, kind)) ?? [start, start];
    return content.toString('latin1', from, to);
  }

  /** Returns the lines of one person. */
  function linesOf(content: Buffer, starts: readonly number[]): Group {
    const lines: Group = [[], [], [], []];
    refuseTooMany(content, starts);
    for (const start of starts) {
      readRecord(content, start, record);
      const { kind, file, line, end } = record;
      const source = byFile.get(file) as KnownSource;
      const text = clean(content.toString('utf8', start, end), source, line);
      lines[(kind - 1) as 0 | 1 | 2 | 3].push({ text, source, number: line });
    }
    return lines;
  }

  /** Throws an error if a person has too many lines, before the lines are decoded and fill the memory. */
  function refuseTooMany(content: Buffer, starts: readonly number[]): void {
    const start = starts[MOST_LINES];
    if (start === undefined) return;
    readRecord(content, start, record);
    const { report } = byFile.get(record.file) as KnownSource;
    throw tooManyLines(nationalIdIn(content, record), { file: report.name, line: record.line });
  }

  function clean(text: string, source: KnownSource, line: number): string {
    return cleanText(text, (kind) => collector.warn(kind, `${source.report.name}, line ${line}`));
  }

  /** Returns the usable rows of one kind. They are sorted and not repeated, so that the order of the files does not matter. */
  function rowsOf(lines: Line[], kind: 1 | 2 | 3 | 4): PlacedRows {
    if (lines.length === 0) return NOTHING;
    if (lines.length > 1) lines.sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : a.number - b.number));
    const placed = { rows: [] as Row[], lines: [] as Line[] };
    let before: string | undefined;
    for (const line of lines) {
      const { text, source, number } = line;
      if (text === before) {
        collector.repeat(source.report, number);
        continue;
      }
      before = text;
      const binding = source.recognised.binding as Binding;
      const cells = text.split('|');
      const row = rowOf(binding, cells);
      if (!row) {
        collector.leaveOut(source.report, number, cellCountIssue(binding, cells));
        continue;
      }
      labels[kind]?.(row);
      if (kind === PERSON_RECORD.activities) compareActivity(row, line);
      collector.columns.count(source.report.name, source.recognised.kind, COLUMNS[kind], row, number);
      if (kind === PERSON_RECORD.mailboxes && !isMailAddress(cell(row, M.address))) {
        collector.leaveOut(source.report, number, NO_ADDRESS);
        continue;
      }
      placed.rows.push(row);
      placed.lines.push(line);
    }
    return placed;
  }

  /** Compares values that should be the same in all lines of a structure. */
  function compareStructure(row: Row, id: string, file: number, line: number): void {
    const [technicalId, siret] = [cell(row, A.technicalId), cell(row, A.siret)];
    const [street, phone] = [cell(row, A.street), cell(row, A.phone)];
    if (phone !== '') ownPhones.follows(file, line, id, phone);
    if (street !== '') ownStreets.follows(file, line, technicalId || id, street);
    if (technicalId !== '' && siret !== '') ownSirets.follows(file, line, technicalId, siret);
  }

  /**
   * Adds the structure of a line to the records of the third pass, unless an earlier line had the same text about it. Returns the id of the
   * structure, or undefined if the line names none.
   */
  function passOn(row: Row, { source: { file }, number }: Line): string | undefined {
    const id = structureId(row);
    if (id === undefined) return undefined;
    if (isCompared(number)) compareStructure(row, id, file, number);
    // The columns about the structure are those from `siret` to `sectorLabel`, except `authority`.
    if (!isNewWording(printOf(row, A.siret, A.sectorLabel, A.authority))) return id;
    const cells = row.slice(0, A.sectorLabel + 1).fill('', 0, A.siret);
    cells[A.authority] = '';
    structures.addReference(cell(row, A.legalFiness));
    mail.add(id, { siret: cell(row, A.siret), name: cell(row, A.name), nationalId: cell(row, A.formerId) });
    structures.add(id, STRUCTURE_RECORD.activity, cells, { file, line: number });
    return id;
  }

  function resourcesOf(person: PersonLines): DirectoryResource[] {
    const practitioner = mapPractitioner(person, mapping);
    if (!practitioner.name) collector.warn('no-name', person.nationalId);
    return [practitioner, ...mapRoles(practitioner.id, person.activities, mapping.concepts)];
  }

  /**
   * Keeps two people with the same id from becoming one person. If the edition in force has this id, its resources are kept (`resolveDoubt`
   * in `mapper.ts`). If not, only the person with the name that other registers confirm is written, or nobody if they confirm no name.
   */
  function fused(
    person: PersonLines,
    people: readonly (readonly Row[])[],
    lineOf: LineOf,
    isGiven: (resource: DirectoryResource) => boolean,
  ): Doubtful {
    const named = people.map(([row = []]) => `${nameText(nameOf(row, A))} (${placeText(lineOf('activities', row))})`);
    const confirmed = confirmedPerson(person, people);
    const resources = confirmed ? resourcesOf(confirmed).filter((one) => !isGiven(one)) : [];
    return {
      doubtful: { type: 'Practitioner', id: practitionerId(person.nationalId) },
      fallback: resources.map(indexResource),
      fallbackText: confirmed
        ? `taken for ${nameText(nameOf(confirmed.activities[0] ?? [], A))}, as other registers have it`
        : 'left out',
      warning: { kind: 'fused-people', text: named.join(' and ') },
      isGiven,
    };
  }

  return {
    /** Returns the resources of one bucket, sorted by national identifier. Two editions in the same order are compared faster. */
    *resources(content: Buffer): Generator<IndexedResource | Doubtful> {
      const { people, waiting } = group(content);
      const given = deduplicateResources(waiting, collector.warn);
      const isGiven = ({ resourceType, id }: DirectoryResource) => {
        if (given.size === 0) return false;
        const key = `${resourceType}/${id}`;
        if (given.has(key)) collector.warn('resource-over-register', key);
        return given.has(key);
      };
      for (const nationalId of [...people.keys()].sort()) {
        const lines = linesOf(content, people.get(nationalId) as number[]);
        const placedActivities = rowsOf(lines[0], 1);
        const activities = placedActivities.rows;
        const [firstRow] = activities;
        if (!firstRow) {
          collector.warn('unknown-person', `${nationalId}, ${placeText(lines.flat()[0])}`);
          const [, diplomas = [], skills = [], mailboxes = []] = lines.map((some) => some.slice(0, 1).map(unjudgedRow));
          comparison.countUnknown({ nationalId, diplomas, skills, mailboxes });
          continue;
        }
        const placed = {
          activities: placedActivities,
          diplomas: rowsOf(lines[1], 2),
          skills: rowsOf(lines[2], 3),
          mailboxes: rowsOf(lines[3], 4),
        };
        const lineOf: LineOf = (register, row) => placed[register].lines[placed[register].rows.indexOf(row)];
        const [diplomas, skills, mailboxes] = [placed.diplomas.rows, placed.skills.rows, placed.mailboxes.rows];
        for (let at = 0; at < mailboxes.length; at++)
          compareMailbox(nationalId, mailboxes[at] as Row, placed.mailboxes.lines[at] as Line, firstRow);
        comparePerson(firstRow, placedActivities.lines[0] as Line, diplomas, placed.diplomas.lines);
        const lined = { nationalId, activities, diplomas, skills, mailboxes };
        const person = comparison.compare(lined, lineOf);
        const named = peopleIn(activities);
        collector.consistency.count('fused', named.length > 1 ? nationalId : undefined);
        if (named.length > 1) yield fused(person, named, lineOf, isGiven);
        else for (const resource of resourcesOf(person)) if (!isGiven(resource)) yield indexResource(resource);
        let structure: string | undefined;
        for (let at = 0; at < activities.length; at++) {
          const id = passOn(activities[at] as Row, placedActivities.lines[at] as Line);
          structure ??= id;
        }
        collector.consistency.count('withoutStructure', structure === undefined ? nationalId : undefined);
        collector.populations.person(nationalId, activities, structure, A);
      }
      yield* given.values().map(indexResource);
    },
  };
}
