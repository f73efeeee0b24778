// Keeps one version of each FHIR resource of a bucket: the latest by `meta.lastUpdated`, or else the one that was read first. In
// `passes/map-people.ts` and `passes/map-structures.ts`, the kept version replaces the resource that is made from registers for the same
// id.

import { isDeepStrictEqual } from 'node:util';
import type { Warn } from '#import/collect/warnings.ts';
import { type DirectoryResource, withoutMeta } from './index-entries.ts';

/** A resource of a bucket, with the file and line from which it came. */
export interface SpilledResource {
  file: number;
  line: number;
  text: string;
}

interface Version extends SpilledResource {
  resource: DirectoryResource;
}

/**
 * Returns the resources by `Type/id`, without the elements that the directory does not keep (`withoutMeta`). Warns of each resource that
 * has several versions.
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

function isBetter(one: Version, other: Version): boolean {
  const [updated, otherUpdated] = [updatedAt(one), updatedAt(other)];
  if (updated !== otherUpdated) return updated > otherUpdated;
  return one.file !== other.file ? one.file < other.file : one.line < other.line;
}

/**
 * Returns `meta.lastUpdated` in milliseconds. A resource without it is treated as older than all others. `meta` was not validated, so an
 * unreadable value is treated as absent.
 */
function updatedAt({ resource }: Version): number {
  const lastUpdated: unknown = resource.meta?.lastUpdated;
  const time = typeof lastUpdated === 'string' ? Date.parse(lastUpdated) : Number.NaN;
  return Number.isNaN(time) ? Number.NEGATIVE_INFINITY : time;
}

/** Tells whether two versions have the same content. `meta`, narrative and the order of members make no difference. */
function same(one: Version, other: Version): boolean {
  return isDeepStrictEqual(withoutMeta(one.resource), withoutMeta(other.resource));
}
