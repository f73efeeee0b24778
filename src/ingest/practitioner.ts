// Owns the mapping of the lines of one person to a Practitioner and its index entries. Pure.
// Does not own roles (`practitioner-role.ts`) nor which lines belong to a person (`people.ts`).

import { tokenKeys } from '../shared/index-keys.ts';
import { wordsOf } from '../shared/words.ts';
import type { IndexedResource } from '../store/directory/snapshot.ts';
import { activityAddress, distinctAddresses } from './addresses.ts';
import {
  CODE_SYSTEMS,
  DIPLOMA_SYSTEMS,
  IDENTIFIER_SYSTEMS,
  ownIdentifierSystems,
  SKILL_SYSTEMS,
} from './code-systems.ts';
import { cell, type Row } from './columns.ts';
import { type Concept, conceptOf, distinctConcepts, union } from './concepts.ts';
import { secureMail } from './contacts.ts';
import { idFrom, luhnValid } from './identity.ts';
import { A } from './registers/activity.ts';
import { D, S } from './registers/qualification.ts';
import type { Warn } from './report.ts';

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
  const identifiers = identifiersOf(lines.nationalId, first, namespace, warn);
  const qualifications = qualificationsOf(lines);
  const addresses = distinctAddresses(lines.activities.map(activityAddress), 'identity');
  const contacts = secureMail(lines.mailboxes);
  const cities = new Set(addresses.map((address) => address.city));
  const postalCodes = new Set(addresses.map((address) => address.postalCode));
  cities.delete('');
  postalCodes.delete('');
  return {
    type: 'Practitioner',
    id,
    sortKey: `${wordsOf(family).join(' ')}\t${wordsOf(given).join(' ')}`,
    resource: {
      resourceType: 'Practitioner',
      id,
      identifier: identifiers.map((identifier) => ({ use: 'official', ...identifier })),
      active: true,
      ...nameOf(first, family, given),
      ...(contacts.length > 0 && { telecom: contacts.map((contact) => contact.element) }),
      ...(addresses.length > 0 && { address: addresses.map((address) => address.element) }),
      ...(qualifications.length > 0 && { qualification: qualifications.map(({ element }) => ({ code: element })) }),
    },
    index: {
      name: family === '' && given === '' ? [] : [`${family} ${given}`],
      family: family === '' ? [] : [family],
      given: given === '' ? [] : [given],
      address: addresses.map((address) => address.text),
      'address-city': [...cities],
      'address-postalcode': [...postalCodes],
      identifier: union(identifiers.map((identifier) => tokenKeys(identifier))),
      qualification: union(qualifications.map((concept) => concept.allKeys)),
      telecom: contacts.flatMap((contact) => contact.keys),
      active: ['true'],
    },
  };
}

function identifiersOf(
  nationalId: string,
  row: Row,
  namespace: string,
  warn: Warn,
): { system: string; value: string }[] {
  const national = { system: IDENTIFIER_SYSTEMS.nationalPerson, value: nationalId };
  const rpps = cell(row, A.id);
  if (cell(row, A.idType) !== RPPS || rpps === '') return [national];
  if (!luhnValid(rpps)) warn('bad-check-digit', `RPPS ${rpps}`);
  return [
    national,
    { system: ownIdentifierSystems(namespace).rpps, value: rpps },
    { system: IDENTIFIER_SYSTEMS.rpps, value: rpps },
  ];
}

/** The title of practice (DR, PR) goes before the civility (M, MME); a gender is never derived from either. */
function nameOf(row: Row, family: string, given: string): Record<string, unknown> {
  const prefix = cell(row, A.title) || cell(row, A.civility);
  if (family === '' && given === '' && prefix === '') return {};
  const name = {
    use: 'official',
    ...(family !== '' && { family }),
    ...(given !== '' && { given: [given] }),
    ...(prefix !== '' && { prefix: [prefix] }),
  };
  return { name: [name] };
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

function professionOf(row: Row): Concept | undefined {
  return conceptOf(
    { system: CODE_SYSTEMS.profession, code: cell(row, A.profession), label: cell(row, A.professionLabel) },
    { system: CODE_SYSTEMS.category, code: cell(row, A.category), label: cell(row, A.categoryLabel) },
  );
}

type SkillPlaces = { skillType: number; skillTypeLabel: number; skill: number; skillLabel: number };

/** A skill of a line of PA or SF: its code in the table of its type, then the type. */
export function skillOf(row: Row, at: SkillPlaces): Concept | undefined {
  const code = cell(row, at.skill);
  const label = cell(row, at.skillLabel);
  if (code === '' && label === '') return undefined;
  const type = cell(row, at.skillType);
  return conceptOf(
    { system: SKILL_SYSTEMS[type], code, label },
    { system: CODE_SYSTEMS.skillType, code: type, label: cell(row, at.skillTypeLabel) },
  );
}

function diplomaOf(row: Row): Concept | undefined {
  const type = cell(row, D.diplomaType);
  return conceptOf(
    { system: DIPLOMA_SYSTEMS[type], code: cell(row, D.diploma), label: cell(row, D.diplomaLabel) },
    { system: CODE_SYSTEMS.diplomaType, code: type, label: cell(row, D.diplomaTypeLabel) },
  );
}

function permitOf(row: Row): Concept | undefined {
  return conceptOf(
    { system: CODE_SYSTEMS.field, code: cell(row, D.field), label: cell(row, D.fieldLabel) },
    { system: CODE_SYSTEMS.permitType, code: cell(row, D.permitType), label: cell(row, D.permitTypeLabel) },
  );
}
