// Maps the lines of one person to a Practitioner.

import type { CodeableConcept, HumanName, Identifier, Practitioner } from 'fhir/r3.js';
import { cell, type Row } from '#import/collect/columns.ts';
import type { Warn } from '#import/collect/warnings.ts';
import { A, D, S } from '#import/registers/person-columns.ts';
import { IDENTIFIER_SYSTEMS } from '#shared/identifier-systems.ts';
import { activityAddress, distinctAddresses, identityOf } from './addresses.ts';
import { CODE_SYSTEMS, DIPLOMA_SYSTEMS, ownIdentifierSystems, SKILL_SYSTEMS } from './code-systems.ts';
import { type Concept, conceptKind, distinctConcepts } from './codeable-concepts.ts';
import { secureMail } from './contact-points.ts';
import { idFrom, luhnValid } from './resource-ids.ts';

/** Lines of one person, each kind sorted and without repetition, so that the order of the files does not matter. */
interface PersonLines {
  nationalId: string;
  /** At least one. */
  activities: readonly Row[];
  diplomas: readonly Row[];
  skills: readonly Row[];
  mailboxes: readonly Row[];
}

const RPPS = '8';

/** FHIR id of a person: derived from the national identifier, for ever. */
export function practitionerId(nationalId: string): string {
  return idFrom(nationalId, 'p-');
}

/** Maps a person. `namespace` is {claim_ns}; `warn` hears of bad check digits. */
export function mapPractitioner(lines: PersonLines, namespace: string, warn: Warn): Practitioner & { id: string } {
  const first = lines.activities[0] ?? [];
  const id = practitionerId(lines.nationalId);
  const name = nameOf(first);
  const contacts = secureMail(lines.mailboxes);
  const addresses = distinctAddresses(lines.activities.map(activityAddress), identityOf);
  const qualifications = qualificationsOf(lines);
  // Assigned one by one: this is made millions of times, and spreading empty objects is slow.
  const resource: Practitioner & { id: string } = {
    resourceType: 'Practitioner',
    id,
    identifier: identifiersOf(lines.nationalId, first, namespace, warn),
    active: true,
  };
  if (name) resource.name = [name];
  if (contacts.length > 0) resource.telecom = contacts.map((contact) => contact.element);
  if (addresses.length > 0) resource.address = addresses.map((address) => address.element);
  if (qualifications.length > 0) resource.qualification = qualifications.map((code) => ({ code }));
  return resource;
}

function identifiersOf(nationalId: string, row: Row, namespace: string, warn: Warn): Identifier[] {
  const identifiers: Identifier[] = [{ use: 'official', system: IDENTIFIER_SYSTEMS.nationalPerson, value: nationalId }];
  const value = cell(row, A.id);
  if (cell(row, A.idType) !== RPPS || value === '') return identifiers;
  if (!luhnValid(value)) warn('bad-check-digit', `RPPS ${value}`);
  for (const system of [ownIdentifierSystems(namespace).rpps, IDENTIFIER_SYSTEMS.rpps]) {
    identifiers.push({ use: 'official', system, value });
  }
  return identifiers;
}

/** The title of practice (DR, PR) goes before the civility (M, MME); a gender is never derived from either. */
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

function qualificationsOf(lines: PersonLines): CodeableConcept[] {
  return [
    ...distinctConcepts(lines.activities.map(professionOf)),
    ...distinctConcepts([
      ...lines.activities.map((row) => skillOf(row, A)),
      ...lines.skills.map((row) => skillOf(row, S)),
    ]),
    ...distinctConcepts(lines.diplomas.map(diplomaOf)),
    ...distinctConcepts(lines.diplomas.map(permitOf)),
  ];
}

const professions = conceptKind(() => [CODE_SYSTEMS.profession, CODE_SYSTEMS.category]);
const skills = conceptKind((type) => [SKILL_SYSTEMS.get(type), CODE_SYSTEMS.skillType]);
const diplomas = conceptKind((type) => [DIPLOMA_SYSTEMS.get(type), CODE_SYSTEMS.diplomaType]);
const permits = conceptKind(() => [CODE_SYSTEMS.field, CODE_SYSTEMS.permitType]);

function professionOf(row: Row): Concept | undefined {
  return professions(
    cell(row, A.profession),
    cell(row, A.professionLabel),
    cell(row, A.category),
    cell(row, A.categoryLabel),
  );
}

type SkillColumns = { skillType: number; skillTypeLabel: number; skill: number; skillLabel: number };

/** A skill of a line of PA or SF: its code in the table of its type, then the type. */
export function skillOf(row: Row, at: SkillColumns): Concept | undefined {
  const code = cell(row, at.skill);
  const label = cell(row, at.skillLabel);
  if (code === '' && label === '') return undefined;
  return skills(code, label, cell(row, at.skillType), cell(row, at.skillTypeLabel));
}

function diplomaOf(row: Row): Concept | undefined {
  return diplomas(
    cell(row, D.diploma),
    cell(row, D.diplomaLabel),
    cell(row, D.diplomaType),
    cell(row, D.diplomaTypeLabel),
  );
}

function permitOf(row: Row): Concept | undefined {
  return permits(cell(row, D.field), cell(row, D.fieldLabel), cell(row, D.permitType), cell(row, D.permitTypeLabel));
}
