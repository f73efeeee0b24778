// Owns the mapping of the activities of one person to PractitionerRoles and their index entries. Pure.
// One line per activity and skill: lines that differ by skill only are one role with several specialties.

import { referenceKey } from '../shared/index-keys.ts';
import type { IndexedResource } from '../store/directory/snapshot.ts';
import { CODE_SYSTEMS } from './code-systems.ts';
import { cell, type Row } from './columns.ts';
import { type Concept, conceptOf, distinctConcepts, union } from './concepts.ts';
import { shortHash } from './identity.ts';
import { skillOf } from './practitioner.ts';
import { A } from './registers/activity.ts';
import { structureId } from './structure-id.ts';

/** Roles of a person; lines that name neither a structure nor a way of working give none. */
export function mapRoles(practitioner: string, activities: readonly Row[]): IndexedResource[] {
  const roles = new Map<string, { organization: string | undefined; rows: Row[] }>();
  for (const row of activities) {
    const organization = structureId(row);
    const codes = [A.mode, A.genre, A.role, A.section].map((column) => cell(row, column));
    if (organization === undefined && codes.every((code) => code === '')) continue;
    const key = [organization ?? '', ...codes].join('|');
    const role = roles.get(key);
    if (role) role.rows.push(row);
    else roles.set(key, { organization, rows: [row] });
  }
  return [...roles].map(([key, { organization, rows }]) => mapRole(practitioner, organization, key, rows));
}

function mapRole(
  practitioner: string,
  organization: string | undefined,
  key: string,
  rows: readonly Row[],
): IndexedResource {
  const id = `${practitioner.slice(0, 52)}-${shortHash(key)}`;
  const codes = codesOf(rows[0] ?? []);
  const specialties = distinctConcepts(rows.map((row) => skillOf(row, A)));
  return {
    type: 'PractitionerRole',
    id,
    sortKey: `${practitioner}\t${organization ?? ''}`,
    resource: {
      resourceType: 'PractitionerRole',
      id,
      active: true,
      practitioner: { reference: referenceKey('Practitioner', practitioner) },
      ...(organization !== undefined && { organization: { reference: referenceKey('Organization', organization) } }),
      ...(codes.length > 0 && { code: codes.map((concept) => concept.element) }),
      ...(specialties.length > 0 && { specialty: specialties.map((concept) => concept.element) }),
    },
    index: {
      practitioner: [referenceKey('Practitioner', practitioner)],
      organization: organization === undefined ? [] : [referenceKey('Organization', organization)],
      role: union(codes.map((concept) => concept.codeKeys)),
      specialty: union(specialties.map((concept) => concept.codeKeys)),
      active: ['true'],
    },
  };
}

function codesOf(row: Row): Concept[] {
  const coded = [
    conceptOf({ system: CODE_SYSTEMS.mode, code: cell(row, A.mode), label: cell(row, A.modeLabel) }),
    conceptOf({ system: CODE_SYSTEMS.genre, code: cell(row, A.genre), label: cell(row, A.genreLabel) }),
    conceptOf({ system: CODE_SYSTEMS.role, code: cell(row, A.role), label: cell(row, A.roleLabel) }),
    conceptOf({ system: CODE_SYSTEMS.section, code: cell(row, A.section), label: cell(row, A.sectionLabel) }),
  ];
  return coded.filter((concept) => concept !== undefined);
}
