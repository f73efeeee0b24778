// Maps the activities of one person to PractitionerRoles. The register has one line for each combination of activity and skill. Lines that
// differ only in the skill become one role with several specialties.

import type { CodeableConcept, PractitionerRole } from 'fhir/r3.js';
import { cell, type Row } from '#import/collect/columns.ts';
import { A } from '#import/registers/person-columns.ts';
import { referenceKey } from '#search-index/index.ts';
import { type Concepts, conceptOf, distinctConcepts } from './codeable-concepts.ts';
import { skillOf } from './practitioner.ts';
import { shortHash, structureId } from './resource-ids.ts';

/**
 * Form of the id of a role: the beginning of the Practitioner's id (`practitionerLength` characters at most), a hyphen, and a hash of 14
 * characters. Together they have 64 characters at most, as FHIR requires.
 */
export const ROLE_ID = { practitionerLength: 49, form: /^(.{1,49})-[0-9a-z]{14}$/ } as const;

/**
 * Maps the roles of a person. A line gives no role if it names no structure and has no code for the kind of work (mode, genre, role,
 * section).
 */
export function mapRoles(
  practitioner: string,
  activities: readonly Row[],
  concepts: Concepts,
): (PractitionerRole & { id: string })[] {
  const roles = new Map<string, { organization: string | undefined; rows: Row[] }>();
  for (const row of activities) {
    const organization = structureId(row);
    const codes = `${cell(row, A.mode)}|${cell(row, A.genre)}|${cell(row, A.role)}|${cell(row, A.section)}`;
    if (organization === undefined && codes === '|||') continue;
    const key = `${organization ?? ''}|${codes}`;
    const role = roles.get(key);
    if (role) role.rows.push(row);
    else roles.set(key, { organization, rows: [row] });
  }
  return [...roles].map(([key, { organization, rows }]) => mapRole(practitioner, organization, key, rows, concepts));
}

function mapRole(
  practitioner: string,
  organization: string | undefined,
  key: string,
  rows: readonly Row[],
  concepts: Concepts,
): PractitionerRole & { id: string } {
  const id = `${practitioner.slice(0, ROLE_ID.practitionerLength)}-${shortHash(key)}`;
  const codes = codesOf(rows[0] ?? [], concepts);
  const specialties = distinctConcepts(rows.map((row) => skillOf(row, A, concepts)));
  const role: PractitionerRole & { id: string } = {
    resourceType: 'PractitionerRole',
    id,
    active: true,
    practitioner: { reference: referenceKey('Practitioner', practitioner) },
  };
  if (organization !== undefined) role.organization = { reference: referenceKey('Organization', organization) };
  if (codes.length > 0) role.code = codes;
  if (specialties.length > 0) role.specialty = specialties;
  return role;
}

function codesOf(row: Row, { mode, genre, role, section }: Concepts): CodeableConcept[] {
  const coded = [
    conceptOf(mode, row, A.mode, A.modeLabel),
    conceptOf(genre, row, A.genre, A.genreLabel),
    conceptOf(role, row, A.role, A.roleLabel),
    conceptOf(section, row, A.section, A.sectionLabel),
  ];
  return coded.filter((concept) => concept !== undefined).map(({ element }) => element);
}
