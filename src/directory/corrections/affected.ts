// Finds the resources of a snapshot that corrections affect, and removes what the corrections hide: contacts, addresses, or the whole
// resource. Each resource is returned in two forms, as the snapshot has it and as the directory serves it. Corrections can only hide data.
// They cannot add or alter any.

import {
  contactKey,
  type IndexedResource,
  nationalNumber,
  type ResourceType,
  referenceKey,
  type Snapshot,
  type StoredResource,
  tokenize,
} from '#search-index/index.ts';
import type { Correction } from '#store/snapshots/corrections.ts';
import { type SearchedResource, searched } from './matches.ts';

/** Makes the index entries of a resource. The import uses the same function. */
export type IndexEntries = (resource: { resourceType: ResourceType; id: string }) => IndexedResource['index'];

/** A resource in which corrections hide something now, or have hidden something until they ended. */
export interface Affected {
  id: string;
  /** The resource as the snapshot has it. */
  before: SearchedResource;
  /** The resource as the directory serves it. Undefined if a correction hides the whole resource. */
  after: SearchedResource | undefined;
  /** FHIR instant of the last change. It may be a change of the resource itself, or the beginning or end of a correction. */
  changed: string;
}

type AffectedResources = Record<ResourceType, ReadonlyMap<string, Affected>>;

/**
 * The `limit` of the search for affected resources. It must find all of them, so the limit is far above their number: at most a thousand
 * corrections are in force, ended corrections are deleted after a time, and a person has few roles.
 */
const MOST = 1_000_000;

/** Finds the resources of a snapshot that corrections affect. A correction of a person also affects the person's roles. */
export async function affectedIn(
  raw: Pick<Snapshot, 'search'>,
  corrections: readonly Correction[],
  index: IndexEntries,
): Promise<AffectedResources> {
  const byRecord = Map.groupBy(corrections, ({ record }) => record);
  const affected = async (type: ResourceType, field: string, anyOf: readonly string[]) => {
    const clauses = [{ field, match: 'exact' as const, anyOf }];
    const { matches } = await raw.search({ type, clauses, limit: anyOf.length && MOST, total: false });
    const found = matches.map((stored) => {
      const resource = JSON.parse(stored.json);
      const entries = index(resource);
      const records = type === 'PractitionerRole' ? entries['practitioner'] : [referenceKey(type, stored.id)];
      const all = (records ?? []).flatMap((record) => byRecord.get(record) ?? []);
      return affectedBy(type, all, searched(type, stored, entries), index);
    });
    return new Map(found.filter((one) => one !== undefined).map((one) => [one.id, one]));
  };
  const of = (type: ResourceType) => [...byRecord.keys()].filter((record) => record.startsWith(`${type}/`));
  const idsOf = (type: ResourceType) => of(type).map((record) => record.slice(type.length + 1));
  const [Practitioner, Organization, PractitionerRole] = await Promise.all([
    affected('Practitioner', 'id', idsOf('Practitioner')),
    affected('Organization', 'id', idsOf('Organization')),
    affected('PractitionerRole', 'practitioner', of('Practitioner')),
  ]);
  return { Practitioner, Organization, PractitionerRole };
}

/**
 * Applies the corrections to one resource. Returns undefined if they change nothing in it. The resource gets a new version when a
 * correction begins and when it ends, so that clients notice that their copies are out of date.
 */
function affectedBy(
  type: ResourceType,
  corrections: readonly Correction[],
  before: SearchedResource,
  index: IndexEntries,
): Affected | undefined {
  const { id, json, versionId: version, lastUpdated } = before.stored;
  // A correction that ended before the register last changed the resource is left out, because that change has already given the resource a
  // new version.
  const touching = corrections.filter(
    (one) => !(one.endedAt && one.endedAt.toISOString() <= lastUpdated) && hidesSomething(json, one),
  );
  if (touching.length === 0) return undefined;
  const over = touching.filter(({ endedAt }) => endedAt);
  const times = touching.flatMap(({ madeAt, endedAt = madeAt }) => [madeAt.toISOString(), endedAt.toISOString()]);
  const changed = [lastUpdated, ...times].sort().at(-1) as string;
  const inForce = touching.filter(({ endedAt }) => !endedAt);
  const left = withoutHidden(json, inForce);
  if (left === undefined) return { id, before, after: undefined, changed };
  const resource = JSON.parse(left);
  // The version contains the highest id of the corrections and the number of those that have ended. So it changes when a correction begins
  // and when it ends. No id is ever used again, so no version is used twice, even after the clean-up has deleted old corrections.
  const versionId = `${version}.${Math.max(...touching.map(({ id: made }) => made))}.${over.length}`;
  resource.meta = { ...resource.meta, versionId, lastUpdated: changed };
  const stored: StoredResource = { ...before.stored, versionId, lastUpdated: changed, json: JSON.stringify(resource) };
  return { id, before, after: searched(type, stored, index(resource)), changed };
}

/**
 * Converts a mailbox, telephone or address to the form in which corrections store it. A correction recognizes it by this form, even if a
 * later edition writes it in a slightly different way.
 */
export function correctionKey(what: Correction['what'], text: string): string {
  if (what === 'address') return tokenize(text).join(' ');
  return (what === 'phone' && nationalNumber(text)) || contactKey(text);
}

type Hiding = Pick<Correction, 'what' | 'value'>;

interface Part {
  system?: string;
  value?: string;
}

/**
 * Removes the parts that the corrections hide from a resource, which is given as JSON. Returns undefined if they hide the whole resource.
 */
export function withoutHidden(json: string, corrections: readonly Hiding[]): string | undefined {
  if (corrections.some(({ what }) => what === 'record')) return undefined;
  // `JSON.parse` calls this function at every depth, so contacts of the persons in an Organization are removed too.
  const shown = (key: string, value: Part | Part[]): unknown => {
    const isHidden = { telecom: hidesContact, address: hidesAddress, contact: isEmpty }[key];
    if (!isHidden) return value;
    const left = [value].flat().filter((part) => !corrections.some((one) => isHidden(one, part)));
    if (left.length === 0) return undefined;
    return Array.isArray(value) ? left : value;
  };
  return JSON.stringify(JSON.parse(json, shown));
}

function hidesContact({ what, value: hidden }: Hiding, { system, value = '' }: Part): boolean {
  const kind = system === 'email' || value.includes('@') ? 'mailbox' : 'phone';
  if (kind !== what || system === 'url') return false;
  return hidden === undefined || correctionKey(kind, value) === hidden;
}

/** Checks whether a correction hides an address. It does if the address has all words of the correction's value, as in a search. */
function hidesAddress({ what, value: hidden = '' }: Hiding, address: object): boolean {
  if (what !== 'address') return false;
  const words = tokenize(Object.values(address).flat().join(' '));
  return hidden.split(' ').every((word) => word === '' || words.includes(word));
}

const isEmpty = (_: Hiding, part: object) => Object.keys(part).length === 0;

/** Checks whether a correction hides any part of a resource. `json` is the resource. */
export function hidesSomething(json: string, correction: Hiding): boolean {
  return withoutHidden(json, [correction]) !== withoutHidden(json, []);
}
