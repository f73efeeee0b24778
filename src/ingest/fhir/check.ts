// Owns the check at the door of resources that others have made: what the directory serves must be valid STU3, and what
// it indexes must have the form that the index expects. Pure.
// Does not own the tables of elements (`elements.ts`).

import { RESOURCE_TYPES, type ResourceType } from '../../store/directory/snapshot.ts';
import { type Elements, EXTENSION_VALUES, OTHERS, RESOURCES, TEXTS, TYPES } from './elements.ts';

/** A resource that has passed the check; `meta` and `text` are as its source wrote them. */
export interface CheckedResource {
  resourceType: ResourceType;
  id: string;
  [element: string]: unknown;
}

/** Elements that every resource may have, checked apart or, like `meta` and `text`, not kept. */
const OF_EVERY_RESOURCE = new Set(['resourceType', 'id', 'meta', 'text', 'language', 'extension']);
/** Elements that can change the meaning of all others, or hold resources of any type. */
const NOT_TAKEN: Readonly<Record<string, string>> = {
  implicitRules: 'implicitRules can change the meaning of the resource, and are not followed',
  modifierExtension: 'a modifierExtension can change the meaning of the resource, and is not followed',
  contained: 'contained resources are not taken: give them as resources of their own',
};
const DEEPEST_EXTENSION = 8;

/** Says what is wrong with a parsed resource, naming the element; nothing when it is right. */
export function faultOfResource(value: unknown): string | undefined {
  if (!isObject(value)) return 'not a JSON object';
  const { resourceType, id } = value;
  if (typeof resourceType !== 'string') return 'no resourceType';
  if (!isResourceType(resourceType)) {
    return `a resource of type "${resourceType.slice(0, 40)}": the directory takes ${RESOURCE_TYPES.join(', ')}`;
  }
  if (typeof id !== 'string') return `${resourceType} without id`;
  if (!TEXTS['id']?.test(id)) return `"${id.slice(0, 80)}" is no FHIR id: letters, digits, - and ., at most 64`;
  for (const [element, reason] of Object.entries(NOT_TAKEN)) if (Object.hasOwn(value, element)) return reason;
  return (
    (Object.hasOwn(value, 'language') ? faultOfText(value['language'], 'code', 'language') : undefined) ??
    (Object.hasOwn(value, 'extension') ? faultOfExtensions(value['extension'], 'extension', 0) : undefined) ??
    faultOfElements(value, RESOURCES[resourceType], resourceType, 0, OF_EVERY_RESOURCE) ??
    faultOfInvariants(value as CheckedResource)
  );
}

