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

/** Returns a resource as the directory keeps it: without narrative, and without `meta`, because the snapshot makes its own `meta`. */
export function withoutMeta({ meta: _meta, text: _text, ...resource }: DirectoryResource): DirectoryResource {
  return resource as DirectoryResource;
}

type Entries = Pick<IndexedResource, 'sortKey' | 'index'>;

/** A character that sorts after all names. It is the sort key of structures without a name, so that they come last. */
const NAMELESS = '\u{10ffff}';

/**
 * Returns a resource together with its index entries. The resource must be valid: `validate.ts` has checked the resources of FHIR files,
 * and those that `mapping/` makes need no check.
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

/**
 * Roles have an empty sort key, so they are in the order of their ids. An id begins with the id of the Practitioner, so the roles of one
 * person stand together.
 */
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

/** Returns the texts without empty ones and without repetitions. */
function distinct(texts: readonly string[]): string[] {
  if (texts.length < 2) return texts[0] ? [texts[0]] : [];
  return [...new Set(texts)].filter((text) => text !== '');
}

/**
 * Returns the family name and the given names, with a break between them, so that the last word of one and the first word of the other are
 * not treated as neighbours. Returns `text` only if both are missing, because `text` may contain a title.
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
 * Returns the text of an address without its district and country. With the district, a search for a street that has the name of a
 * department would find half of that department.
 */
function addressText({ line, city, postalCode, text }: Address): string {
  if (line === undefined && city === undefined && postalCode === undefined) return text ?? '';
  return `${(line ?? []).join(' ')} ${postalCode ?? ''} ${city ?? ''}`;
}

/** Returns the keys of identifiers. The same key may occur twice; the writer of the index removes repetitions by their hash. */
function identifierKeys(identifiers: readonly Identifier[] = []): string[] {
  const keys: string[] = [];
  for (const { system, value } of identifiers) keys.push(...keysOf(system, value));
  return keys;
}

function keysOf(system: string | undefined, value: string | undefined): string[] {
  return value === undefined ? [] : tokenKeys({ ...(system !== undefined && { system }), value });
}

/**
 * The keys of one list of concepts. They are shared, because many resources have the same list. If another list begins in the same way and
 * has one more concept, it is found in `next` under this concept. Concepts can be keys of a map, because equal concepts are one and the
 * same frozen object (`repeated` in the mapping).
 */
interface SharedKeys {
  keys: readonly string[];
  next?: Map<CodeableConcept, SharedKeys>;
}
const shared = new WeakMap<CodeableConcept, SharedKeys>();
/**
 * The keys of a list are kept only if it has at most `LONGEST_ROW` concepts. One `next` has at most `MOST_NEXT` lists. To keep the keys of
 * rare lists would need memory and save no time.
 */
const [LONGEST_ROW, MOST_NEXT] = [4, 64];

/**
 * Returns the keys of the codes and labels of a list of concepts. The keys are kept, because millions of resources have only some thousand
 * different lists.
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

/** Returns the key of `active`. A resource without the element has no key. */
function activeKeys(active: boolean | undefined): readonly string[] {
  return active === undefined ? [] : ACTIVE[`${active}`];
}

/** Returns `Type/id` of a relative reference, without the version that may follow. An absolute reference is returned unchanged. */
function referenceKeys(value: Reference | undefined): string[] {
  const reference = value?.reference;
  if (reference === undefined) return [];
  // Most references have no version after `Type/id`, so they are returned as they are, without making a new text.
  if (reference.includes(':') || reference.indexOf('/') === reference.lastIndexOf('/')) return [reference];
  const [type = '', id = ''] = reference.split('/');
  return [referenceKey(type, id)];
}
