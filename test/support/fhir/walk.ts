// Walks over a resource along its STU3 definition: unknown and missing elements, cardinalities, array shapes, values,
// codes, references, invariants.

import { primitiveError } from './primitives.ts';
import { type ElementShape, type Invariant, type Shape, shapeOf } from './shapes.ts';

type Json = Record<string, unknown>;

interface Walk {
  /** The innermost resource, which `%resource` of an invariant means. */
  resource: Json;
  report(where: string, what: string): void;
}

/** What is wrong with a resource, each as `path: error`; empty when nothing is. */
export function walkErrors(resource: unknown): string[] {
  const errors: string[] = [];
  walkResource(resource, '', (where, what) => void errors.push(`${where}: ${what}`));
  return errors;
}

function walkResource(resource: unknown, at: string, report: Walk['report']): void {
  if (!isObject(resource)) {
    report(at, 'no resource');
    return;
  }
  const type = String(resource['resourceType']);
  const shape = shapeOf(type);
  const where = at === '' ? type : `${at}(${type})`;
  if (!shape?.elements.has('meta')) {
    report(where, `STU3 has no resource type ${type}`);
    return;
  }
  walkElements(resource, shape, where, { resource, report });
  checkInvariants(shape.invariants, resource, where, { resource, report });
}

function walkElements(object: Json, shape: Shape, where: string, walk: Walk): void {
  const names = Object.keys(object).filter((name) => name !== 'resourceType' || where.includes('.'));
  const content = object['resourceType'] !== undefined ? names.length + 1 : names.length;
  if (content === 0) {
    walk.report(where, 'an empty object');
    return;
  }
  const chosen = new Map<string, string>();
  for (const name of names) {
    if (name === 'resourceType' && object === walk.resource) continue;
    const element = shape.elements.get(name.startsWith('_') ? name.slice(1) : name);
    if (!element || (name.startsWith('_') && !element.primitive)) {
      walk.report(`${where}.${name}`, 'STU3 has no such element here');
      continue;
    }
    if (element.choice !== undefined) {
      const other = chosen.get(element.choice);
      if (other !== undefined && other !== element.name)
        walk.report(`${where}.${name}`, `beside ${other}: only one of them`);
      chosen.set(element.choice, element.name);
    }
    if (name.startsWith('_')) walkPrimitiveParts(object[name], element, `${where}.${name}`, walk);
    else walkElement(object, element, `${where}.${name}`, walk);
  }
  for (const { name, choice, min } of shape.elements.values())
    if (min > 0 && !(name in object) && !(`_${name}` in object) && !(choice !== undefined && chosen.has(choice)))
      walk.report(`${where}.${choice ?? name}`, 'is required');
}

function walkElement(parent: Json, element: ElementShape, where: string, walk: Walk): void {
  const value = parent[element.name];
  if (!element.many) {
    if (Array.isArray(value)) {
      walk.report(where, 'an array for an element that does not repeat');
      return;
    }
    walkOne(value, element, where, walk);
    return;
  }
  if (!Array.isArray(value)) {
    walk.report(where, 'no array for an element that repeats');
    return;
  }
  if (value.length === 0) {
    walk.report(where, 'an empty array');
    return;
  }
  if (value.length > element.max) walk.report(where, `${value.length} of them, ${element.max} at most`);
  if (value.length < element.min) walk.report(where, `${value.length} of them, ${element.min} at least`);
  const parts = parent[`_${element.name}`];
  value.forEach((one, number) => {
    const here = `${where}[${number}]`;
    if (one === null && element.primitive && Array.isArray(parts) && parts[number]) return;
    walkOne(one, element, here, walk);
  });
}

function walkOne(value: unknown, element: ElementShape, where: string, walk: Walk): void {
  if (element.primitive) {
    const error = primitiveError(element.type, value);
    if (error !== undefined) walk.report(where, error);
    else if (element.codes && !element.codes.has(String(value))) walk.report(where, `no such code: ${value}`);
  } else if (element.type === 'Resource') {
    walkResource(value, where, walk.report);
  } else if (!isObject(value)) {
    walk.report(where, `a ${element.type} is an object, not ${JSON.stringify(value)}`);
    return;
  } else {
    const shape = shapeOf(element.shape);
    if (!shape) {
      walk.report(where, `STU3 has no type ${element.shape}`);
      return;
    }
    walkElements(value, shape, where, walk);
    checkInvariants(shape.invariants, value, where, walk);
    if (element.targets) checkTarget(value['reference'], element.targets, where, walk);
  }
  checkInvariants(element.invariants, value, where, walk);
}

/** The id and extensions of a primitive value, which JSON writes under its name with `_` before it. */
function walkPrimitiveParts(value: unknown, element: ElementShape, where: string, walk: Walk): void {
  const shape = shapeOf('Element');
  if (element.many !== Array.isArray(value)) {
    walk.report(where, 'array and value do not agree');
    return;
  }
  for (const one of Array.isArray(value) ? value : [value]) {
    if (one === null) continue;
    if (!isObject(one) || !shape) walk.report(where, 'no object');
    else walkElements(one, shape, where, walk);
  }
}

function checkTarget(reference: unknown, targets: readonly string[], where: string, walk: Walk): void {
  if (typeof reference !== 'string' || reference.startsWith('#') || reference.startsWith('urn:')) return;
  const [, type] = /(?:^|\/)([A-Z][A-Za-z]+)\/[A-Za-z0-9\-.]{1,64}(?:\/_history\/[^/]+)?$/.exec(reference) ?? [];
  // An absolute address need not have the form of a FHIR server's.
  if (type === undefined && /^https?:/.test(reference)) return;
  if (type === undefined) walk.report(where, `no reference: ${reference}`);
  else if (!targets.includes(type)) walk.report(where, `leads to ${type}, not to ${targets.join(' or ')}`);
}

function checkInvariants(invariants: readonly Invariant[], value: unknown, where: string, walk: Walk): void {
  for (const { key, holds } of invariants) if (!holds(value, walk.resource)) walk.report(where, key);
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
