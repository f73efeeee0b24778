// Chooses the buckets of records about people and structures. All records that may become a resource of the same type and id must be in one
// bucket, whether they come from registers or as FHIR. Records about structures go by the id of the Organization that they become. They are
// also written here, and read back.

import type { Row } from '#import/collect/columns.ts';
import type { Origin } from '#import/consistency/structures.ts';
import { practitionerId } from '#import/mapping/practitioner.ts';
import { ROLE_ID } from '#import/mapping/practitioner-role.ts';
import { finessId } from '#import/mapping/resource-ids.ts';
import type { Binding } from '#import/registers/bind-header.ts';
import { A, M } from '#import/registers/person-columns.ts';
import {
  bucketOf,
  bucketOfText,
  eachRecord,
  MOST_LINES,
  readRecord,
  type SpillFiles,
  tooManyLines,
} from './spill-file.ts';

/** Kinds of records about persons, for lines of registers. */
export const PERSON_RECORD = { activities: 1, diplomas: 2, skills: 3, mailboxes: 4 } as const;
/** The kind of record of a FHIR resource. */
export const RESOURCE_RECORD = 5;

/** Returns the index of the cell that has the national identifier of the person, in a line of that kind. */
export function idCellOf({ positions }: Binding, kind: number): number {
  return positions[kind === PERSON_RECORD.mailboxes ? M.nationalId : A.nationalId] ?? 2;
}

const SLASH = 47;
/** Number of characters that the id of a Practitioner and the ids of its roles have in common at the beginning. */
const SHARED = ROLE_ID.practitionerLength;

/** Returns the bucket of a line of a register, by the id that its person will have. */
export function bucketOfPerson(bytes: Buffer, start: number, end: number, buckets: number): number {
  let isId = end - start <= SHARED;
  for (let at = start; isId && at < end; at++) isId = bytes[at] !== SLASH;
  if (isId) return bucketOf(bytes, start, end, buckets);
  return bucketOfText(practitionerId(bytes.toString('latin1', start, end)).slice(0, SHARED), buckets);
}

/** Returns the bucket of a FHIR Practitioner or PractitionerRole. A role with an id of our own form goes to the bucket of its person. */
export function bucketOfResource(type: 'Practitioner' | 'PractitionerRole', id: string, buckets: number): number {
  const owner = type === 'PractitionerRole' ? ROLE_ID.form.exec(id)?.[1] : undefined;
  return bucketOfText(owner ?? id.slice(0, SHARED), buckets);
}

/** Kinds of records about structures. */
export const STRUCTURE_RECORD = {
  activity: 1,
  finessText: 2,
  finessJson: 3,
  /**
   * A legal entity in the line of another structure, by its FINESS number. References to it must resolve, even if the entity has no line of
   * its own.
   */
  reference: 4,
  mailbox: 5,
  /** An Organization that came as FHIR: the number of its file, its line, and its JSON text. */
  resource: 6,
  /**
   * An Organization that must be kept, because a resource that stays as it was refers to it. If nothing else describes the Organization, it
   * also stays as it was.
   */
  kept: 7,
  /** The position of a structure in FINESS: form of the file, latitude, longitude. */
  position: 8,
} as const;

export interface StructureRecord extends Origin {
  kind: number;
  row: Row;
}

const NOWHERE: Origin = { file: 0, line: 0 };

export type StructureSpill = ReturnType<typeof createStructureSpill>;

const CELL = '\u0001';
const CELL_BYTE = 1;

export function createStructureSpill(spill: SpillFiles) {
  const referred = new Set<string>();
  const add = (id: string, kind: number, row: Row, { file, line } = NOWHERE) => {
    spill.addText(bucketOfText(id, spill.buckets), kind, file, line, id + CELL + row.join(CELL));
  };
  return {
    add,
    /** Adds the legal entity that a line names for its structure. A second call with the same entity does nothing. */
    addReference(finess: string): void {
      if (finess === '' || referred.has(finess)) return;
      referred.add(finess);
      add(finessId(finess), STRUCTURE_RECORD.reference, [finess]);
    },
    addKept: (id: string) => add(id, STRUCTURE_RECORD.kept, []),
    seal: spill.seal,
    close: spill.close,
  };
}

/**
 * Returns the records of a bucket, structure by structure in the order of ids. Records become text when it is the turn of their structure:
 * otherwise these texts would live as long as the bucket.
 */
export function* groupStructures(content: Buffer): Generator<[id: string, records: StructureRecord[]]> {
  const byId = new Map<string, number[]>();
  eachRecord(content, ({ start }) => {
    const id = content.toString('utf8', start, content.indexOf(CELL_BYTE, start));
    const starts = byId.get(id);
    if (starts) starts.push(start);
    else byId.set(id, [start]);
  });
  const record = { kind: 0, file: 0, line: 0, start: 0, end: 0 };
  for (const id of [...byId.keys()].sort()) {
    const starts = byId.get(id) as number[];
    if (starts.length > MOST_LINES) throw tooManyLines(`Organization/${id}`, {});
    yield [
      id,
      starts.map((start) => {
        readRecord(content, start, record);
        const { kind, file, line, end } = record;
        // The first cell is the id.
        const row = content.toString('utf8', start, end).split(CELL).slice(1);
        return { kind, file, line, row };
      }),
    ];
  }
}
