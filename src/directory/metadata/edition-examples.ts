// Finds example values in the current edition, so that every example search finds something. The descriptions that show these examples are
// public, while the directory itself requires a token. So people become examples only if the edition is fictional. From a real edition, the
// examples are a public hospital, and words and codes that many people share.

import type { Address, CodeableConcept, ContactPoint, HumanName, Identifier } from 'fhir/r3.js';
import { encodeQuery } from '#directory/middleware/raw-query.ts';
import { ORGANIZATION } from '#directory/resources/organization.ts';
import type { ParameterTable } from '#directory/resources/parameters.ts';
import { PRACTITIONER } from '#directory/resources/practitioner.ts';
import { PRACTITIONER_ROLE } from '#directory/resources/practitioner-role.ts';
import { createSearchParser } from '#directory/search/parse-search.ts';
import type { OwnAddresses } from '#directory/search/parse-value.ts';
import { contactKeys, SECURE_MAIL, type Snapshot, systemKey, tokenize } from '#search-index/index.ts';
import { positionsIn } from '#shared/stu3/geolocation.ts';
import { EXAMPLES, type Examples, ID_TO_FILL_IN } from './parameter-examples.ts';

export interface EditionOptions extends OwnAddresses {
  /** True if all people in the edition are fictional. */
  fictional: boolean;
  /** FHIR instant at which the edition was made; undefined if it is not known. */
  created?: string | undefined;
}

/** The elements that this file reads in resources, whatever their type. A resource has only those of its type. */
interface Held {
  id: string;
  identifier?: Identifier[];
  name?: string | HumanName[];
  address?: Address[];
  telecom?: ContactPoint[];
  qualification?: { code: CodeableConcept }[];
  type?: CodeableConcept[];
  code?: CodeableConcept[];
  specialty?: CodeableConcept[];
  partOf?: { reference: string };
  practitioner?: { reference: string };
  organization?: { reference: string };
}

type Query = Readonly<Record<string, string>>;
type Values = Readonly<Record<string, string>>;
type Find = (table: ParameterTable, query: Query, limit?: number) => Promise<Held[]>;

/**
 * Codes of public hospitals (centre hospitalier, centre hospitalier régional). Only hospitals become examples, because a practice may be a
 * single person.
 */
const HOSPITALS = '355,101';

/**
 * Searches that find many people or many roles. Each entry lists several searches: the first one that finds something becomes an example.
 */
const SHARED: readonly (readonly [table: ParameterTable, queries: readonly Query[]])[] = [
  [
    PRACTITIONER,
    [
      { name: 'mart', address: 'rue paris' },
      { name: 'ma', address: 'rue' },
    ],
  ],
  [PRACTITIONER, [{ family: 'martin' }, { family: 'mart' }, { family: 'ma' }]],
  [PRACTITIONER, [{ given: 'anne' }, { given: 'marie' }, { given: 'ma' }]],
  [PRACTITIONER, [{ qualification: 'Médecin' }, { qualification: 'Infirmier' }]],
  [PRACTITIONER, [{ 'address-city': 'paris' }, { 'address-city': 'lyon' }]],
  [PRACTITIONER, [{ 'address-postalcode': '75' }, { 'address-postalcode': '69' }]],
  [PRACTITIONER_ROLE, [{ role: 'L' }, { role: 'S' }]],
  [PRACTITIONER_ROLE, [{ specialty: 'SM54' }, { specialty: 'SM53' }, { specialty: 'SM26' }]],
];

const UNNAMED: Examples['values'] = {
  'Practitioner.identifier': 'https://rpps.esante.gouv.fr|<RPPS>',
  'Practitioner.telecom': '<mailbox>',
  'Practitioner.email': '<mailbox>',
  'Practitioner.mailbox-mss': '<mailbox>',
  'PractitionerRole.practitioner': `Practitioner/${ID_TO_FILL_IN}`,
};

