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
import { deduplicateResources } from '#import/fhir/deduplicate.ts';
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
import type { IndexedResource } from '#search-index/index.ts';
import {
  createPersonReader,
  type Group,
  type KnownSource,
  type Line,
  PERSON_RECORD,
  STRUCTURE_RECORD,
  type StructureSpill,
} from './buckets.ts';
import { type MailboxCandidates, NO_ADDRESS } from './mailbox-owners.ts';
import type { Doubtful } from './previous-resources.ts';

interface PeopleContext {
  mapping: MappingContext;
  sources: readonly KnownSource[];
  structures: StructureSpill;
  mail: Pick<MailboxCandidates, 'add'>;
  collector: Collector;
}

/** The rows of one kind, and the line from which each row came. */
interface PlacedRows {
  rows: readonly Row[];
  lines: readonly Line[];
}

type PlacedPerson = Readonly<Record<'activities' | 'diplomas' | 'skills' | 'mailboxes', PlacedRows>>;

/**
 * Many people have no lines of some kind, and share these empty lists. The lists are not frozen, because the engine does not optimise code
 * that gets both frozen and other lists.
 */
const NOTHING: PlacedRows = { rows: [], lines: [] };

/** Orders lines by their text, and lines with the same text by their number. */
function byText(a: Line, b: Line): number {
  if (a.text === b.text) return a.number - b.number;
  return a.text < b.text ? -1 : 1;
}

/** Returns the cells of a line of an unknown person. Unlike `rowsOf`, it adds the line to no statistics. */
function unjudgedRow({ text, source }: Line): Row {
  return rowOf(source.recognised.binding as Binding, text.split('|')) ?? [];
}

const COLUMNS = { 1: ACTIVITY_COLUMNS, 2: DIPLOMA_COLUMNS, 3: SKILL_COLUMNS, 4: MAILBOX_COLUMNS } as const;

