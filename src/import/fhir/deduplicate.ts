// Keeps each FHIR resource of a bucket once: the latest by `meta.lastUpdated`, else the one that was read first.

import { isDeepStrictEqual } from 'node:util';
import type { Warn } from '#import/collect/warnings.ts';
import type { DirectoryResource } from './index-entries.ts';

/** A resource as it comes from its bucket. `file` and `line`: where it came from. */
export interface SpilledResource {
  file: number;
  line: number;
  text: string;
}

interface Version extends SpilledResource {
  resource: DirectoryResource;
}

/**
 * The resources by `Type/id`, as the directory keeps them: without `meta`, which the snapshot gives, and without
 * narrative. Further versions of a resource are warned of.
 */
export function deduplicateResources(spilled: readonly SpilledResource[], warn: Warn): Map<string, DirectoryResource> {
  const kept = new Map<string, Version>();
  for (const one of spilled) {
    const version = { ...one, resource: JSON.parse(one.text) as DirectoryResource };
    const key = `${version.resource.resourceType}/${version.resource.id}`;
    const other = kept.get(key);
    if (other) warn(same(version, other) ? 'repeated-resource' : 'conflicting-resource', key);
    if (!other || isBetter(version, other)) kept.set(key, version);
  }
  return new Map([...kept].map(([key, { resource }]) => [key, withoutMeta(resource)]));
}

function withoutMeta({ meta: _meta, text: _text, ...resource }: DirectoryResource): DirectoryResource {
  return resource as DirectoryResource;
}

function isBetter(one: Version, other: Version): boolean {
  const [updated, otherUpdated] = [updatedAt(one), updatedAt(other)];
  if (updated !== otherUpdated) return updated > otherUpdated;
  return one.file !== other.file ? one.file < other.file : one.line < other.line;
}

/** Milliseconds; before everything where the resource does not have it. `meta` is not validated. */
function updatedAt({ resource }: Version): number {
  const lastUpdated: unknown = resource.meta?.lastUpdated;
  const time = typeof lastUpdated === 'string' ? Date.parse(lastUpdated) : Number.NaN;
  return Number.isNaN(time) ? Number.NEGATIVE_INFINITY : time;
}

/** Whatever the order of their members. */
function same(one: Version, other: Version): boolean {
  return isDeepStrictEqual(withoutMeta(one.resource), withoutMeta(other.resource));
}