/** Finds the examples by a few small searches. Call it once for each edition. */
export async function examplesIn(snapshot: Snapshot, options: EditionOptions): Promise<Examples> {
  const find = finder(snapshot, options);
  const structure = await structureIn(find);
  const [parent] = structure?.partOf ? await find(ORGANIZATION, { _id: idIn(structure.partOf) }) : [];
  const person = options.fictional ? await personIn(find) : undefined;
  const day = options.created?.slice(0, 10);
  return {
    values: {
      ...EXAMPLES.values,
      ...(day !== undefined && { _lastUpdated: `le${day}` }),
      'SearchParameter.url': `${options.base}/SearchParameter/Organization-part-of`,
      ...(parent && ofParent(parent)),
      ...(structure ? ofStructure(structure) : { 'Organization.part-of': `Organization/${ID_TO_FILL_IN}` }),
      ...(await sharedIn(find)),
      ...(person ? ofPerson(person) : UNNAMED),
    },
    ids: {
      ...EXAMPLES.ids,
      Organization: structure?.id ?? ID_TO_FILL_IN,
      Practitioner: person?.practitioner.id ?? ID_TO_FILL_IN,
      PractitionerRole: person?.role.id ?? ID_TO_FILL_IN,
    },
    resources: {
      ...(structure && { Organization: structure }),
      ...(person && { Practitioner: person.practitioner, PractitionerRole: person.role }),
    },
    // `since` is taken from the history of the snapshot, where the instant has milliseconds. `created` may lack them. Without them, the
    // instant lies before the edition, and an export of the changes since then may be refused.
    since: (await snapshot.history()).at(-1)?.created ?? options.created ?? EXAMPLES.since,
  };
}

function finder(snapshot: Snapshot, own: OwnAddresses): Find {
  return async (table, query, limit = 1) => {
    const { clauses } = createSearchParser(table, own)(encodeQuery(Object.entries(query)), { lenient: false });
    const { matches } = await snapshot.search({ type: table.type, clauses, limit, total: false });
    return matches.map(({ json }) => JSON.parse(json) as Held);
  };
}

/** Finds a public hospital that is part of another structure, preferably one that has people working in it. */
async function structureIn(find: Find): Promise<Held | undefined> {
  const hospitals = await find(ORGANIZATION, { type: HOSPITALS, 'part-of:missing': 'false' }, 20);
  if (hospitals.length === 0) return undefined;
  const [role] = await find(PRACTITIONER_ROLE, { organization: hospitals.map(({ id }) => id).join(',') });
  return hospitals.find(({ id }) => role?.organization?.reference === `Organization/${id}`) ?? hospitals[0];
}

interface Person {
  practitioner: Held;
  role: Held;
}

/**
 * Finds the person with the most roles among up to 40 people. A person is left out unless every contact ends in `.example`, a domain that
 * nobody can own (RFC 2606). So no mailbox in a real domain is shown.
 */
async function personIn(find: Find): Promise<Person | undefined> {
  const people = (await find(PRACTITIONER, { 'telecom:missing': 'false', 'address:missing': 'false' }, 40)).filter(
    ({ telecom = [] }) => telecom.every(({ value = '' }) => value.endsWith('.example')),
  );
  if (people.length === 0) return undefined;
  const roles = await find(PRACTITIONER_ROLE, { practitioner: people.map(({ id }) => id).join(',') }, 200);
  const rolesOf = ({ id }: Held) =>
    roles.filter(({ practitioner }) => practitioner?.reference === `Practitioner/${id}`);
  const [practitioner] = people.toSorted((one, other) => rolesOf(other).length - rolesOf(one).length);
  const role = practitioner && rolesOf(practitioner).find(({ organization }) => organization);
  return role ? { practitioner, role } : undefined;
}

async function sharedIn(find: Find): Promise<Values> {
  const values: Record<string, string> = {};
  for (const [table, queries] of SHARED) {
    for (const query of queries) {
      if ((await find(table, query)).length === 0) continue;
      for (const [name, value] of Object.entries(query)) values[`${table.type}.${name}`] = value;
      break;
    }
  }
  return values;
}

