// Chooses the buckets of records about people and structures. All records that may become a resource of the same type and id must be in the
// same bucket, whether they come from registers or from FHIR files. A record about a structure gets its bucket from the id of the
// Organization that it becomes. This file also writes the records about structures, and reads the records of all buckets back.

import type { Row } from '#import/collect/columns.ts';
import type { Warn } from '#import/collect/warnings.ts';
import type { Origin } from '#import/consistency/structures.ts';
import type { SpilledResource } from '#import/fhir/deduplicate.ts';
import { practitionerId } from '#import/mapping/practitioner.ts';
import { ROLE_ID } from '#import/mapping/practitioner-role.ts';
import { finessId } from '#import/mapping/resource-ids.ts';
import type { Binding } from '#import/registers/bind-header.ts';
import { A, M } from '#import/registers/person-columns.ts';
import type { Source } from '#import/registers/source.ts';
import { cleanText } from '#import/sources/clean-text.ts';
import { cellBounds } from '#import/sources/lines.ts';
import {
  bucketOf,
  bucketOfText,
  eachRecord,
  MOST_LINES,
  readRecord,
  type SpillFiles,
  type SpillRecord,
  tooManyLines,
} from './spill-file.ts';

/** Kinds of records that hold a line of a register of people. */
export const PERSON_RECORD = { activities: 1, diplomas: 2, skills: 3, mailboxes: 4 } as const;
/** The kind of record that holds a FHIR resource of a person. */
export const RESOURCE_RECORD = 5;

/** Returns the index of the cell with the person's national identifier, in a line of the register `kind` (`PERSON_RECORD`). */
export function idCellOf({ positions }: Binding, kind: number): number {
  return positions[kind === PERSON_RECORD.mailboxes ? M.nationalId : A.nationalId] ?? 2;
}

const SLASH = 47;
/**
 * Number of characters at the beginning of an id from which its bucket is computed. A Practitioner and its roles share these characters, so
 * they are in the same bucket.
 */
const SHARED = ROLE_ID.practitionerLength;

/**
 * Returns the bucket of a line of a register. It derives from the id of the Practitioner that the line becomes. `start` and `end` are the
 * bounds of the national identifier in `bytes`.
 */
export function bucketOfPerson(bytes: Buffer, start: number, end: number, buckets: number): number {
  let isId = end - start <= SHARED;
  for (let at = start; isId && at < end; at++) isId = bytes[at] !== SLASH;
  if (isId) return bucketOf(bytes, start, end, buckets);
  return bucketOfText(practitionerId(bytes.toString('latin1', start, end)).slice(0, SHARED), buckets);
}

/**
 * Returns the bucket of a FHIR Practitioner or PractitionerRole. If the id of a role has the form that this import gives to roles
 * (`ROLE_ID`), the role goes to the bucket of its person.
 */
export function bucketOfResource(type: 'Practitioner' | 'PractitionerRole', id: string, buckets: number): number {
  const owner = type === 'PractitionerRole' ? ROLE_ID.form.exec(id)?.[1] : undefined;
  return bucketOfText(owner ?? id.slice(0, SHARED), buckets);
}

/** The part of a source that each mapper needs. It can be sent to other threads. */
export type KnownSource = Pick<Source, 'file' | 'recognised' | 'report'>;

/** A line of a register about a person. */
export interface Line {
  text: string;
  source: KnownSource;
  number: number;
}

/** The lines of one person, by kind of record: index 0 has the lines of kind 1 (`PERSON_RECORD`). */
export type Group = [Line[], Line[], Line[], Line[]];

/** Makes the functions that read the buckets of people. */
export function createPersonReader(sources: readonly KnownSource[], warn: Warn) {
  const byFile = new Map(sources.map((source) => [source.file, source]));
  const record = { kind: 0, file: 0, line: 0, start: 0, end: 0 };

  /**
   * Groups the records of a bucket by person, and collects the FHIR resources. Of each record about a person, only the index at which it
   * starts is kept. Otherwise, the texts of all records would be in memory at the same time.
   */
  function group(content: Buffer): { people: Map<string, number[]>; waiting: SpilledResource[] } {
    const people = new Map<string, number[]>();
    const waiting: SpilledResource[] = [];
    eachRecord(content, (spilled) => {
      const { kind, file, line, start, end } = spilled;
      if (kind === RESOURCE_RECORD) {
        waiting.push({ file, line, text: content.toString('utf8', start, end) });
        return;
      }
      const id = nationalIdIn(content, spilled);
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
    return cleanText(text, (kind) => warn(kind, `${source.report.name}, line ${line}`));
  }

  return { group, linesOf };
}

/** Kinds of records about structures. */
export const STRUCTURE_RECORD = {
  activity: 1,
  finessText: 2,
  finessJson: 3,
  /**
   * A legal entity that the line of another structure names by its FINESS number. It becomes an Organization even if it has no line of its
   * own, because the reference to it must resolve.
   */
  reference: 4,
  mailbox: 5,
  /** An Organization from a FHIR file. The cells are the number of this file, the line in it, and the JSON text. */
  resource: 6,
  /**
   * An Organization to which a resource from the edition in force refers. That resource was taken over into the new edition. If no other
   * record describes the Organization, it is taken over as well.
   */
  kept: 7,
  /**
   * The geographic position of a structure, from FINESS. The cells are the format of the file (`finessText` or `finessJson`), the latitude
   * and the longitude.
   */
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
    /** Adds the legal entity to which a structure belongs. If this entity was added before, the call does nothing. */
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
 * Returns the records of a bucket, grouped by structure and sorted by id. The records of a structure are decoded only when the structure is
 * yielded. Otherwise, the texts of all records would be in memory at the same time.
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
        // The first cell is the id of the structure and no part of the row.
        const row = content.toString('utf8', start, end).split(CELL).slice(1);
        return { kind, file, line, row };
      }),
    ];
  }
}
