// Maps the facts from the registers about one structure to an Organization.

import type { Address, Identifier, Organization } from 'fhir/r3.js';
import type { Row } from '#import/collect/columns.ts';
import { departmentOf } from '#import/collect/departments.ts';
import { foldedWords, type Position, referenceKey } from '#search-index/index.ts';
import { IDENTIFIER_SYSTEMS } from '#shared/identifier-systems.ts';
import { distinctAddresses, locatedAddress, type MappedAddress, siteOf } from './addresses.ts';
import { ownIdentifierSystems } from './code-systems.ts';
import { distinctConcepts, type MappingContext } from './codeable-concepts.ts';
import { type Contact, secureMail } from './contact-points.ts';
import { luhnValid } from './resource-ids.ts';
import type { StructureFacts } from './structure-facts.ts';

/** Sources of facts, the most credible one first. Names, addresses and the legal entity are taken in this order. */
const PRECEDENCE: readonly StructureFacts['source'][] = [
  'activities',
  'establishment',
  'legal-entity',
  'mailbox',
  'reference',
];

/**
 * Maps a structure to an Organization. `facts` holds at least one fact and is sorted, so that the order of lines does not matter.
 * `mailboxes` are the lines of the mail register about this structure. `position` is its position in FINESS, if known.
 */
export function mapOrganization(
  id: string,
  facts: readonly StructureFacts[],
  mailboxes: readonly Row[],
  context: Pick<MappingContext, 'namespace' | 'warn'>,
  position?: Position,
): Organization & { id: string } {
  const ranked =
    facts.length < 2 ? facts : [...facts].sort((a, b) => PRECEDENCE.indexOf(a.source) - PRECEDENCE.indexOf(b.source));
  const { name, aliases } = namesOf(ranked);
  const types = distinctConcepts(ranked.flatMap((fact) => fact.types));
  const contacts = [...contactsOf(ranked), ...secureMail(mailboxes)];
  const addresses = withPosition(addressesOf(ranked), ranked, position);
  const partOf = ranked.find((fact) => fact.partOf !== '' && fact.partOf !== id)?.partOf;
  const resource: Organization & { id: string } = {
    resourceType: 'Organization',
    id,
    identifier: identifiersOf(id, ranked, context),
    active: true,
  };
  if (types.length > 0) resource.type = types;
  if (name !== '') resource.name = name;
  if (aliases.length > 0) resource.alias = aliases;
  if (contacts.length > 0) resource.telecom = contacts.map((contact) => contact.element);
  if (addresses.length > 0) resource.address = addresses;
  if (partOf !== undefined) resource.partOf = { reference: referenceKey('Organization', partOf) };
  return resource;
}

/**
 * Returns the name of a structure and its aliases. The first name in the order of the sources becomes the name. Every other name becomes an
 * alias, unless it differs from an earlier one only by case, accents or punctuation.
 */
function namesOf(facts: readonly StructureFacts[]): { name: string; aliases: string[] } {
  const byWords = new Map<string, string>();
  for (const text of facts.flatMap((fact) => [fact.name, ...fact.aliases])) {
    const words = foldedWords(text);
    if (words !== '' && !byWords.has(words)) byWords.set(words, text);
  }
  const [name = '', ...aliases] = byWords.values();
  return { name, aliases };
}

function identifiersOf(
  id: string,
  facts: readonly StructureFacts[],
  { namespace, warn }: Pick<MappingContext, 'namespace' | 'warn'>,
): Identifier[] {
  const { nationalStructure, finess, sirene } = IDENTIFIER_SYSTEMS;
  const identifiers: Identifier[] = [];
  const add = (system: string, value: string, checked?: string) => {
    if (value === '' || identifiers.some((known) => known.value === value && known.system === system)) return;
    if (checked !== undefined && !luhnValid(value)) {
      warn('bad-check-digit', `${checked} ${value} of Organization/${id}`);
    }
    identifiers.push({ use: 'official', system, value });
  };
  for (const fact of facts) add(nationalStructure, fact.nationalId);
  for (const fact of facts) add(finess, fact.finess, 'FINESS');
  for (const fact of facts) add(sirene, fact.siret, 'SIRET');
  for (const fact of facts) add(sirene, fact.siren, 'SIREN');
  add(ownIdentifierSystems(namespace).technicalId, id);
  return identifiers;
}

/**
 * Returns the addresses of the first source that states any. If several addresses differ only by the lines above the street, the first one
 * is kept.
 */
function addressesOf(facts: readonly StructureFacts[]): MappedAddress[] {
  const source = facts.find((fact) => fact.address !== undefined)?.source;
  const addresses = facts.filter((fact) => fact.source === source).map((fact) => fact.address);
  return distinctAddresses(addresses, siteOf);
}

/**
 * Returns the addresses as elements, one of them with the position from FINESS. The position belongs to the first address with the postal
 * code of FINESS or, if there is no such address, to the first one in the same department.
 */
function withPosition(
  addresses: readonly MappedAddress[],
  facts: readonly StructureFacts[],
  position: Position | undefined,
): Address[] {
  if (!position) return addresses.map(({ element }) => element);
  const ofFiness = facts.find(({ source }) => source === 'establishment' || source === 'legal-entity')?.address;
  const code = ofFiness?.parts.postalCode ?? '';
  const by = (make: (postalCode: string) => string) =>
    addresses.find(({ parts: { postalCode } }) => postalCode !== '' && make(postalCode) === make(code));
  const located = by((postalCode) => postalCode) ?? by(departmentOf);
  return addresses.map((address) =>
    address === located ? locatedAddress(address.element, position) : address.element,
  );
}

function contactsOf(facts: readonly StructureFacts[]): Contact[] {
  const contacts: Contact[] = [];
  for (const fact of facts) {
    for (const contact of fact.contacts) {
      if (!contacts.some((known) => known.identity === contact.identity)) contacts.push(contact);
    }
  }
  return contacts.length < 2 ? contacts : contacts.sort((a, b) => order(a) - order(b));
}

function order(contact: Contact): number {
  return ['phone', 'fax', 'email'].findIndex((kind) => contact.identity.startsWith(kind));
}