function ofPerson({ practitioner, role }: Person): Values {
  const [name] = Array.isArray(practitioner.name) ? practitioner.name : [];
  const [identifier] = practitioner.identifier ?? [];
  const label = practitioner.qualification?.[0]?.code.coding?.[0]?.display;
  return {
    ...known('Practitioner', {
      ...addressExamples(practitioner),
      name: first(name?.family, (family) => family.slice(0, 4)),
      'name:exact': literal(name?.family),
      family: first(name?.family),
      'family:exact': literal(name?.family),
      given: first(name?.given?.[0]),
      'given:exact': literal(name?.given?.[0]),
      identifier: identifier && `${identifier.system}|${identifier.value}`,
      ...ofContacts(practitioner),
      qualification: literal(label),
      'qualification:text': first(label, (word) => word.slice(0, 4)),
    }),
    ...known('PractitionerRole', {
      practitioner: role.practitioner?.reference,
      organization: role.organization?.reference,
      role: codeOf(role.code),
      specialty: codeOf(role.specialty),
    }),
  };
}

function ofStructure(structure: Held): Values {
  const { name, identifier = [], type = [], partOf } = structure;
  const codes = type.flatMap(({ coding = [] }) => coding.map(({ code }) => code));
  const positions = positionsIn(structure.address);
  const finess = identifier.find(({ system }) => system === 'https://finess.esante.gouv.fr');
  return {
    ...known('Organization', {
      ...addressExamples(structure),
      name: typeof name === 'string' ? nameWords(name) : undefined,
      'name:exact': typeof name === 'string' ? literal(name) : undefined,
      identifier: (finess ?? identifier[0])?.value,
      type: codes.find((code) => code !== undefined && HOSPITALS.split(',').includes(code)),
      near: positions.map(({ latitude, longitude }) => `${latitude}|${longitude}|10|km`)[0],
      'part-of': partOf?.reference,
      partof: partOf?.reference,
      ...NO_CONTACTS,
      ...ofContacts(structure),
    }),
    'PractitionerRole.organization': `Organization/${structure.id}`,
  };
}

/** Placeholders for contacts that the structure does not have. The reader fills them in. */
const NO_CONTACTS = { telecom: '<contact>', email: '<mailbox>', phone: '<telephone>', 'mailbox-mss': '<mailbox>' };

function ofContacts({ telecom = [] }: Held): Record<string, string> {
  const firstOf = (key: string) =>
    literal(telecom.find((contact) => contactKeys(contact).includes(systemKey(key)))?.value);
  const found = {
    telecom: literal(telecom[0]?.value),
    email: firstOf('email'),
    phone: firstOf('phone'),
    'mailbox-mss': firstOf(SECURE_MAIL),
  };
  return Object.fromEntries(Object.entries(found).flatMap(([name, value]) => (value ? [[name, value]] : [])));
}

function ofParent({ name }: Held): Values {
  const words = typeof name === 'string' ? nameWords(name) : undefined;
  return known('Organization', { 'part-of.name': words, 'partof.name': words });
}

function nameWords(name: string): string {
  return tokenize(name).slice(0, 2).join(' ');
}

function idIn({ reference }: { reference: string }): string {
  return reference.slice(reference.indexOf('/') + 1);
}

function addressExamples({ address = [] }: Held): Record<string, string | undefined> {
  const { line: [line] = [], city, postalCode } = address[0] ?? {};
  const street = tokenize(line ?? '').find((word) => /^\D{2,}$/.test(word));
  return {
    address: [street, first(city)].filter((word) => word !== undefined).join(' ') || undefined,
    'address:exact': literal(line ?? city),
    'address-city': city && tokenize(city).slice(0, 2).join(' '),
    'address-city:exact': literal(city),
    'address-postalcode': postalCode?.slice(0, 2),
    'address-postalcode:exact': postalCode,
  };
}

/** The first word of a text, folded as in the index. */
function first(text: string | undefined, shorten = (word: string) => word): string | undefined {
  const [word] = tokenize(text ?? '');
  return word && shorten(word);
}

/** Escapes the text, so that a search takes its special characters literally. */
function literal(text: string | undefined): string | undefined {
  return text?.replaceAll(/[\\,|$]/g, '\\$&');
}

function codeOf(list: readonly CodeableConcept[] | undefined): string | undefined {
  return list?.[0]?.coding?.[0]?.code;
}

/** Keeps the examples that have a value. The keys of the result have the form `Type.parameter`. */
function known(type: string, examples: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(examples).flatMap(([name, value]) => (value ? [[`${type}.${name}`, value] as const] : [])),
  );
}
