// Validates resources that others have made, because the directory must serve only resources that are valid in STU3.

import { isObject } from '#import/sources/json-values.ts';
import { isResourceType, RESOURCE_TYPES } from '#search-index/index.ts';
import { definitionOf, type ElementDefinition, type TypeDefinition } from '#shared/stu3/elements.ts';
import type { DirectoryResource } from './index-entries.ts';
import { bindingOf, isOfType, typeIssueOf } from './primitives.ts';

type Json = Record<string, unknown>;

/**
 * The path of an element, followed by its problem, such as `.name[1].family is not a text`. The function that finds the problem makes the
 * text, and each function that called it puts its own part of the path before it. In this way, a valid resource costs no texts.
 */
type Issue = string | undefined;

/**
 * Elements that are not validated, because the directory does not keep them (`meta`, `text`), or because `resourceIssue` has already
 * checked them (`resourceType`).
 */
const NOT_VALIDATED: ReadonlySet<string> = new Set(['resourceType', 'meta', 'text']);
/** Elements that are refused. Some can change the meaning of the whole resource, and `contained` can hold a resource of any type. */
const NOT_ACCEPTED: ReadonlyMap<string, string> = new Map([
  ['implicitRules', ' can change the meaning of the resource, and is not followed'],
  ['modifierExtension', ' can change the meaning of the resource, and is not followed'],
  ['contained', ' is not accepted: give contained resources as resources of their own'],
]);
const NONE: ReadonlySet<string> = new Set();
const DEEPEST = 16;
const MODIFIERS_OF_A_PRIMITIVE = definition('Element');

/** Describes the fault of a parsed resource, with the path of the faulty element. Undefined if the resource is valid. */
export function resourceIssue(value: unknown): string | undefined {
  if (!isObject(value)) return 'not a JSON object';
  const { resourceType, id } = value;
  if (typeof resourceType !== 'string') return 'no resourceType';
  if (!isResourceType(resourceType)) {
    return `a resource of type "${resourceType.slice(0, 40)}": the directory takes ${RESOURCE_TYPES.join(', ')}`;
  }
  if (typeof id !== 'string') return `${resourceType} without id`;
  if (!isOfType(id, 'id')) return `"${id.slice(0, 80)}" is no FHIR id: letters, digits, - and ., at most 64`;
  const issue = contentIssue(value, definition(resourceType), 0, NOT_VALIDATED);
  return issue === undefined ? invariantIssue(value as unknown as DirectoryResource) : resourceType + issue;
}

function definition(type: string): TypeDefinition {
  const found = definitionOf(type);
  if (!found) throw new Error(`STU3 has no type ${type}`);
  return found;
}

function prefixed(element: string | number, issue: Issue): Issue {
  if (issue === undefined) return undefined;
  return typeof element === 'number' ? `[${element}]${issue}` : `.${element}${issue}`;
}

function contentIssue(object: Json, type: TypeDefinition, depth: number, skipped = NONE): Issue {
  if (depth > DEEPEST) return ` is nested more than ${DEEPEST} levels deep`;
  for (const name in object) {
    if (skipped.has(name)) continue;
    const element = type.elements.get(name);
    const issue =
      NOT_ACCEPTED.get(name) ??
      (element ? elementIssue(object[name], element, type.name, depth) : siblingIssue(object, type, name, depth));
    if (issue !== undefined) return prefixed(name, issue);
  }
  for (const name of type.required) if (!Object.hasOwn(object, name)) return prefixed(name, ' is required');
  return undefined;
}

function elementIssue(value: unknown, element: ElementDefinition, parent: string, depth: number): Issue {
  if (!element.repeats) return valueIssue(value, element, parent, depth);
  if (!Array.isArray(value) || value.length === 0) return ' is not an array with content';
  for (let index = 0; index < value.length; index++) {
    // In an array, null stands for a value that has nothing but extensions. It is refused, because a search could find nothing in it.
    const issue = valueIssue(value[index], element, parent, depth);
    if (issue !== undefined) return value.length > 1 ? prefixed(index, issue) : issue;
  }
  return undefined;
}

function valueIssue(value: unknown, { kind, type, name }: ElementDefinition, parent: string, depth: number): Issue {
  if (kind === 'primitive') return primitiveIssue(value, type, bindingOf(parent, name));
  if (!isObject(value)) return ' is not an object';
  if (isEmpty(value)) return ' is empty';
  return contentIssue(value, definition(type), depth + 1) ?? typeIssue(value, type, name);
}

function isEmpty(object: Json): boolean {
  for (const _name in object) return false;
  return true;
}

function primitiveIssue(value: unknown, type: string, codes: RegExp | undefined): Issue {
  const issue = typeIssueOf(value, type);
  if (issue !== undefined || codes === undefined) return issue;
  return codes.test(value as string) ? undefined : ' is not one of the codes of STU3';
}

