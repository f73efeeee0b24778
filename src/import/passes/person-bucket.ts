// Chooses the bucket of a record about a person. All records that can become resources of one type and id must meet in one bucket, from
// registers and from FHIR alike.

import { practitionerId } from '#import/mapping/practitioner.ts';
import { ROLE_ID } from '#import/mapping/practitioner-role.ts';
import type { Binding } from '#import/registers/bind-header.ts';
import { A, M } from '#import/registers/person-columns.ts';
import { bucketOf, bucketOfText } from './spill-file.ts';

/** Kinds of records about persons: lines of the registers. */
export const PERSON_RECORD = { activities: 1, diplomas: 2, skills: 3, mailboxes: 4 } as const;
/** Kind of record of a FHIR resource. */
export const RESOURCE_RECORD = 5;

/** The cell of a line of that kind with the national identifier of its person. */
export function idCellOf({ positions }: Binding, kind: number): number {
  return positions[kind === PERSON_RECORD.mailboxes ? M.nationalId : A.nationalId] ?? 2;
}

const SLASH = 47;
/** Length of the beginning of a Practitioner's id that the ids of its roles share. */
const SHARED = ROLE_ID.practitionerLength;

/** Bucket of a line of a register, by the id that its person will have. */
export function bucketOfPerson(bytes: Buffer, start: number, end: number, buckets: number): number {
  let isId = end - start <= SHARED;
  for (let at = start; isId && at < end; at++) isId = bytes[at] !== SLASH;
  if (isId) return bucketOf(bytes, start, end, buckets);
  return bucketOfText(practitionerId(bytes.toString('latin1', start, end)).slice(0, SHARED), buckets);
}

/** Bucket of a FHIR Practitioner or PractitionerRole. A role with an id of our own making goes with its person. */
export function bucketOfResource(type: 'Practitioner' | 'PractitionerRole', id: string, buckets: number): number {
  const owner = type === 'PractitionerRole' ? ROLE_ID.form.exec(id)?.[1] : undefined;
  return bucketOfText(owner ?? id.slice(0, SHARED), buckets);
}
