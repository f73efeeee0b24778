// Maps the lines of one person to a Practitioner.

import { type IndexedResource, tokenKeys, wordsOf } from '../../search-index/index.ts';
import type { Warn } from '../publish/report.ts';
import { A } from '../registers/activity.ts';
import { cell, type Row } from '../registers/columns.ts';
import { D, S } from '../registers/qualification.ts';
import { activityAddress, distinctAddresses, distinctTexts, identityOf } from './addresses.ts';
import {
  CODE_SYSTEMS,
  DIPLOMA_SYSTEMS,
  IDENTIFIER_SYSTEMS,
  ownIdentifierSystems,
  SKILL_SYSTEMS,
} from './code-systems.ts';
import { type Concept, conceptKind, distinctConcepts, unitedKeys } from './codeable-concepts.ts';
import { secureMail } from './contact-points.ts';
import { idFrom, luhnValid } from './resource-ids.ts';

/** Lines of one person, each kind sorted and without repetition, so that the order of the files does not matter. */
export interface PersonLines {
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
export function mapPractitioner(lines: PersonLines, namespace: string, warn: Warn): IndexedResource {
  const first = lines.activities[0] ?? [];
  const id = practitionerId(lines.nationalId);
  const family = cell(first, A.family);
  const given = cell(first, A.given);
  const { identifiers, identifierKeys } = identifiersOf(lines.nationalId, first, namespace, warn);
  const name = nameOf(first, family, given);
  const contacts = secureMail(lines.mailboxes);
  const addresses = distinctAddresses(lines.activities.map(activityAddress), identityOf);
  const qualifications = qualificationsOf(lines);
  // Assigned one by one: this is made millions of times, and spreading empty objects is slow.
  const resource: IndexedResource['resource'] = {
    resourceType: 'Practitioner',
    id,
    identifier: identifiers,
    active: true,
  };
  if (name) resource['name'] = [name];
  if (contacts.length > 0) resource['telecom'] = contacts.map((contact) => contact.element);
  if (addresses.length > 0) resource['address'] = addresses.map((address) => address.element);
  if (qualifications.length > 0) resource['qualification'] = qualifications.map(({ element }) => ({ code: element }));
  return {
    type: 'Practitioner',
    id,
    sortKey: `${wordsOf(family).join(' ')}\t${wordsOf(given).join(' ')}`,
    resource,
    index: {
      name: family === '' && given === '' ? [] : [`${family} ${given}`],
      family: family === '' ? [] : [family],
      given: given === '' ? [] : [given],
      address: addresses.map((address) => address.text),
      'address-city': distinctTexts(addresses, 'city'),
      'address-postalcode': distinctTexts(addresses, 'postalCode'),
      identifier: identifierKeys,
      qualification: unitedKeys(qualifications, 'allKeys'),
      telecom: contacts.flatMap((contact) => contact.keys),
      active: ACTIVE,
    },
  };
}

const ACTIVE = ['true'];

function identifiersOf(nationalId: string, row: Row, namespace: string, warn: Warn) {
  const { nationalPerson, rpps } = IDENTIFIER_SYSTEMS;
  const identifiers = [{ use: 'official', system: nationalPerson as string, value: nationalId }];
  const identifierKeys: string[] = tokenKeys({ system: nationalPerson, value: nationalId });
  const number = cell(row, A.id);
  if (cell(row, A.idType) === RPPS && number !== '') {
    if (!luhnValid(number)) warn('bad-check-digit', `RPPS ${number}`);
    const own = ownIdentifierSystems(namespace).rpps;
    identifiers.push({ use: 'official', system: own, value: number }, { use: 'official', system: rpps, value: number });
    const [, ...further] = tokenKeys({ system: rpps, value: number });
    identifierKeys.push(...tokenKeys({ system: own, value: number }), ...further);
  }
  return { identifiers, identifierKeys };
}

/** The title of practice (DR, PR) goes before the civility (M, MME); a gender is never derived from either. */
function nameOf(row: Row, family: string, given: string): Record<string, unknown> | undefined {
  const prefix = cell(row, A.title) || cell(row, A.civility);
  if (family === '' && given === '' && prefix === '') return undefined;
  const name: Record<string, unknown> = { use: 'official' };
  if (family !== '') name['family'] = family;
  if (given !== '') name['given'] = [given];
  if (prefix !== '') name['prefix'] = [prefix];
  return name;
}

function qualificationsOf(lines: PersonLines): Concept[] {
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
const skills = conceptKind((type) => [SKILL_SYSTEMS[type], CODE_SYSTEMS.skillType]);
const diplomas = conceptKind((type) => [DIPLOMA_SYSTEMS[type], CODE_SYSTEMS.diplomaType]);
const permits = conceptKind(() => [CODE_SYSTEMS.field, CODE_SYSTEMS.permitType]);

function professionOf(row: Row): Concept | undefined {
  return professions(
    cell(row, A.profession),
    cell(row, A.professionLabel),
    cell(row, A.category),
    cell(row, A.categoryLabel),
  );
}

type SkillPlaces = { skillType: number; skillTypeLabel: number; skill: number; skillLabel: number };

/** A skill of a line of PA or SF: its code in the table of its type, then the type. */
export function skillOf(row: Row, at: SkillPlaces): Concept | undefined {
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