/** Checks the element with the name `_name` beside a primitive. It has the `id` and the `extension` of the primitive. */
function siblingIssue(object: Json, { elements }: TypeDefinition, name: string, depth: number): Issue {
  const value = object[name];
  const element = name.startsWith('_') ? elements.get(name.slice(1)) : undefined;
  if (element?.kind !== 'primitive') return ' is no element of STU3';
  if (!element.repeats) return modifiersIssue(value, depth);
  const values = object[name.slice(1)];
  if (!Array.isArray(value) || (Array.isArray(values) && values.length !== value.length)) {
    return ' does not have as many items as its values';
  }
  for (const [index, one] of value.entries()) {
    const issue = one === null ? undefined : modifiersIssue(one, depth);
    if (issue !== undefined) return prefixed(index, issue);
  }
  return undefined;
}

function modifiersIssue(value: unknown, depth: number): Issue {
  if (!isObject(value) || isEmpty(value)) return ' is not an object with content';
  return contentIssue(value, MODIFIERS_OF_A_PRIMITIVE, depth + 1);
}

/** Checks the invariants cpt-2, ext-1 and per-1 of data types, and the form of references. */
function typeIssue(value: Json, type: string, element: string): Issue {
  if (type === 'Period' && isAfter(value['start'], value['end'])) return ' ends before it starts';
  if (type === 'ContactPoint' && value['value'] !== undefined && value['system'] === undefined) {
    return ' has a value without system';
  }
  if (type === 'Extension') {
    const values = Object.keys(value).filter((name) => name.startsWith('value')).length;
    return values + (value['extension'] === undefined ? 0 : 1) === 1
      ? undefined
      : ' needs either one value or extensions';
  }
  return type === 'Reference' ? referenceIssue(element, value['reference']) : undefined;
}

/**
 * Tells whether a date is later than another one. Only the parts that both dates have are compared. If one of them has no time, only the
 * days are compared.
 */
function isAfter(one: unknown, other: unknown): boolean {
  if (typeof one !== 'string' || typeof other !== 'string') return false;
  if (one.includes('T') && other.includes('T')) return Date.parse(one) > Date.parse(other);
  const length = Math.min(one.length, other.length, 'YYYY-MM-DD'.length);
  return one.slice(0, length) > other.slice(0, length);
}

/** Checks the invariants org-1 to org-3, which concern Organization. */
function invariantIssue(resource: DirectoryResource): string | undefined {
  if (resource.resourceType === 'Organization') {
    if (resource.identifier === undefined && resource.name === undefined) {
      return 'Organization without identifier and name (org-1)';
    }
    for (const element of ['telecom', 'address'] as const) {
      const items: readonly { use?: string | undefined }[] = resource[element] ?? [];
      if (items.some(({ use }) => use === 'home')) return `Organization.${element} is of use home`;
    }
  }
  return undefined;
}

// The rest of the file checks references (STU3 references.html). A reference is relative (`Type/id`) or an absolute address.

/**
 * The type of resource to which an element must refer, by the name of the element. Any other element, such as one in an extension, may
 * refer to any type.
 */
const TARGETS: ReadonlyMap<string, string> = new Map([
  ['partOf', 'Organization'],
  ['practitioner', 'Practitioner'],
  ['organization', 'Organization'],
  ['issuer', 'Organization'],
  ['assigner', 'Organization'],
  ['location', 'Location'],
  ['healthcareService', 'HealthcareService'],
  ['endpoint', 'Endpoint'],
]);

const RELATIVE = /^([A-Z][A-Za-z]+)\/[A-Za-z0-9.-]{1,64}(\/_history\/[A-Za-z0-9.-]{1,64})?$/;
const ABSOLUTE = /^[A-Za-z][A-Za-z0-9+.-]*:\S+$/;
/** Matches an absolute address that ends like the address of a resource on a FHIR server. */
const ON_A_SERVER = /\/([A-Z][A-Za-z]+)\/[A-Za-z0-9.-]{1,64}(\/_history\/[A-Za-z0-9.-]{1,64})?$/;

/**
 * Describes the fault of `Reference.reference` in an element. The description is written to follow the path of the Reference. Undefined if
 * there is no fault.
 */
function referenceIssue(element: string, reference: unknown): string | undefined {
  if (typeof reference !== 'string') return undefined;
  const shown = `.reference "${reference.slice(0, 80)}"`;
  if (/^(#|urn:)/.test(reference)) return `${shown} leads nowhere: write Type/id`;
  const target = TARGETS.get(element);
  const [, type] = (ABSOLUTE.test(reference) ? ON_A_SERVER : RELATIVE).exec(reference) ?? [];
  if (type === undefined && ABSOLUTE.test(reference)) return undefined;
  if (type !== undefined && (target === undefined || type === target)) return undefined;
  return `${shown} is not of the form ${target ?? 'Type'}/id`;
}
