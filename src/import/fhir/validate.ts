// Validates resources that others have made: what the directory serves must be valid STU3.

import { RESOURCE_TYPES, type ResourceType } from '../../search-index/index.ts';
import { type Elements, EXTENSION_VALUES, OTHERS, RESOURCES, TEXTS, TYPES } from './elements.ts';

/** A resource that has passed the check; `meta` and `text` are as its source wrote them. */
export interface CheckedResource {
  resourceType: ResourceType;
  id: string;
  [element: string]: unknown;
}

type Json = Record<string, unknown>;

/** Where and what: `.name[1].family is not a text`; nothing when all is right. */
type Fault = string | undefined;

/** An element as the tables give it. One of `text`, `other` and `object` is there. */
interface Element {
  type: string;
  repeats: boolean;
  required: boolean;
  text?: RegExp;
  other?: (value: unknown) => boolean;
  object?: Content;
}

interface Content {
  elements: Map<string, Element>;
  required: string[];
}

const CONTENTS = new Map<string, Content>();

function contentOf(name: string, table: Elements): Content {
  const known = CONTENTS.get(name);
  if (known) return known;
  const content: Content = { elements: new Map(), required: [] };
  CONTENTS.set(name, content);
  for (const [element, declared] of Object.entries(table)) {
    const compiled = elementOf(declared);
    content.elements.set(element, compiled);
    if (compiled.required) content.required.push(element);
  }
  return content;
}

function elementOf(declared: string): Element {
  const type = declared.replace(/\[\]$|!$/, '');
  const [text, other] = [TEXTS[type], OTHERS[type]];
  return {
    type,
    repeats: declared.endsWith('[]'),
    required: declared.endsWith('!'),
    ...(text && { text }),
    ...(other && { other }),
    ...(!text && !other && { object: contentOf(type, TYPES[type] ?? {}) }),
  };
}

/** Elements that every resource may have, checked apart or, like `meta` and `text`, not kept. */
const OF_EVERY_RESOURCE = new Set(['resourceType', 'id', 'meta', 'text', 'language', 'extension']);
/** Elements that can change the meaning of all others, or hold resources of any type. */
const NOT_TAKEN: Readonly<Record<string, string>> = {
  implicitRules: 'implicitRules can change the meaning of the resource, and are not followed',
  modifierExtension: 'a modifierExtension can change the meaning of the resource, and is not followed',
  contained: 'contained resources are not taken: give them as resources of their own',
};
const NONE: ReadonlySet<string> = new Set();
const DEEPEST_EXTENSION = 8;
const ID = elementOf('id');
const STRING = elementOf('string');
const URI = elementOf('uri');
const CODE = elementOf('code');

/** Says what is wrong with a parsed resource, naming the element; nothing when it is right. */
export function resourceIssue(value: unknown): string | undefined {
  if (!isObject(value)) return 'not a JSON object';
  const { resourceType, id, language, extension } = value;
  if (typeof resourceType !== 'string') return 'no resourceType';
  if (!isResourceType(resourceType)) {
    return `a resource of type "${resourceType.slice(0, 40)}": the directory takes ${RESOURCE_TYPES.join(', ')}`;
  }
  if (typeof id !== 'string') return `${resourceType} without id`;
  if (faultOfText(id, ID)) return `"${id.slice(0, 80)}" is no FHIR id: letters, digits, - and ., at most 64`;
  for (const element in NOT_TAKEN) if (Object.hasOwn(value, element)) return NOT_TAKEN[element];
  const fault =
    at('language', language === undefined ? undefined : faultOfText(language, CODE)) ??
    at('extension', extension === undefined ? undefined : faultOfExtensions(extension, 0)) ??
    faultOfContent(value, contentOf(resourceType, RESOURCES[resourceType]), 0, OF_EVERY_RESOURCE);
  return fault === undefined ? faultOfInvariants(value as CheckedResource) : resourceType + fault;
}

