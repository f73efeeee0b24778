// Writes a resource as XML (STU3 xml.html). The resource is given as parsed JSON. HL7's definitions give the order of its elements.

import { definitionOf, type ElementDefinition, type TypeDefinition } from '#shared/stu3/elements.ts';
import { attributeText, narrativeXml } from './text.ts';

type Json = Record<string, unknown>;

const FHIR_NAMESPACE = ' xmlns="http://hl7.org/fhir"';

/**
 * Writes a resource as an XML document. Members of the JSON that STU3 does not define are left out, because they have no form in XML.
 * @param resource parsed JSON with `resourceType`
 * @throws Error for a type that STU3 does not define
 */
export function writeXml(resource: object, { pretty }: { pretty: boolean }): string {
  const start = pretty ? '\n' : '';
  return `<?xml version="1.0" encoding="UTF-8"?>${resourceXml(resource as Json, FHIR_NAMESPACE, start)}${start}`;
}

/** Inserts further elements at the end of the root element of a document. `elements` are texts that `elementOfXml` has written. */
export function withElements(xml: string, elements: readonly string[]): string {
  const end = xml.lastIndexOf('</');
  const before = xml.slice(0, end).trimEnd();
  return before + elements.join('') + xml.slice(before.length);
}

/** Writes one value of an element at the top level of a resource, such as an entry of a Bundle. `type` is the type of the resource. */
export function elementOfXml(type: string, name: string, value: object, { pretty }: { pretty: boolean }): string {
  const element = definitionOf(type)?.elements.get(name);
  if (!element) throw new Error(`STU3 defines no ${type}.${name}.`);
  return complexXml(element, value, pretty ? '\n  ' : '');
}

// Returns the text before the tags inside an element. `pad` is the text before the tag of the element itself: empty, or a line break and
// blanks. Inner tags have two blanks more.
function deeper(pad: string): string {
  return pad === '' ? '' : `${pad}  `;
}

function resourceXml(resource: Json, attributes: string, pad: string): string {
  const type = String(resource['resourceType']);
  const definition = definitionOf(type);
  if (!definition) throw new Error(`STU3 defines no ${type}: it has no XML form.`);
  return tagged(type, attributes, contentXml(resource, definition, deeper(pad)), pad);
}

function tagged(name: string, attributes: string, content: string, pad: string): string {
  return content === '' ? `${pad}<${name}${attributes}/>` : `${pad}<${name}${attributes}>${content}${pad}</${name}>`;
}

/** Writes the elements of an object in the order of their definition, even if the JSON has another order. */
function contentXml(value: Json, { elements }: TypeDefinition, pad: string): string {
  const names = Object.keys(value);
  let text = '';
  let rank = -1;
  for (const name of names) {
    const element = elementFor(name, value, elements);
    if (!element) continue;
    if (element.rank < rank) return sortedXml(value, elements, pad);
    rank = element.rank;
    text += elementXml(element, value, pad);
  }
  return text;
}

function sortedXml(value: Json, elements: TypeDefinition['elements'], pad: string): string {
  const found = Object.keys(value).flatMap((name) => elementFor(name, value, elements) ?? []);
  return found
    .sort((one, other) => one.rank - other.rank)
    .map((element) => elementXml(element, value, pad))
    .join('');
}

/**
 * Finds the element to which a JSON member belongs. Returns undefined for `_name` if the object also has `name`, because the element is
 * written only once.
 */
function elementFor(name: string, value: Json, elements: TypeDefinition['elements']): ElementDefinition | undefined {
  const element = elements.get(name);
  if (element) return element.attribute ? undefined : element;
  if (!name.startsWith('_')) return undefined;
  const bare = name.slice(1);
  return bare in value ? undefined : elements.get(bare);
}

function elementXml(element: ElementDefinition, value: Json, pad: string): string {
  const content = value[element.name];
  switch (element.kind) {
    case 'primitive':
      return primitivesXml(element.name, content, value[`_${element.name}`], pad);
    case 'complex':
      return complexXml(element, content, pad);
    case 'resource':
      return each(content, (one) => tagged(element.name, '', resourceXml(one as Json, '', deeper(pad)), pad));
    case 'xhtml':
      return pad + narrativeXml(String(content));
  }
}

function each(content: unknown, write: (one: unknown) => string): string {
  if (!Array.isArray(content)) return write(content);
  let text = '';
  for (const one of content) text += write(one);
  return text;
}

function complexXml({ name, type }: ElementDefinition, content: unknown, pad: string): string {
  const definition = definitionOf(type);
  if (!definition) throw new Error(`The table of elements lacks ${type}.`);
  return each(content, (one) =>
    one === null
      ? ''
      : tagged(name, attributesXml(one as Json, definition), contentXml(one as Json, definition, deeper(pad)), pad),
  );
}

function attributesXml(value: Json, { attributes }: TypeDefinition): string {
  let text = '';
  for (const name of attributes) {
    const attribute = value[name];
    if (attribute !== undefined) text += ` ${name}="${attributeText(String(attribute))}"`;
  }
  return text;
}

/**
 * Writes the values of a primitive element. JSON has a list of values and, as `_name`, a list of their ids and extensions. Where one list
 * has nothing to say, it has `null`.
 */
function primitivesXml(name: string, value: unknown, more: unknown, pad: string): string {
  if (more === undefined && typeof value === 'string') return `${pad}<${name} value="${attributeText(value)}"/>`;
  if (!Array.isArray(value) && !Array.isArray(more)) return primitiveXml(name, value, more, pad);
  const values = Array.isArray(value) ? value : [];
  const mores = Array.isArray(more) ? more : [];
  let text = '';
  for (let index = 0; index < Math.max(values.length, mores.length); index++)
    text += primitiveXml(name, values[index], mores[index], pad);
  return text;
}

function primitiveXml(name: string, value: unknown, more: unknown, pad: string): string {
  const has = value !== undefined && value !== null;
  const attribute = has ? ` value="${attributeText(valueText(value))}"` : '';
  const element = definitionOf('Element');
  if (typeof more !== 'object' || more === null || !element) return has ? `${pad}<${name}${attribute}/>` : '';
  const id = attributesXml(more as Json, element);
  return tagged(name, id + attribute, contentXml(more as Json, element, deeper(pad)), pad);
}

/** Returns the text of a primitive value. A number may be an object that keeps its written form (`parsedJson`). */
function valueText(value: unknown): string {
  return typeof value === 'object' && value !== null && 'rawJSON' in value ? String(value.rawJSON) : String(value);
}