export function createPeople({ mapping, sources, structures, mail, collector }: PeopleContext) {
  const reader = createPersonReader(sources, collector.warn);
  const isNewWording = createNumberSet();
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

  /** Returns the usable rows of one kind. They are sorted and not repeated, so that the order of the files does not matter. */
  function rowsOf(lines: Line[], kind: 1 | 2 | 3 | 4): PlacedRows {
    if (lines.length === 0) return NOTHING;
    if (lines.length > 1) lines.sort(byText);
    const placed = { rows: [] as Row[], lines: [] as Line[] };
    let before: string | undefined;
    for (const line of lines) {
      if (line.text === before) {
        collector.repeat(line.source.report, line.number);
        continue;
      }
      before = line.text;
      const row = usableRow(line, kind);
      if (!row) continue;
      placed.rows.push(row);
      placed.lines.push(line);
    }
    return placed;
  }

  /** Returns the cells of a line, and counts them. Undefined if the line is left out, because it has a fault. */
  function usableRow(line: Line, kind: 1 | 2 | 3 | 4): Row | undefined {
    const { text, source, number } = line;
    const binding = source.recognised.binding as Binding;
    const cells = text.split('|');
    const row = rowOf(binding, cells);
    if (!row) {
      collector.leaveOut(source.report, number, cellCountIssue(binding, cells));
      return undefined;
    }
    labels[kind]?.(row);
    if (kind === PERSON_RECORD.activities) compareActivity(row, line);
    collector.columns.count(source.report.name, source.recognised.kind, COLUMNS[kind], row, number);
    if (kind !== PERSON_RECORD.mailboxes || isMailAddress(cell(row, M.address))) return row;
    collector.leaveOut(source.report, number, NO_ADDRESS);
    return undefined;
  }

  /** Compares values that should be the same in all lines of a structure. */
  function compareStructure(row: Row, id: string, file: number, line: number): void {
    const [technicalId, siret] = [cell(row, A.technicalId), cell(row, A.siret)];
    const [street, phone] = [cell(row, A.street), cell(row, A.phone)];
    if (phone !== '') ownPhones.follows(file, line, id, phone);
    if (street !== '') ownStreets.follows(file, line, technicalId || id, street);
    if (technicalId !== '' && siret !== '') ownSirets.follows(file, line, technicalId, siret);
  }

  /** Counts a person who has lines in other registers, but none in the register of activities. */
  function countUnknown(nationalId: string, lines: Group): void {
    collector.warn('unknown-person', `${nationalId}, ${placeText(lines.flat()[0])}`);
    const [, diplomas = [], skills = [], mailboxes = []] = lines.map((some) => some.slice(0, 1).map(unjudgedRow));
    comparison.countUnknown({ nationalId, diplomas, skills, mailboxes });
  }

  /** Compares the lines about a person with each other. Returns the person without the lines that name somebody else. */
  function comparedPerson(nationalId: string, placed: PlacedPerson, lineOf: LineOf): PersonLines {
    const [activities, diplomas] = [placed.activities.rows, placed.diplomas.rows];
    const [skills, mailboxes] = [placed.skills.rows, placed.mailboxes.rows];
    const first = activities[0] as Row;
    for (let at = 0; at < mailboxes.length; at++)
      compareMailbox(nationalId, mailboxes[at] as Row, placed.mailboxes.lines[at] as Line, first);
    comparePerson(first, placed.activities.lines[0] as Line, diplomas, placed.diplomas.lines);
    return comparison.compare({ nationalId, activities, diplomas, skills, mailboxes }, lineOf);
  }

  /** Adds the structures of a person to the records of the third pass, and counts the person. */
  function passOnStructures(nationalId: string, { rows, lines }: PlacedRows): void {
    let first: string | undefined;
    for (let at = 0; at < rows.length; at++) {
      const id = passOn(rows[at] as Row, lines[at] as Line);
      first ??= id;
    }
    collector.consistency.count('withoutStructure', first === undefined ? nationalId : undefined);
    collector.populations.person(nationalId, rows, first, A);
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

  /** Returns a function that tells whether a FHIR file gives a resource. The function warns if it does. */
  function isGivenIn(given: ReadonlyMap<string, unknown>): (resource: DirectoryResource) => boolean {
    return ({ resourceType, id }) => {
      if (given.size === 0) return false;
      const key = `${resourceType}/${id}`;
      if (given.has(key)) collector.warn('resource-over-register', key);
      return given.has(key);
    };
  }

  return {
    /** Returns the resources of one bucket, sorted by national identifier. Two editions in the same order are compared faster. */
    *resources(content: Buffer): Generator<IndexedResource | Doubtful> {
      const { people, waiting } = reader.group(content);
      const given = deduplicateResources(waiting, collector.warn);
      const isGiven = isGivenIn(given);
      for (const nationalId of [...people.keys()].sort()) {
        const lines = reader.linesOf(content, people.get(nationalId) as number[]);
        const activities = rowsOf(lines[0], 1);
        if (activities.rows.length === 0) {
          countUnknown(nationalId, lines);
          continue;
        }
        const placed = {
          activities,
          diplomas: rowsOf(lines[1], 2),
          skills: rowsOf(lines[2], 3),
          mailboxes: rowsOf(lines[3], 4),
        };
        const lineOf: LineOf = (register, row) => placed[register].lines[placed[register].rows.indexOf(row)];
        const person = comparedPerson(nationalId, placed, lineOf);
        const named = peopleIn(activities.rows);
        collector.consistency.count('fused', named.length > 1 ? nationalId : undefined);
        if (named.length > 1) yield fused(person, named, lineOf, isGiven);
        else for (const resource of resourcesOf(person)) if (!isGiven(resource)) yield indexResource(resource);
        passOnStructures(nationalId, activities);
      }
      yield* given.values().map(indexResource);
    },
  };
}