function isResourceType(type: string): type is ResourceType {
  return (RESOURCE_TYPES as readonly string[]).includes(type);
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function at(element: string | number, fault: Fault): Fault {
  if (fault === undefined) return undefined;
  return typeof element === 'number' ? `[${element}]${fault}` : `.${element}${fault}`;
}

function faultOfContent(object: Json, content: Content, depth: number, apart = NONE): Fault {
  for (const name in object) {
    if (apart.has(name)) continue;
    const element = content.elements.get(name);
    const fault = element ? faultOfElement(object[name], element, depth) : faultOfCommon(object, content, name, depth);
    if (fault !== undefined) return at(name, fault);
  }
  for (const name of content.required) if (!Object.hasOwn(object, name)) return at(name, ' is required');
  return undefined;
}

function faultOfElement(value: unknown, element: Element, depth: number): Fault {
  if (!element.repeats) return faultOfOne(value, element, depth);
  if (!Array.isArray(value) || value.length === 0) return ' is not an array with content';
  for (let index = 0; index < value.length; index++) {
    // A null, which stands for a value with extensions only, is a fault too: there is nothing in it to be found.
    const fault = faultOfOne(value[index], element, depth);
    if (fault !== undefined) return value.length > 1 ? at(index, fault) : fault;
  }
  return undefined;
}

function faultOfOne(value: unknown, element: Element, depth: number): Fault {
  if (element.text) return faultOfText(value, element);
  if (element.other) return element.other(value) ? undefined : ` is not of type ${element.type}`;
  if (!isObject(value)) return ' is not an object';
  if (isEmpty(value)) return ' is empty';
  return faultOfContent(value, element.object as Content, depth) ?? faultOfType(value, element.type);
}

function isEmpty(object: Json): boolean {
  for (const _name in object) return false;
  return true;
}

function faultOfText(value: unknown, { text, type }: Element): Fault {
  if (typeof value !== 'string') return ' is not a text';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: FHIR allows none but tab, line feed and carriage return
  if (/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/.test(value)) return ' holds control characters';
  return text?.test(value) ? undefined : ` is not of the form of ${type}`;
}

/** `id`, `extension`, and `_name` beside a primitive, which every element may have. */
function faultOfCommon(object: Json, content: Content, name: string, depth: number): Fault {
  const value = object[name];
  if (name === 'id') return faultOfText(value, STRING);
  if (name === 'extension') return faultOfExtensions(value, depth);
  const element = name.startsWith('_') ? content.elements.get(name.slice(1)) : undefined;
  if (!element || element.object) return ' is no element of STU3';
  if (!element.repeats) return faultOfParts(value, depth);
  const values = object[name.slice(1)];
  if (!Array.isArray(value) || (Array.isArray(values) && values.length !== value.length)) {
    return ' does not stand beside as many values';
  }
  for (const [index, parts] of value.entries()) {
    const fault = parts === null ? undefined : faultOfParts(parts, depth);
    if (fault !== undefined) return at(index, fault);
  }
  return undefined;
}

const PARTS: Content = { elements: new Map(), required: [] };

function faultOfParts(value: unknown, depth: number): Fault {
  if (!isObject(value) || isEmpty(value)) return ' is not an object with content';
  return faultOfContent(value, PARTS, depth);
}

const EXTENSION_ELEMENTS = new Map(
  EXTENSION_VALUES.map((type) => [`value${type.charAt(0).toUpperCase()}${type.slice(1)}`, elementOf(type)]),
);

function faultOfExtensions(value: unknown, depth: number): Fault {
  if (!Array.isArray(value) || value.length === 0) return ' is not an array with content';
  if (depth >= DEEPEST_EXTENSION) return ` is nested more than ${DEEPEST_EXTENSION} levels deep`;
  for (const extension of value) {
    const fault = isObject(extension) ? faultOfExtension(extension, depth) : ' is not an object';
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function faultOfExtension({ url, id, extension, ...values }: Json, depth: number): Fault {
  const [name, ...more] = Object.keys(values);
  // ext-1 of STU3: a value or extensions, never both.
  if (more.length > 0 || (name === undefined) === (extension === undefined)) {
    return ' needs either one value or extensions';
  }
  const element = name === undefined ? undefined : EXTENSION_ELEMENTS.get(name);
  if (name !== undefined && !element) return at(name, ' is no value that the directory takes');
  return (
    at('url', faultOfText(url, URI)) ??
    at('id', id === undefined ? undefined : faultOfText(id, STRING)) ??
    at('extension', extension === undefined ? undefined : faultOfExtensions(extension, depth + 1)) ??
    (element && at(name as string, faultOfOne(values[name as string], element, depth + 1)))
  );
}

/** What a table cannot say about a data type: cpt-2, and references that lead out of what is taken. */
function faultOfType(value: Json, type: string): Fault {
  if (type === 'ContactPoint' && value['value'] !== undefined && value['system'] === undefined) {
    return ' has a value without system';
  }
  if (type !== 'Reference' || typeof value['reference'] !== 'string') return undefined;
  return /^(#|urn:)/.test(value['reference'])
    ? `.reference "${value['reference'].slice(0, 80)}" leads nowhere: write Type/id`
    : undefined;
}

/** References that are searched, and the form of a relative one. */
const TARGETS = (
  [
    ['partOf', 'Organization'],
    ['practitioner', 'Practitioner'],
    ['organization', 'Organization'],
  ] as const
).map(([element, target]) => {
  const form = new RegExp(`^${target}/[A-Za-z0-9.-]{1,64}(/_history/[A-Za-z0-9.-]{1,64})?$`);
  return { element, target, form };
});

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
  for (const { element, target, form } of TARGETS) {
    const reference = (resource[element] as { reference?: string } | undefined)?.reference;
    if (reference === undefined || reference.includes(':') || form.test(reference)) continue;
    return `${resourceType}.${element}.reference "${reference.slice(0, 80)}" is not of the form ${target}/id`;
  }
  return undefined;
}