function isResourceType(type: string): type is ResourceType {
  return (RESOURCE_TYPES as readonly string[]).includes(type);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function faultOfElements(
  object: Record<string, unknown>,
  elements: Elements,
  path: string,
  depth: number,
  apart: ReadonlySet<string>,
): string | undefined {
  for (const element in object) {
    if (apart.has(element)) continue;
    const place = `${path}.${element}`;
    const type = Object.hasOwn(elements, element) ? elements[element] : undefined;
    const fault =
      type === undefined
        ? faultOfCommon(object, elements, element, place, depth)
        : faultOfValue(object[element], type, place, depth);
    if (fault !== undefined) return fault;
  }
  for (const element in elements) {
    if (elements[element]?.endsWith('!') && !Object.hasOwn(object, element)) return `${path}.${element} is required`;
  }
  return undefined;
}

/** `id`, `extension`, and `_name` beside a primitive, which every element may have. */
function faultOfCommon(
  object: Record<string, unknown>,
  elements: Elements,
  element: string,
  place: string,
  depth: number,
): string | undefined {
  const value = object[element];
  if (element === 'id') return faultOfText(value, 'string', place);
  if (element === 'extension') return faultOfExtensions(value, place, depth);
  const type = element.startsWith('_') ? elements[element.slice(1)]?.replace('!', '') : undefined;
  if (type === undefined || !isPrimitive(type.replace('[]', ''))) return `${place} is no element of STU3`;
  if (!type.endsWith('[]')) return faultOfPrimitiveParts(value, place, depth);
  const values = object[element.slice(1)];
  if (!Array.isArray(value) || (Array.isArray(values) && values.length !== value.length)) {
    return `${place} does not stand beside as many values`;
  }
  for (const [index, parts] of value.entries()) {
    const fault = parts === null ? undefined : faultOfPrimitiveParts(parts, `${place}[${index}]`, depth);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function faultOfPrimitiveParts(value: unknown, place: string, depth: number): string | undefined {
  if (!isObject(value) || Object.keys(value).length === 0) return `${place} is not an object with content`;
  return faultOfElements(value, {}, place, depth, NONE);
}

const NONE: ReadonlySet<string> = new Set();

function isPrimitive(type: string): boolean {
  return Object.hasOwn(TEXTS, type) || Object.hasOwn(OTHERS, type);
}

function faultOfValue(value: unknown, type: string, place: string, depth: number): string | undefined {
  if (!type.endsWith('[]')) return faultOfOne(value, type.endsWith('!') ? type.slice(0, -1) : type, place, depth);
  if (!Array.isArray(value) || value.length === 0) return `${place} is not an array with content`;
  const each = type.slice(0, -2);
  for (let index = 0; index < value.length; index++) {
    // A null, which stands for a value with extensions only, is a fault too: there is nothing in it to be found.
    const fault = faultOfOne(value[index], each, place, depth);
    if (fault !== undefined) return value.length > 1 ? fault.replace(place, `${place}[${index}]`) : fault;
  }
  return undefined;
}

function faultOfOne(value: unknown, type: string, place: string, depth: number): string | undefined {
  if (Object.hasOwn(TEXTS, type)) return faultOfText(value, type, place);
  if (Object.hasOwn(OTHERS, type)) return OTHERS[type]?.(value) ? undefined : `${place} is not of type ${type}`;
  if (!isObject(value)) return `${place} is not an object`;
  if (Object.keys(value).length === 0) return `${place} is empty`;
  return faultOfElements(value, TYPES[type] ?? {}, place, depth, NONE) ?? faultOfType(value, type, place);
}

function faultOfText(value: unknown, type: string, place: string): string | undefined {
  if (typeof value !== 'string') return `${place} is not a text`;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: FHIR allows none but tab, line feed and carriage return
  if (/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/.test(value)) return `${place} holds control characters`;
  return TEXTS[type]?.test(value) ? undefined : `${place} is not of the form of ${type}`;
}

function faultOfExtensions(value: unknown, place: string, depth: number): string | undefined {
  if (!Array.isArray(value) || value.length === 0) return `${place} is not an array with content`;
  if (depth >= DEEPEST_EXTENSION) return `${place} is nested more than ${DEEPEST_EXTENSION} levels deep`;
  for (const extension of value) {
    if (!isObject(extension)) return `${place} is not an object`;
    const { url, id, extension: nested, ...values } = extension;
    const [[name, content] = [], ...more] = Object.entries(values);
    // ext-1 of STU3: a value or extensions, never both.
    if (more.length > 0 || (name === undefined) === (nested === undefined)) {
      return `${place} needs either one value or extensions`;
    }
    const type = name === undefined ? undefined : EXTENSION_VALUES.find((one) => name === `value${capitalised(one)}`);
    if (name !== undefined && type === undefined) return `${place}.${name} is no value that the directory takes`;
    const fault =
      faultOfText(url, 'uri', `${place}.url`) ??
      (id === undefined ? undefined : faultOfText(id, 'string', `${place}.id`)) ??
      (type === undefined ? undefined : faultOfOne(content, type, `${place}.${name}`, depth + 1)) ??
      (nested === undefined ? undefined : faultOfExtensions(nested, `${place}.extension`, depth + 1));
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function capitalised(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** What a table cannot say about a data type: cpt-2, per-1, and references that lead out of what is taken. */
function faultOfType(value: Record<string, unknown>, type: string, place: string): string | undefined {
  if (type === 'ContactPoint' && value['value'] !== undefined && value['system'] === undefined) {
    return `${place} has a value without system`;
  }
  if (type !== 'Reference' || typeof value['reference'] !== 'string') return undefined;
  return /^(#|urn:)/.test(value['reference'])
    ? `${place}.reference "${value['reference'].slice(0, 80)}" leads nowhere: write Type/id`
    : undefined;
}

/** Type of the resource that a reference may lead to. */
const TARGETS: Readonly<Record<string, ResourceType>> = {
  partOf: 'Organization',
  practitioner: 'Practitioner',
  organization: 'Organization',
};

/** org-1 to org-3, and the targets of the references that are searched. */
function faultOfInvariants(resource: CheckedResource): string | undefined {
  const { resourceType } = resource;
  if (resourceType === 'Organization') {
    if (resource['identifier'] === undefined && resource['name'] === undefined) {
      return 'Organization without identifier and name (org-1)';
    }
    for (const element of ['telecom', 'address']) {
      const items = (resource[element] ?? []) as { use?: string }[];
      if (items.some(({ use }) => use === 'home')) return `Organization.${element} is of use home`;
    }
  }
  for (const [element, target] of Object.entries(TARGETS)) {
    const reference = (resource[element] as { reference?: string } | undefined)?.reference;
    if (reference === undefined || reference.includes(':')) continue;
    if (!new RegExp(`^${target}/[A-Za-z0-9.-]{1,64}(/_history/[A-Za-z0-9.-]{1,64})?$`).test(reference)) {
      return `${resourceType}.${element}.reference "${reference.slice(0, 80)}" is not of the form ${target}/id`;
    }
  }
  return undefined;
}
