// Applies `_summary` and `_elements`, which reduce a resource to some of its elements, by HL7's definitions (STU3 search 3.1.1.5.8 and
// 3.1.1.5.9).

import { fhirError, shownName } from '#directory/errors.ts';
import { definitionOf, type ElementDefinition, type TypeDefinition } from '#shared/stu3/elements.ts';

/**
 * Describes the part of a resource that a client asks for: by a value of `_summary`, or by the elements that `_elements` names. The name of
 * an element may have its type before it.
 */
export type Subset = { summary: 'true' | 'text' | 'data' } | { elements: readonly string[] };

type Json = Record<string, unknown>;

/** Tag that marks a resource as incomplete, so that clients do not store it in the place of the whole one. */
const SUBSETTED = {
  system: 'http://hl7.org/fhir/v3/ObservationValue',
  code: 'SUBSETTED',
  display: 'subsetted',
};

/**
 * Checks that the subset can be applied to the type that the request asks for.
 * @param included other types in the response
 * @throws FhirError 400 if `_elements` names an element that its type does not have. The message lists all elements of the type.
 */
export function checkSubset(type: string, subset: Subset, included: ReadonlySet<string>): void {
  if (!('elements' in subset)) {
    // With narratives alone, a client could not see to which match an included resource belongs (STU3 search 3.1.1.5.8).
    if (included.size > 0 && subset.summary === 'text')
      throw fhirError(400, 'value', '_summary=text goes with no _include or _revinclude: leave one of them out.', {
        parameter: '_summary',
      });
    return;
  }
  for (const of of new Set(subset.elements.map((path) => typeOf(path) ?? type))) {
    if (of !== type && !included.has(of))
      throw refusedElements(
        `no ${shownName(of)} comes with this answer: name elements of ${[type, ...included].join(', ')}`,
      );
    const names = elementNames(of);
    const unknown = namedOf(subset.elements, of, of === type).filter((name) => !names.has(name));
    if (unknown.length > 0)
      throw refusedElements(`${of} has no element ${unknown.join(', ')}: _elements takes ${[...names].join(', ')}`);
  }
}

function refusedElements(reason: string) {
  return fhirError(400, 'value', `${reason}.`, { parameter: '_elements' });
}

/**
 * Returns the names that `_elements` may have for a type. They include `resourceType`. It is no element and is always sent, but some
 * clients name it (fhirpy, Aidbox).
 */
export function elementNames(type: string): ReadonlySet<string> {
  return new Set(['resourceType', ...[...(definitionOf(type)?.elements.values() ?? [])].map(({ base }) => base)]);
}

/** Returns the type before the name of an element: `Organization` for `Organization.name`. Undefined if the name has no type. */
function typeOf(path: string): string | undefined {
  const dot = path.indexOf('.');
  return dot < 0 ? undefined : path.slice(0, dot);
}

/**
 * Returns the elements of `type` that `_elements` names. A name without a type means the type that the request asks for (STU3 search
 * 3.1.1.5.9). A name with a type may also mean an included type, as in FHIR Bulk Data Access and HAPI.
 */
function namedOf(elements: readonly string[], type: string, isRequested: boolean): readonly string[] {
  return elements.flatMap((path) => {
    const of = typeOf(path);
    if (of === undefined) return isRequested ? path : [];
    return of === type ? path.slice(of.length + 1) : [];
  });
}

/** Returns a suffix for the entity tag of a subset. It is different for each subset, and a whole resource has none. */
export function subsetTag(subset: Subset): string {
  return 'elements' in subset ? `elements+${subset.elements.join('+')}` : `summary+${subset.summary}`;
}

/**
 * Reduces a parsed resource to the subset. In a Bundle, every resource is reduced, except an OperationOutcome. With `_elements`, an
 * included resource is reduced only if `_elements` names an element of its type.
 */
export function subsetted(resource: Json, subset: Subset): Json {
  if (resource['resourceType'] !== 'Bundle') return subsetOfResource(resource, subset);
  const { entry } = resource as { entry?: { resource?: Json; search?: { mode?: string } }[] };
  if (!entry) return resource;
  const entries = entry.map((one) => {
    const { resource: found, search: { mode = 'match' } = {} } = one;
    if (!found || mode === 'outcome') return one;
    const own = mode === 'match' ? subset : subsetOfIncluded(found, subset);
    return own ? { ...one, resource: subsetOfResource(found, own) } : one;
  });
  return { ...resource, entry: entries };
}

