// Owns how everything that the registers say about one structure becomes one Organization and its index entries. Pure.
// Does not own what a single line says (`structure.ts`).

import { referenceKey, tokenKeys } from '../shared/index-keys.ts';
import { wordsOf } from '../shared/words.ts';
import type { IndexedResource } from '../store/directory/snapshot.ts';
import { distinctAddresses, type MappedAddress } from './addresses.ts';
import { IDENTIFIER_SYSTEMS, ownIdentifierSystems } from './code-systems.ts';
import type { Row } from './columns.ts';
import { distinctConcepts, union } from './concepts.ts';
import { type Contact, secureMail } from './contacts.ts';
import { luhnValid } from './identity.ts';
import type { Warn } from './report.ts';
import type { StructureFacts } from './structure.ts';

/** Which register is believed first; for names, addresses and the legal entity. */
const PRECEDENCE: readonly StructureFacts['source'][] = [
  'activities',
  'establishment',
  'legal-entity',
  'mailbox',
  'reference',
];

/** Sorts after every name: structures without a name come last. */
const NAMELESS = '\u{10ffff}';

/**
 * Maps a structure. `facts`: at least one, sorted, so that the order of lines does not matter; `mailboxes`: its lines
 * of the mail register; `warn` hears of bad check digits.
 */
export function mapOrganization(
  id: string,
  facts: readonly StructureFacts[],
  mailboxes: readonly Row[],
  namespace: string,
  warn: Warn,
): IndexedResource {
  const ranked =
    facts.length < 2 ? facts : [...facts].sort((a, b) => PRECEDENCE.indexOf(a.source) - PRECEDENCE.indexOf(b.source));
  const { name, aliases } = namesOf(ranked);
  const identifiers = identifiersOf(id, ranked, namespace, warn);
  const types = distinctConcepts(ranked.flatMap((fact) => fact.types));
  const addresses = addressesOf(ranked);
  const contacts = [...contactsOf(ranked), ...secureMail(mailboxes)];
  const partOf = ranked.find((fact) => fact.partOf !== '' && fact.partOf !== id)?.partOf;
  return {
    type: 'Organization',
    id,
    sortKey: name === '' ? NAMELESS : wordsOf(name).join(' '),
    resource: {
      resourceType: 'Organization',
      id,
      identifier: identifiers.map((identifier) => ({ use: 'official', ...identifier })),
      active: true,
      ...(types.length > 0 && { type: types.map((concept) => concept.element) }),
      ...(name !== '' && { name }),
      ...(aliases.length > 0 && { alias: aliases }),
      ...(contacts.length > 0 && { telecom: contacts.map((contact) => contact.element) }),
      ...(addresses.length > 0 && { address: addresses.map((address) => address.element) }),
      ...(partOf !== undefined && { partOf: { reference: referenceKey('Organization', partOf) } }),
    },
    index: {
      name: name === '' ? [] : [name, ...aliases],
      address: addresses.map((address) => address.text),
      'address-city': [...new Set(addresses.map((address) => address.city))].filter((city) => city !== ''),
      'address-postalcode': [...new Set(addresses.map((address) => address.postalCode))].filter((code) => code !== ''),
      identifier: union(identifiers.map((identifier) => tokenKeys(identifier))),
      'part-of': partOf === undefined ? [] : [referenceKey('Organization', partOf)],
      type: union(types.map((concept) => concept.codeKeys)),
      telecom: union(contacts.map((contact) => contact.keys)),
      active: ['true'],
    },
  };
}

/** The first register's name; every other name, unless it differs by case and signs only, is an alias. */
function namesOf(facts: readonly StructureFacts[]): { name: string; aliases: string[] } {
  const byWords = new Map<string, string>();
  for (const text of facts.flatMap((fact) => [fact.name, ...fact.aliases])) {
    const words = text === '' ? '' : wordsOf(text).join(' ');
    if (words !== '' && !byWords.has(words)) byWords.set(words, text);
  }
  const [name = '', ...aliases] = byWords.values();
  return { name, aliases };
}

function identifiersOf(
  id: string,
  facts: readonly StructureFacts[],
  namespace: string,
  warn: Warn,
): { system: string; value: string }[] {
  const distinct = (key: 'nationalId' | 'finess' | 'siret' | 'siren') =>
    [...new Set(facts.map((fact) => fact[key]))].filter((value) => value !== '');
  const checked = (label: string, values: string[]) => {
    for (const value of values)
      if (!luhnValid(value)) warn('bad-check-digit', `${label} ${value} of Organization/${id}`);
    return values;
  };
  const { nationalStructure, finess, sirene } = IDENTIFIER_SYSTEMS;
  return [
    ...distinct('nationalId').map((value) => ({ system: nationalStructure, value })),
    ...checked('FINESS', distinct('finess')).map((value) => ({ system: finess, value })),
    ...checked('SIRET', distinct('siret')).map((value) => ({ system: sirene, value })),
    ...checked('SIREN', distinct('siren')).map((value) => ({ system: sirene, value })),
    { system: ownIdentifierSystems(namespace).technicalId, value: id },
  ];
}

/** Addresses of the first register that has any; of those at one site, differing by the lines above the street, one. */
function addressesOf(facts: readonly StructureFacts[]): MappedAddress[] {
  const source = facts.find((fact) => fact.address !== undefined)?.source;
  const addresses = facts.filter((fact) => fact.source === source).map((fact) => fact.address);
  return distinctAddresses(addresses, 'site');
}

function contactsOf(facts: readonly StructureFacts[]): Contact[] {
  const byIdentity = new Map<string, Contact>();
  for (const contact of facts.flatMap((fact) => fact.contacts)) {
    if (!byIdentity.has(contact.identity)) byIdentity.set(contact.identity, contact);
  }
  const contacts = [...byIdentity.values()];
  const order = (contact: Contact) => ['phone', 'fax', 'email'].findIndex((kind) => contact.identity.startsWith(kind));
  return contacts.sort((a, b) => order(a) - order(b));
}
