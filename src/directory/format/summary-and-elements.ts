// `_summary` and `_elements`: a part of a resource, by HL7's definitions (STU3 search 3.1.1.5.8 and 3.1.1.5.9).

import { definitionOf, type ElementDefinition, type TypeDefinition } from '../../shared/stu3/elements.ts';
import { fhirError } from '../errors.ts';

/** `_summary` in one of its forms that make resources smaller, or the elements that `_elements` names. */
export type Subset = { summary: 'true' | 'text' | 'data' } | { elements: readonly string[] };

type Json = Record<string, unknown>;

/** Marks that the resource is not whole, so that nobody stores it in place of the whole one. */
const SUBSETTED = {
  system: 'http://hl7.org/fhir/v3/ObservationValue',
  code: 'SUBSETTED',
  display: 'subsetted',
};

/**
 * Checks the subset against the type that is asked for.
 * @param included whether other resources are asked for beside it
 * @throws FhirError 400 naming the elements that the type does not have, and all that it has
 */
export function checkSubset(type: string, subset: Subset, included: boolean): void {
  if (!('elements' in subset)) {
    // STU3 search 3.1.1.5.8: narratives alone would not say what belongs to what.
    if (included && subset.summary === 'text')
      throw fhirError(400, 'value', '_summary=text goes with no _include or _revinclude: leave one of them out.', {
        parameter: '_summary',
      });
    return;
  }
  const names = new Set([...(definitionOf(type)?.elements.values() ?? [])].map(({ base }) => base));
  const unknown = subset.elements.filter((name) => !names.has(name));
  if (unknown.length > 0)
    throw fhirError(
      400,
      'value',
      `${type} has no element ${unknown.join(', ')}: _elements takes ${[...names].join(', ')}.`,
      { parameter: '_elements' },
    );
}

/** What tells the subset from the whole resource and from other subsets, as part of an entity tag. */
export function subsetTag(subset: Subset): string {
  return 'elements' in subset ? `elements+${subset.elements.join('+')}` : `summary+${subset.summary}`;
}

/**
 * The subset of a parsed resource. Of a Bundle, that of each resource in it, except for outcomes; `_elements` does not
 * apply to resources that an `_include` has added.
 */
export function subsetted(resource: Json, subset: Subset): Json {
  if (resource['resourceType'] !== 'Bundle') return subsetOfResource(resource, subset);
  const { entry } = resource as { entry?: { resource?: Json; search?: { mode?: string } }[] };
  if (!entry) return resource;
  const modes = 'elements' in subset ? ['match'] : ['match', 'include'];
  const entries = entry.map((one) =>
    one.resource && modes.includes(one.search?.mode ?? 'match')
      ? { ...one, resource: subsetOfResource(one.resource, subset) }
      : one,
  );
  return { ...resource, entry: entries };
}

function subsetOfResource(resource: Json, subset: Subset): Json {
  const { resourceType, meta, contained } = resource as {
    resourceType: string;
    meta?: { tag?: object[] };
    contained?: unknown;
  };
  const definition = definitionOf(resourceType);
  if (!definition) return resource;
  const kept = isSummary(subset) ? summaryOf(resource, definition) : ofBase(resource, definition, ruleOf(subset));
  // A reference within the resource must find what it names (STU3 references 2.3.0.2).
  if (contained && JSON.stringify(kept).includes('"reference":"#')) kept['contained'] = contained;
  return { resourceType, ...kept, meta: { ...meta, tag: [...(meta?.tag ?? []), SUBSETTED] } };
}

function isSummary(subset: Subset): boolean {
  return 'summary' in subset && subset.summary === 'true';
}

type Rule = (element: ElementDefinition) => boolean;

const ALWAYS = new Set(['id', 'meta']);

/** Which elements of the resource itself are kept, each whole. */
function ruleOf(subset: Subset): Rule {
  if ('elements' in subset)
    return ({ base, required, modifier }) => required || modifier || ALWAYS.has(base) || subset.elements.includes(base);
  if (subset.summary === 'data') return ({ name }) => name !== 'text';
  return ({ name, required }) => required || name === 'text' || ALWAYS.has(name);
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

/** Elements marked as summary at every depth, and those without which the others may not stand. */
function summaryOf(value: Json, { elements }: TypeDefinition): Json {
  const result: Json = {};
  for (const [name, content] of Object.entries(value)) {
    const element = elements.get(name) ?? elements.get(bare(name));
    if (!element || !(element.summary || element.required || element.modifier)) continue;
    // Extensions of a primitive value are no summary, but where there is no value they are the whole content.
    if (element.name !== name && isWhole(value[element.name])) continue;
    // An extension that may change the meaning of all means nothing without its value.
    const whole = element.kind !== 'complex' || element.type === 'Extension';
    const kept = whole ? content : (summaryOfEach(content, element) ?? (element.required ? content : undefined));
    if (kept !== undefined) result[name] = kept;
  }
  return result;
}

function isWhole(value: unknown): boolean {
  return value !== undefined && !(Array.isArray(value) && value.includes(null));
}

/** Nothing where nothing is left: STU3 knows no empty objects and no empty arrays. */
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
