// Maps the lines of one person to a Practitioner.

import type { CodeableConcept, HumanName, Identifier, Practitioner } from 'fhir/r3.js';
import { cell, type Row } from '#import/collect/columns.ts';
import { A, D, S } from '#import/registers/person-columns.ts';
import { IDENTIFIER_SYSTEMS } from '#shared/identifier-systems.ts';
import { activityAddress, distinctAddresses, identityOf } from './addresses.ts';
import { ownIdentifierSystems } from './code-systems.ts';
import { type Concept, type Concepts, conceptOf, distinctConcepts, type MappingContext } from './codeable-concepts.ts';
import { secureMail } from './contact-points.ts';
import { idFrom, luhnValid } from './resource-ids.ts';

/**
 * The lines of one person, by register. The lines of each register are sorted and without repetitions, so that the order of the files does
 * not matter.
 */
export interface PersonLines {
  nationalId: string;
  /** The lines of activities. There is at least one. */
  activities: readonly Row[];
  diplomas: readonly Row[];
  skills: readonly Row[];
  mailboxes: readonly Row[];
}

const RPPS = '8';

/** Returns the FHIR id of a person. It is made from the national identifier only, so it never changes. */
export function practitionerId(nationalId: string): string {
  return idFrom(nationalId, 'p-');
}

/** Maps a person to a Practitioner. */
export function mapPractitioner(lines: PersonLines, context: MappingContext): Practitioner & { id: string } {
  const first = lines.activities[0] ?? [];
  const id = practitionerId(lines.nationalId);
  const name = nameOf(first);
  const contacts = secureMail(lines.mailboxes);
  const addresses = distinctAddresses(lines.activities.map(activityAddress), identityOf);
  const qualifications = qualificationsOf(lines, context.concepts);
  // Members are assigned one by one, because this runs millions of times and spreading empty objects is slow.
  const resource: Practitioner & { id: string } = {
    resourceType: 'Practitioner',
    id,
    identifier: identifiersOf(lines.nationalId, first, context),
    active: true,
  };
  if (name) resource.name = [name];
  if (contacts.length > 0) resource.telecom = contacts.map((contact) => contact.element);
  if (addresses.length > 0) resource.address = addresses.map((address) => address.element);
  if (qualifications.length > 0) resource.qualification = qualifications.map((code) => ({ code }));
  return resource;
}

function identifiersOf(nationalId: string, row: Row, { namespace, warn }: MappingContext): Identifier[] {
  const identifiers: Identifier[] = [{ use: 'official', system: IDENTIFIER_SYSTEMS.nationalPerson, value: nationalId }];
  const value = cell(row, A.id);
  if (cell(row, A.idType) !== RPPS || value === '') return identifiers;
  if (!luhnValid(value)) warn('bad-check-digit', `RPPS ${value}`);
  for (const system of [ownIdentifierSystems(namespace).rpps, IDENTIFIER_SYSTEMS.rpps]) {
    identifiers.push({ use: 'official', system, value });
  }
  return identifiers;
}

/**
 * Maps the name of a person. The prefix is the title of practice (DR, PR), or the civility (M, MME) if there is no title. No gender is
 * derived from either of them.
 */
function nameOf(row: Row): HumanName | undefined {
  const family = cell(row, A.family);
  const given = cell(row, A.given);
  const prefix = cell(row, A.title) || cell(row, A.civility);
  if (family === '' && given === '' && prefix === '') return undefined;
  const name: HumanName = { use: 'official' };
  if (family !== '') name.family = family;
  if (given !== '') name.given = [given];
  if (prefix !== '') name.prefix = [prefix];
  return name;
}

function qualificationsOf({ activities, skills, diplomas }: PersonLines, concepts: Concepts): CodeableConcept[] {
  const { profession, diploma, permit } = concepts;
  const { profession: code, professionLabel: label, category, categoryLabel } = A;
  return [
    ...distinctConcepts(activities.map((row) => conceptOf(profession, row, code, label, category, categoryLabel))),
    ...distinctConcepts([
      ...activities.map((row) => skillOf(row, A, concepts)),
      ...skills.map((row) => skillOf(row, S, concepts)),
    ]),
    ...distinctConcepts(
      diplomas.map((row) => conceptOf(diploma, row, D.diploma, D.diplomaLabel, D.diplomaType, D.diplomaTypeLabel)),
    ),
    ...distinctConcepts(
      diplomas.map((row) => conceptOf(permit, row, D.field, D.fieldLabel, D.permitType, D.permitTypeLabel)),
    ),
  ];
}

type SkillColumns = { skillType: number; skillTypeLabel: number; skill: number; skillLabel: number };

/**
 * Returns the skill in a line of activities (PA) or of skills (SF), as the code of the skill and the type of the skill. Undefined if the
 * line has no skill.
 */
export function skillOf(row: Row, at: SkillColumns, { skill }: Concepts): Concept | undefined {
  if (cell(row, at.skill) === '' && cell(row, at.skillLabel) === '') return undefined;
  return conceptOf(skill, row, at.skill, at.skillLabel, at.skillType, at.skillTypeLabel);
}
