// Chooses the bucket of a record about a person. All records that may become a resource of the same type and id must be in one bucket,
// whether they come from registers or as FHIR.

import { practitionerId } from '#import/mapping/practitioner.ts';
import { ROLE_ID } from '#import/mapping/practitioner-role.ts';
import type { Binding } from '#import/registers/bind-header.ts';
import { A, M } from '#import/registers/person-columns.ts';
import { bucketOf, bucketOfText } from './spill-file.ts';

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
