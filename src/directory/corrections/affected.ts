// Finds the resources of a snapshot that corrections affect, and removes from them what corrections hide: contacts, addresses, or the whole
// resource. Each is given as the register has it and as the directory serves it. Nothing is added or altered.

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

/** Makes the index entries of a resource, by the same function as the import. */
export type IndexEntries = (resource: { resourceType: ResourceType; id: string }) => IndexedResource['index'];

/** A resource that corrections change, or changed before they ended. */
export interface Affected {
  id: string;
  /** The resource as the snapshot has it. */
  before: SearchedResource;
  /** The resource as the directory serves it; undefined if a correction hides the whole resource. */
  after: SearchedResource | undefined;
  /** FHIR instant at which the resource, or a correction of it, changed last. */
  changed: string;
}

type AffectedResources = Record<ResourceType, ReadonlyMap<string, Affected>>;

/** Maximum number of resources that are looked up. It is never reached, because even a thousand corrected people have fewer roles. */
const MOST = 1_000_000;

/** Finds the resources of a snapshot that corrections affect. A correction of a person also affects the roles of that person. */
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
 * Applies the corrections to one resource; undefined if they change nothing in it. The resource gets a new version with each correction,
 * and with the end of each, so that clients notice that their copies are out of date.
 */
function affectedBy(
  type: ResourceType,
  corrections: readonly Correction[],
  before: SearchedResource,
  index: IndexEntries,
): Affected | undefined {
  const { id, json, versionId: version, lastUpdated } = before.stored;
  // A correction that ended before the register last changed the resource is left out, because that change already gave the resource a new
  // version number.
  const touching = corrections.filter(
    (one) => !(one.endedAt && one.endedAt.toISOString() <= lastUpdated) && hidesSomething(json, one),
  );
  if (touching.length === 0) return undefined;
  const over = touching.filter(({ endedAt }) => endedAt);
  const times = touching.flatMap(({ madeAt, endedAt = madeAt }) => [madeAt.toISOString(), endedAt.toISOString()]);
  const changed = [lastUpdated, ...times].sort().at(-1) as string;
  const left = withoutHidden(
    json,
    touching.filter(({ endedAt }) => !endedAt),
  );
  if (left === undefined) return { id, before, after: undefined, changed };
  const resource = JSON.parse(left);
  // A version contains the id of the last correction, so that no version is given twice, even after the clean-up has deleted old
  // corrections.
  const versionId = `${version}.${Math.max(...touching.map(({ id: made }) => made))}.${over.length}`;
  resource.meta = { ...resource.meta, versionId, lastUpdated: changed };
  const stored: StoredResource = { ...before.stored, versionId, lastUpdated: changed, json: JSON.stringify(resource) };
  return { id, before, after: searched(type, stored, index(resource)), changed };
}

/** The key by which a correction recognizes a mailbox, telephone or address, even if a later edition writes it a little differently. */
export function correctionKey(what: Correction['what'], text: string): string {
  if (what === 'address') return tokenize(text).join(' ');
  return (what === 'phone' && nationalNumber(text)) || contactKey(text);
}

type Hiding = Pick<Correction, 'what' | 'value'>;

interface Part {
  system?: string;
  value?: string;
}

/** JSON of the resource without the parts that the corrections hide; undefined if they hide the whole resource. */
export function withoutHidden(json: string, corrections: readonly Hiding[]): string | undefined {
  if (corrections.some(({ what }) => what === 'record')) return undefined;
  // `JSON.parse` calls this at every depth, so it also removes contacts of the persons within an Organization.
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

/** Checks whether a correction hides an address: the address must have all words of the key, as in a search. */
function hidesAddress({ what, value: hidden = '' }: Hiding, address: object): boolean {
  if (what !== 'address') return false;
  const words = tokenize(Object.values(address).flat().join(' '));
  return hidden.split(' ').every((word) => word === '' || words.includes(word));
}

const isEmpty = (_: Hiding, part: object) => Object.keys(part).length === 0;

/** Checks whether the correction hides anything of a resource, which is given as JSON. */
export function hidesSomething(json: string, correction: Hiding): boolean {
  return withoutHidden(json, [correction]) !== withoutHidden(json, []);
}
