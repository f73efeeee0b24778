// `_summary` and `_elements`: keeps a part of a resource, by HL7's definitions (STU3 search 3.1.1.5.8 and 3.1.1.5.9).

import { fhirError, shownName } from '#directory/errors.ts';
import { definitionOf, type ElementDefinition, type TypeDefinition } from '#shared/stu3/elements.ts';

/** A form of `_summary` that makes resources smaller, or the elements that `_elements` names, some with a type in front. */
export type Subset = { summary: 'true' | 'text' | 'data' } | { elements: readonly string[] };

type Json = Record<string, unknown>;

/** Marks an incomplete resource, so that clients do not store it as the whole one. */
const SUBSETTED = {
  system: 'http://hl7.org/fhir/v3/ObservationValue',
  code: 'SUBSETTED',
  display: 'subsetted',
};

/**
 * Checks the subset against the type of the request.
 * @param included other types in the response
 * @throws FhirError 400 naming the elements that the type does not have, and all that it has
 */
export function checkSubset(type: string, subset: Subset, included: ReadonlySet<string>): void {
  if (!('elements' in subset)) {
    // STU3 search 3.1.1.5.8: narratives alone would not show how included resources belong to matches.
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

/** `resourceType` is not an element, but clients name it (fhirpy, Aidbox). It is always sent. */
export function elementNames(type: string): ReadonlySet<string> {
  return new Set(['resourceType', ...[...(definitionOf(type)?.elements.values() ?? [])].map(({ base }) => base)]);
}

/** The type in front of an element, as in `Organization.name`. */
function typeOf(path: string): string | undefined {
  const dot = path.indexOf('.');
  return dot < 0 ? undefined : path.slice(0, dot);
}

/**
 * The elements of a type that `_elements` names. Names without a type belong to the type of the request (STU3 search 3.1.1.5.9). Names with
 * a type, as in FHIR Bulk Data Access and HAPI, may belong to an included type.
 */
function namedOf(elements: readonly string[], type: string, isRequested: boolean): readonly string[] {
  return elements.flatMap((path) => {
    const of = typeOf(path);
    if (of === undefined) return isRequested ? path : [];
    return of === type ? path.slice(of.length + 1) : [];
  });
}

/** The part of an entity tag that distinguishes a subset from the whole resource and from other subsets. */
export function subsetTag(subset: Subset): string {
  return 'elements' in subset ? `elements+${subset.elements.join('+')}` : `summary+${subset.summary}`;
}

/**
 * The subset of a parsed resource. In a Bundle, every resource except an outcome is reduced. `_elements` applies to included resources only
 * if it names their type.
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
  // A reference within the resource must resolve (STU3 references 2.3.0.2).
  if (contained && JSON.stringify(kept).includes('"reference":"#')) kept['contained'] = contained;
  return { resourceType, ...kept, meta: { ...meta, tag: [...(meta?.tag ?? []), SUBSETTED] } };
}

function isSummary(subset: Subset): boolean {
  return 'summary' in subset && subset.summary === 'true';
}

type Rule = (element: ElementDefinition) => boolean;

const ALWAYS = new Set(['id', 'meta']);
/** Elements that are kept like mandatory ones, because an invariant of the type would fail without them (org-1). */
const OF_INVARIANT: Readonly<Record<string, string>> = { Organization: 'name' };

/** The rule that decides which elements of the resource itself are kept; undefined for a type without an element in `_elements`. */
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

/** The name to which `_name` belongs. */
function bare(name: string): string {
  return name.startsWith('_') ? name.slice(1) : name;
}

/** The elements that are marked as summary at every depth, and those that are mandatory or change the meaning of the others. */
function summaryOf(value: Json, { elements }: TypeDefinition): Json {
  const result: Json = {};
  for (const [name, content] of Object.entries(value)) {
    const element = elements.get(name) ?? elements.get(bare(name));
    if (!element || !(element.summary || element.required || element.modifier)) continue;
    // Extensions of a primitive value are no summary, but where there is no value they are the whole content.
    if (element.name !== name && isWhole(value[element.name])) continue;
    // An extension is kept as a whole, because it means nothing without its value.
    const whole = element.kind !== 'complex' || element.type === 'Extension';
    const kept = whole ? content : (summaryOfEach(content, element) ?? (element.required ? content : undefined));
    if (kept !== undefined) result[name] = kept;
  }
  return result;
}

function isWhole(value: unknown): boolean {
  return value !== undefined && !(Array.isArray(value) && value.includes(null));
}

/** The summary of each value. Undefined if nothing is left, because STU3 knows no empty objects and no empty arrays. */
function summaryOfEach(content: unknown, { type }: ElementDefinition): unknown {
  const definition = definitionOf(type);
  if (!definition) return content;
  const one = (value: unknown) => summaryOf(value as Json, definition);
  const filled = (value: Json) => Object.keys(value).length > 0;
  if (!Array.isArray(content)) {
    const kept = one(content);
    return filled(kept) ? kept : undefined;
  }
  const kept = content.map(one).filter(filled);
  return kept.length > 0 ? kept : undefined;
}
