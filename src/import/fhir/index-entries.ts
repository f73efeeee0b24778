// The index entries of a resource, taken from its elements.

import {
  contactKey,
  type IndexedResource,
  labelKey,
  nationalNumber,
  type ResourceType,
  referenceKey,
  tokenKeys,
  wordsOf,
} from '../../search-index/index.ts';
import { NAMELESS } from '../mapping/organization.ts';
import type { CheckedResource } from './validate.ts';

interface Identifier {
  system?: string;
  value?: string;
}
interface HumanName {
  use?: string;
  text?: string;
  family?: string;
  given?: string[];
}
interface Address {
  text?: string;
  line?: string[];
  city?: string;
  postalCode?: string;
}
interface ContactPoint {
  system?: string;
  value?: string;
}
interface CodeableConcept {
  coding?: { system?: string; code?: string; display?: string }[];
  text?: string;
}
interface Reference {
  reference?: string;
}

/** The resource as the directory keeps it: without `meta`, which the snapshot gives, and without narrative. */
export function indexResource({ meta: _meta, text: _text, ...resource }: CheckedResource): IndexedResource {
  const { resourceType: type, id } = resource as unknown as { resourceType: ResourceType; id: string };
  const { sortKey, index } = ENTRIES[type](resource);
  return { type, id, sortKey, resource: resource as IndexedResource['resource'], index };
}

type Entries = Pick<IndexedResource, 'sortKey' | 'index'>;

const ENTRIES: Readonly<Record<ResourceType, (resource: Record<string, unknown>) => Entries>> = {
  Practitioner(resource) {
    const names = list<HumanName>(resource['name']);
    const first = names.find(({ use }) => use === 'official') ?? names.find(({ use }) => use === 'usual') ?? names[0];
    const { family = '', given = [] } = first ?? {};
    const qualifications = list<{ code: CodeableConcept }>(resource['qualification']).map(({ code }) => code);
    return {
      sortKey: `${folded(family || (given.length > 0 ? '' : (first?.text ?? '')))}\t${folded(given.join(' '))}`,
      index: {
        name: distinct(names.map(nameText)),
        family: distinct(names.map((name) => name.family ?? '')),
        given: distinct(names.map((name) => (name.given ?? []).join(' '))),
        ...addressEntries(resource),
        identifier: identifierKeys(resource),
        qualification: distinct([...codeKeys(qualifications), ...qualifications.flatMap(labelKeys)]),
        telecom: contactKeys(resource),
        active: activeKeys(resource),
      },
    };
  },
  Organization(resource) {
    const name = typeof resource['name'] === 'string' ? resource['name'] : '';
    const alias = list<string>(resource['alias']);
    return {
      sortKey: name === '' ? NAMELESS : folded(name),
      index: {
        name: distinct([name, ...alias]),
        ...addressEntries(resource),
        identifier: identifierKeys(resource),
        'part-of': referenceKeys(resource['partOf']),
        type: codeKeys(list(resource['type'])),
        telecom: contactKeys(resource),
        active: activeKeys(resource),
      },
    };
  },
  PractitionerRole(resource) {
    const practitioner = referenceKeys(resource['practitioner']);
    const organization = referenceKeys(resource['organization']);
    return {
      sortKey: '',
      index: {
        practitioner,
        organization,
        role: codeKeys(list(resource['code'])),
        specialty: codeKeys(list(resource['specialty'])),
        active: activeKeys(resource),
      },
    };
  },
};

function list<T>(value: unknown): T[] {
  return (value ?? []) as T[];
}

/** Without repetitions, and without what is empty. */
function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)].filter((text) => text !== '');
}

function folded(text: string): string {
  return wordsOf(text).join(' ');
}

/** Family and given names; the text as a whole only where there is neither, because it may hold a title. */
function nameText({ family, given, text }: HumanName): string {
  const parts = [family, ...(given ?? [])].filter((part) => part !== undefined);
  return parts.length > 0 ? parts.join(' ') : (text ?? '');
}

function addressEntries(resource: Record<string, unknown>): Entries['index'] {
  const addresses = list<Address>(resource['address']);
  return {
    address: addresses.map(addressText).filter((text) => text !== ''),
    'address-city': distinct(addresses.map(({ city }) => city ?? '')),
    'address-postalcode': distinct(addresses.map(({ postalCode }) => postalCode ?? '')),
  };
}

/** District and country are not searched: a street name would find half a department. */
function addressText({ line, city, postalCode, text }: Address): string {
  if (line === undefined && city === undefined && postalCode === undefined) return text ?? '';
  return `${(line ?? []).join(' ')} ${postalCode ?? ''} ${city ?? ''}`;
}

function identifierKeys(resource: Record<string, unknown>): string[] {
  return distinct(
    list<Identifier>(resource['identifier']).flatMap(({ system, value }) =>
      value === undefined ? [] : tokenKeys({ ...(system !== undefined && { system }), value }),
    ),
  );
}

function codeKeys(concepts: readonly CodeableConcept[]): string[] {
  return distinct(
    concepts
      .flatMap(({ coding = [] }) => coding)
      .flatMap(({ system, code }) =>
        code === undefined ? [] : tokenKeys({ ...(system !== undefined && { system }), value: code }),
      ),
  );
}

function labelKeys({ coding = [], text }: CodeableConcept): string[] {
  const labels = [...coding.map(({ display }) => display), text].filter((label) => label !== undefined);
  return labels.map((label) => labelKey(label));
}

/** Numbers are found in their national form too. */
function contactKeys(resource: Record<string, unknown>): string[] {
  return distinct(
    list<ContactPoint>(resource['telecom']).flatMap(({ system, value }) => {
      if (value === undefined) return [];
      return NUMBERS.has(system ?? '') ? [contactKey(value), nationalNumber(value)] : [contactKey(value)];
    }),
  );
}

const NUMBERS = new Set(['phone', 'fax', 'sms', 'pager']);

/** Nothing is claimed of a resource that does not say whether it is active. */
function activeKeys(resource: Record<string, unknown>): string[] {
  return typeof resource['active'] === 'boolean' ? [String(resource['active'])] : [];
}

/** `Type/id` of a relative reference, without its version; an absolute one as it stands. */
function referenceKeys(value: unknown): string[] {
  const { reference } = (value ?? {}) as Reference;
  if (reference === undefined) return [];
  const [type = '', id = ''] = reference.split('/');
  return [reference.includes(':') ? reference : referenceKey(type, id)];
}
