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
  isRepeated,
  labelKey,
  positionItem,
  referenceKey,
  repeated,
  tokenKeys,
} from '#search-index/index.ts';
import { positionsIn } from '#shared/stu3/geolocation.ts';

/** A resource of a type that the directory serves. */
export type DirectoryResource = (Practitioner | Organization | PractitionerRole) & { id: string };

/** Returns a resource as the directory keeps it: without narrative, and without `meta`, which the snapshot sets. */
export function withoutMeta({ meta: _meta, text: _text, ...resource }: DirectoryResource): DirectoryResource {
  return resource as DirectoryResource;
}

type Entries = Pick<IndexedResource, 'sortKey' | 'index'>;

/** A character that sorts after every name, so that structures without a name come last. */
const NAMELESS = '\u{10ffff}';

/**
 * Adds the index entries to a resource, which must be valid. Resources of FHIR files have passed `validate.ts`. Those of `mapping/` need no
 * check.
 */
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

/** Roles have no sort key. They are in the order of their ids, which begin with the id of the Practitioner. */
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

/** Returns the texts without repetitions and empty ones. */
function distinct(texts: readonly string[]): string[] {
  if (texts.length < 2) return texts[0] ? [texts[0]] : [];
  return [...new Set(texts)].filter((text) => text !== '');
}

/**
 * Returns the family name and the given names, with a break between them so that their words are no neighbours. `text` is returned only if
 * both are missing, because it may hold a title.
 */
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

/**
 * Returns the text of an address without district and country. With them, a search for a street with the name of a department would find
 * half of that department.
 */
function addressText({ line, city, postalCode, text }: Address): string {
  if (line === undefined && city === undefined && postalCode === undefined) return text ?? '';
  return `${(line ?? []).join(' ')} ${postalCode ?? ''} ${city ?? ''}`;
}

/** Returns the keys of identifiers. A key of an identifier or a contact may come twice: the writer takes it once, by its hash. */
function identifierKeys(identifiers: readonly Identifier[] = []): string[] {
  const keys: string[] = [];
  for (const { system, value } of identifiers) keys.push(...keysOf(system, value));
  return keys;
}

function keysOf(system: string | undefined, value: string | undefined): string[] {
  return value === undefined ? [] : tokenKeys({ ...(system !== undefined && { system }), value });
}

/**
 * The keys of a list of concepts that many resources share. `next` holds the longer lists that begin with this one, by the concept that
 * they add. Equal concepts are one frozen object (`repeated` in the mapping).
 */
interface SharedKeys {
  keys: readonly string[];
  next?: Map<CodeableConcept, SharedKeys>;
}
const shared = new WeakMap<CodeableConcept, SharedKeys>();
/** Maximum length of a list that is remembered, and maximum number of lists in `next`. Rare lists would need memory and save nothing. */
const [LONGEST_ROW, MOST_NEXT] = [4, 64];

/**
 * Returns keys of codes and labels. They are remembered, because millions of resources have only some thousand different lists of concepts.
 */
function conceptKeys(concepts: readonly CodeableConcept[] = []): readonly string[] {
  const [first] = concepts;
  let known = first && concepts.length <= LONGEST_ROW ? (shared.get(first) ?? sharedKeys(first)) : undefined;
  for (let at = 1; known && at < concepts.length; at++) known = withNext(known, concepts[at] as CodeableConcept);
  return known ? known.keys : distinct(concepts.flatMap(keysOfConcept));
}

function sharedKeys(concept: CodeableConcept): SharedKeys | undefined {
  if (!isRepeated(concept)) return undefined;
  const made = { keys: repeated(keysOfConcept(concept)) };
  shared.set(concept, made);
  return made;
}

function withNext(row: SharedKeys, concept: CodeableConcept): SharedKeys | undefined {
  row.next ??= new Map();
  const known = row.next.get(concept);
  if (known || row.next.size === MOST_NEXT || !isRepeated(concept)) return known;
  const made = { keys: repeated(distinct([...row.keys, ...keysOfConcept(concept)])) };
  row.next.set(concept, made);
  return made;
}

function keysOfConcept({ coding = [], text }: CodeableConcept): string[] {
  const labels = [...coding.map(({ display }) => display), text].filter((label) => label !== undefined);
  const codes = coding.flatMap(({ system, code }) => keysOf(system, code));
  return distinct([...codes, ...labels.map((label) => labelKey(label))]);
}

function telecomKeys(contacts: readonly ContactPoint[] = []): string[] {
  return contacts.flatMap(contactKeys);
}

const ACTIVE = { true: repeated(['true']), false: repeated(['false']) } as const;

/** Returns the key of `active`. A resource without it has no key. */
function activeKeys(active: boolean | undefined): readonly string[] {
  return active === undefined ? [] : ACTIVE[`${active}`];
}

/** Returns `Type/id` of a relative reference, without its version. An absolute reference stays as it is. */
function referenceKeys(value: Reference | undefined): string[] {
  const reference = value?.reference;
  if (reference === undefined) return [];
  // Most references end behind `Type/id`, so no new text is made for them.
  if (reference.includes(':') || reference.indexOf('/') === reference.lastIndexOf('/')) return [reference];
  const [type = '', id = ''] = reference.split('/');
  return [referenceKey(type, id)];
}