function subsetOfIncluded({ resourceType }: Json, subset: Subset): Subset | undefined {
  if (!('elements' in subset)) return subset;
  const elements = namedOf(subset.elements, String(resourceType), false);
  return elements.length > 0 ? { elements } : undefined;
}

function subsetOfResource(resource: Json, subset: Subset): Json {
  const { resourceType, meta, contained } = resource as {
    resourceType: string;
    meta?: { tag?: object[] };
    contained?: unknown;
  };
  const definition = definitionOf(resourceType);
  if (!definition) return resource;
  const rule = ruleOf(resourceType, subset);
  if (!rule) return resource;
  const kept = isSummary(subset) ? summaryOf(resource, definition) : ofBase(resource, definition, rule);
  // A reference within the resource must lead to a contained resource (STU3 references 2.3.0.2). So contained resources are kept if an
  // element that is kept refers to one of them.
  if (contained && JSON.stringify(kept).includes('"reference":"#')) kept['contained'] = contained;
  return { resourceType, ...kept, meta: { ...meta, tag: [...(meta?.tag ?? []), SUBSETTED] } };
}

function isSummary(subset: Subset): boolean {
  return 'summary' in subset && subset.summary === 'true';
}

type Rule = (element: ElementDefinition) => boolean;

const ALWAYS = new Set(['id', 'meta']);
/** Elements that an invariant of their type needs (org-1). They are kept although they are not mandatory. */
const OF_INVARIANT: Readonly<Record<string, string>> = { Organization: 'name' };

/** Returns a function that tells whether an element of this type is kept. Returns undefined if `_elements` names no element of the type. */
function ruleOf(type: string, subset: Subset): Rule | undefined {
  if ('elements' in subset) {
    const elements = namedOf(subset.elements, type, true);
    if (elements.length === 0) return undefined;
    return ({ base, required, modifier }) =>
      required || modifier || ALWAYS.has(base) || elements.includes(base) || base === OF_INVARIANT[type];
  }
  if (subset.summary === 'data') return ({ name }) => name !== 'text';
  return ({ name, base, required }) => required || name === 'text' || ALWAYS.has(name) || base === OF_INVARIANT[type];
}

function ofBase(resource: Json, { elements }: TypeDefinition, keeps: Rule): Json {
  const members = Object.entries(resource).filter(([name]) => {
    const element = elements.get(name) ?? elements.get(bare(name));
    return element !== undefined && keeps(element);
  });
  return Object.fromEntries(members);
}

/** Returns the name of the element to which a JSON member belongs: `name` for `name` and for `_name`. */
function bare(name: string): string {
  return name.startsWith('_') ? name.slice(1) : name;
}

/**
 * Keeps the summary elements by HL7's definitions, the mandatory elements, and the elements that change the meaning of others. Elements
 * inside elements are treated in the same way.
 */
function summaryOf(value: Json, { elements }: TypeDefinition): Json {
  const result: Json = {};
  for (const [name, content] of Object.entries(value)) {
    const element = elements.get(name) ?? elements.get(bare(name));
    if (!element || !(element.summary || element.required || element.modifier)) continue;
    // Extensions of a primitive element (`_name`) are not part of a summary. They are kept only if the element has no value, because they
    // are then all of its content.
    if (element.name !== name && isWhole(value[element.name])) continue;
    // An extension is kept whole, because it has no meaning without its value.
    const whole = element.kind !== 'complex' || element.type === 'Extension';
    const kept = whole ? content : (summaryOfEach(content, element) ?? (element.required ? content : undefined));
    if (kept !== undefined) result[name] = kept;
  }
  return result;
}

function isWhole(value: unknown): boolean {
  return value !== undefined && !(Array.isArray(value) && value.includes(null));
}

/**
 * Reduces each value of an element to its summary. Returns undefined if nothing is left, because STU3 forbids empty objects and empty
 * arrays.
 */
function summaryOfEach(content: unknown, { type }: ElementDefinition): unknown {
  const definition = definitionOf(type);
  if (!definition) return content;
  const one = (value: unknown) => summaryOf(value as Json, definition);
  const filled = (value: Json) => Object.keys(value).length > 0;
  const kept = [content].flat().map(one).filter(filled);
  if (kept.length === 0) return undefined;
  return Array.isArray(content) ? kept : kept[0];
}
