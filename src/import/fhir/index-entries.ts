// Extracts the index entries of a resource from its elements: names, addresses, codes, contacts and references.

import type {
  Address,
  CodeableConcept,
  ContactPoint,
  HumanName,
  Identifier,
  Organization,
  Practitioner,
  PractitionerRole,
  Reference,
} from 'fhir/r3.js';
import {
  contactKeys,
  foldedWords,
  type IndexedResource,
  ITEM_BREAK,
  labelKey,
  positionItem,
  referenceKey,
  tokenKeys,
} from '#search-index/index.ts';
import { positionsIn } from '#shared/stu3/geolocation.ts';

/** A resource of a type that the directory serves. */
export type DirectoryResource = (Practitioner | Organization | PractitionerRole) & { id: string };

type Entries = Pick<IndexedResource, 'sortKey' | 'index'>;

/** Sorts after every name, so that structures without a name come last. */
const NAMELESS = '\u{10ffff}';

/** Adds the index entries to a resource, which must be valid (`validate.ts`). */
export function indexResource(resource: DirectoryResource): IndexedResource {
  const { resourceType: type, id } = resource;
  return { type, id, ...entriesOf(resource), resource: resource as unknown as IndexedResource['resource'] };
}

function entriesOf(resource: DirectoryResource): Entries {
  if (resource.resourceType === 'Practitioner') return practitionerEntries(resource);
  return resource.resourceType === 'Organization' ? organizationEntries(resource) : roleEntries(resource);
}

function practitionerEntries(resource: Practitioner): Entries {
  const names = resource.name ?? [];
  const first = names.find(({ use }) => use === 'official') ?? names.find(({ use }) => use === 'usual') ?? names[0];
  const { family = '', given = [] } = first ?? {};
  const qualifications = (resource.qualification ?? []).map(({ code }) => code);
  return {
    sortKey: `${foldedWords(family || (given.length > 0 ? '' : (first?.text ?? '')))}\t${foldedWords(given.join(' '))}`,
    index: {
      name: distinct(names.map(nameText)),
      family: distinct(names.map((name) => name.family ?? '')),
      given: distinct(names.map((name) => (name.given ?? []).join(' '))),
      ...addressEntries(resource.address),
      identifier: identifierKeys(resource.identifier),
      qualification: conceptKeys(qualifications),
      telecom: telecomKeys(resource.telecom),
      active: activeKeys(resource.active),
    },
  };
}

function organizationEntries(resource: Organization): Entries {
  const { name = '', alias = [] } = resource;
  return {
    sortKey: name === '' ? NAMELESS : foldedWords(name),
    index: {
      name: distinct([name, ...alias]),
      ...addressEntries(resource.address),
      identifier: identifierKeys(resource.identifier),
      'part-of': referenceKeys(resource.partOf),
      type: conceptKeys(resource.type),
      telecom: telecomKeys(resource.telecom),
      active: activeKeys(resource.active),
      near: distinct(positionsIn(resource.address).map(positionItem)),
    },
  };
}

/** Roles are in the order of their ids, which begin with the Practitioner's. */
function roleEntries(resource: PractitionerRole): Entries {
  return {
    sortKey: '',
    index: {
      practitioner: referenceKeys(resource.practitioner),
      organization: referenceKeys(resource.organization),
      role: conceptKeys(resource.code),
      specialty: conceptKeys(resource.specialty),
      active: activeKeys(resource.active),
    },
  };
}

/** The texts without repetitions and empty ones. */
function distinct(texts: readonly string[]): string[] {
  if (texts.length < 2) return texts[0] ? [texts[0]] : [];
  return [...new Set(texts)].filter((text) => text !== '');
}

/** Family and given names, whose words are no neighbours. `text` counts only if there are neither, because it may hold a title. */
function nameText({ family, given = [], text }: HumanName): string {
  const parts = [family, given.length > 0 ? given.join(' ') : undefined].filter((part) => part !== undefined);
  return parts.length > 0 ? parts.join(ITEM_BREAK) : (text ?? '');
}

function addressEntries(addresses: readonly Address[] = []): Entries['index'] {
  return {
    address: addresses.map(addressText).filter((text) => text !== ''),
    'address-city': distinct(addresses.map(({ city }) => city ?? '')),
    'address-postalcode': distinct(addresses.map(({ postalCode }) => postalCode ?? '')),
  };
}

/** District and country are not indexed: a street name would find half a department. */
function addressText({ line, city, postalCode, text }: Address): string {
  if (line === undefined && city === undefined && postalCode === undefined) return text ?? '';
  return `${(line ?? []).join(' ')} ${postalCode ?? ''} ${city ?? ''}`;
}

/** These and the keys of contacts may repeat: the writer takes each once, by its hash. */
function identifierKeys(identifiers: readonly Identifier[] = []): string[] {
  const keys: string[] = [];
  for (const { system, value } of identifiers) keys.push(...keysOf(system, value));
  return keys;
}

function keysOf(system: string | undefined, value: string | undefined): string[] {
  return value === undefined ? [] : tokenKeys({ ...(system !== undefined && { system }), value });
}

/** Keys of concepts that many resources share. The mapping freezes these concepts (`repeated`). */
const shared = new WeakMap<CodeableConcept, readonly string[]>();

/** Codes and labels. */
function conceptKeys(concepts: readonly CodeableConcept[] = []): readonly string[] {
  const [only] = concepts;
  if (only && concepts.length === 1) return keysOfConcept(only);
  const keys = new Set<string>();
  for (const concept of concepts) for (const key of keysOfConcept(concept)) keys.add(key);
  return [...keys];
}

function keysOfConcept(concept: CodeableConcept): readonly string[] {
  const known = shared.get(concept);
  if (known) return known;
  const { coding = [], text } = concept;
  const labels = [...coding.map(({ display }) => display), text].filter((label) => label !== undefined);
  const codes = coding.flatMap(({ system, code }) => keysOf(system, code));
  const keys = distinct([...codes, ...labels.map((label) => labelKey(label))]);
  if (Object.isFrozen(concept)) shared.set(concept, keys);
  return keys;
}

function telecomKeys(contacts: readonly ContactPoint[] = []): string[] {
  return contacts.flatMap(contactKeys);
}

/** A resource without `active` has no key. */
function activeKeys(active: boolean | undefined): string[] {
  return active === undefined ? [] : [String(active)];
}

/** `Type/id` of a relative reference, without its version. An absolute reference stays as it is. */
function referenceKeys(value: Reference | undefined): string[] {
  const reference = value?.reference;
  if (reference === undefined) return [];
  const [type = '', id = ''] = reference.split('/');
  return [reference.includes(':') ? reference : referenceKey(type, id)];
}
