// Validates the structure of FHIR XML: well-formed, one root in FHIR's namespace, elements in the order of the
// StructureDefinition, values in attributes. Its content is validated as JSON (`validate.ts`).

import { createRequire } from 'node:module';
import { shapeOf } from './shapes.ts';
import { stu3Fhir } from './validate.ts';

interface XmlElement {
  type: string;
  name?: string;
  text?: string;
  attributes?: Record<string, string>;
  elements?: XmlElement[];
}

// npm fhir reads XML with xml-js, which is its dependency and not ours.
const require = createRequire(createRequire(import.meta.url).resolve('fhir/fhir.js'));
const { xml2js } = require('xml-js') as { xml2js(text: string): { elements?: XmlElement[]; declaration?: object } };
const NAMESPACE = 'http://hl7.org/fhir';

/** The resource that the XML holds, and what is wrong with its form. */
export function xmlErrors(text: string): { resource: Record<string, unknown>; errors: string[] } {
  const errors: string[] = [];
  try {
    if (!isBalanced(text)) return { resource: {}, errors: ['tags that do not close each other'] };
    const roots = xml2js(text).elements?.filter(({ type }) => type === 'element') ?? [];
    const [root] = roots;
    if (!root || roots.length !== 1) return { resource: {}, errors: ['no single root element'] };
    if (root.attributes?.['xmlns'] !== NAMESPACE) errors.push(`the root is not in ${NAMESPACE}`);
    elementErrors(root, root.name ?? '', root.name ?? '', errors);
    return { resource: withDecimals(stu3Fhir().xmlToObj(text)), errors };
  } catch (error) {
    return { resource: {}, errors: [...errors, `no XML: ${error}`] };
  }
}

/** npm fhir gives decimals of extensions as texts. */
function withDecimals(resource: Record<string, unknown>): Record<string, unknown> {
  return JSON.parse(JSON.stringify(resource), (key, value) =>
    key === 'valueDecimal' && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value,
  );
}

/** Every tag is closed by its own: xml-js lets an open one pass. */
function isBalanced(text: string): boolean {
  const open: string[] = [];
  for (const [, closing, name = '', closed] of text.matchAll(/<(\/?)([A-Za-z][\w.:-]*)(?:[^<>"]|"[^"]*")*?(\/?)>/g)) {
    if (closing) {
      if (open.pop() !== name) return false;
    } else if (!closed) open.push(name);
  }
  return open.length === 0;
}

function elementErrors(element: XmlElement, path: string, where: string, errors: string[]): void {
  const shape = shapeOf(path);
  const children = element.elements ?? [];
  if (children.some(({ type }) => type !== 'element' && type !== 'comment'))
    errors.push(`${where}: text between elements`);
  if (!shape) {
    if (element.attributes?.['value'] === undefined && children.length === 0)
      errors.push(`${where}: neither value nor children`);
    return;
  }
  const order = [...shape.elements.keys()];
  let last = -1;
  let lastName = '';
  for (const child of children) {
    const name = child.name ?? '';
    const known = shape.elements.get(name);
    const at = order.indexOf(name);
    if (!known) {
      errors.push(`${where}/${name}: STU3 has no such element here`);
      continue;
    }
    if (at < last) errors.push(`${where}/${name}: after ${lastName}, the order of STU3 is the other way`);
    [last, lastName] = [at, name];
    if (known.type === 'Resource') {
      const [inner, ...more] = child.elements ?? [];
      if (!inner || more.length > 0) errors.push(`${where}/${name}: not one resource`);
      else elementErrors(inner, inner.name ?? '', `${where}/${name}/${inner.name}`, errors);
    } else if (known.type === 'xhtml') {
      if (child.attributes?.['xmlns'] !== 'http://www.w3.org/1999/xhtml') errors.push(`${where}/${name}: no XHTML`);
    } else elementErrors(child, known.primitive ? 'primitive value' : known.shape, `${where}/${name}`, errors);
  }
}
