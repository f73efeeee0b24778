// Keeps each FHIR resource of a bucket once: the latest by `meta.lastUpdated`, else the one that was read first.

import type { Warn } from '../publish/report.ts';
import type { CheckedResource } from './validate.ts';

/** A resource as it waited in its bucket. `file` and `line`: where it came from. */
export interface SpilledResource {
  file: number;
  line: number;
  text: string;
}

interface Given extends SpilledResource {
  resource: CheckedResource;
}

/**
 * The resources by `Type/id`. Of several with the same one the latest by `meta.lastUpdated` is kept, else the one that
 * was read first; the others are warned of.
 */
export function deduplicateResources(waiting: readonly SpilledResource[], warn: Warn): Map<string, CheckedResource> {
  const given = new Map<string, Given>();
  for (const one of waiting) {
    const resource = JSON.parse(one.text) as CheckedResource;
    const key = `${resource.resourceType}/${resource.id}`;
    const rival = given.get(key);
    if (rival) warn(same(resource, rival.resource) ? 'repeated-resource' : 'conflicting-resource', key);
    if (!rival || isBetter({ ...one, resource }, rival)) given.set(key, { ...one, resource });
  }
  return new Map([...given].map(([key, { resource }]) => [key, resource]));
}

function isBetter(one: Given, other: Given): boolean {
  const [updated, otherUpdated] = [one, other].map(({ resource }) => updatedAt(resource)) as [number, number];
  if (updated !== otherUpdated) return updated > otherUpdated;
  return one.file !== other.file ? one.file < other.file : one.line < other.line;
}

/** Milliseconds; before everything where it is not said. */
function updatedAt({ meta }: CheckedResource): number {
  const { lastUpdated } = (meta ?? {}) as { lastUpdated?: unknown };
  const said = typeof lastUpdated === 'string' ? Date.parse(lastUpdated) : Number.NaN;
  return Number.isNaN(said) ? Number.NEGATIVE_INFINITY : said;
}

function same(one: CheckedResource, other: CheckedResource): boolean {
  const [first, second] = [one, other].map(({ meta: _meta, text: _text, ...rest }) => canonical(rest));
  return first === second;
}

/** JSON text that does not depend on the order of names. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_name, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
