// Owns the verdict on FHIR XML by structure: well-formed, one root in FHIR's namespace, elements in the order of the
// StructureDefinition, values in attributes. Does not own the verdict on its content (`validate.ts`).

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

/** The resource that the XML says, and what is wrong with its form. */
export function xmlFaults(text: string): { resource: Record<string, unknown>; faults: string[] } {
  const faults: string[] = [];
  try {
    if (!isBalanced(text)) return { resource: {}, faults: ['tags that do not close each other'] };
    const roots = xml2js(text).elements?.filter(({ type }) => type === 'element') ?? [];
    const [root] = roots;
    if (!root || roots.length !== 1) return { resource: {}, faults: ['no single root element'] };
    if (root.attributes?.['xmlns'] !== NAMESPACE) faults.push(`the root is not in ${NAMESPACE}`);
    elementFaults(root, root.name ?? '', root.name ?? '', faults);
    return { resource: stu3Fhir().xmlToObj(text), faults };
  } catch (error) {
    return { resource: {}, faults: [...faults, `no XML: ${error}`] };
  }
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

function elementFaults(element: XmlElement, path: string, where: string, faults: string[]): void {
  const shape = shapeOf(path);
  const children = element.elements ?? [];
  if (children.some(({ type }) => type !== 'element' && type !== 'comment'))
    faults.push(`${where}: text between elements`);
  if (!shape) {
    if (element.attributes?.['value'] === undefined && children.length === 0)
      faults.push(`${where}: neither value nor children`);
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
      faults.push(`${where}/${name}: STU3 has no such element here`);
      continue;
    }
    if (at < last) faults.push(`${where}/${name}: after ${lastName}, the order of STU3 is the other way`);
    [last, lastName] = [at, name];
    if (known.type === 'Resource') {
      const [inner, ...more] = child.elements ?? [];
      if (!inner || more.length > 0) faults.push(`${where}/${name}: not one resource`);
      else elementFaults(inner, inner.name ?? '', `${where}/${name}/${inner.name}`, faults);
    } else if (known.type === 'xhtml') {
      if (child.attributes?.['xmlns'] !== 'http://www.w3.org/1999/xhtml') faults.push(`${where}/${name}: no XHTML`);
    } else elementFaults(child, known.primitive ? 'primitive value' : known.shape, `${where}/${name}`, faults);
  }
}
