// Gives each resource of a new snapshot its version and date, by comparing it with the previous snapshot. Also collects examples of
// changes, and finds the removed resources.

import { TABLE_OF } from '#search-index/file-layout.ts';
import type { GoneRow, PreviousFile } from '#search-index/read/stored-resources.ts';
import type { ResourceType } from '#search-index/snapshot.ts';
import type { ChangeSamples, SnapshotSummary } from '#search-index/snapshot-writer.ts';
import { decodeText } from '#search-index/text-dictionary.ts';

interface VersionOptions {
  /** `meta.lastUpdated` of new or changed resources, in milliseconds since 1970. */
  created: number;
  /** `meta.versionId` of a resource without an earlier version. A new or changed resource never gets a lower one. */
  firstVersion: number;
  /** Texts of the new snapshot. They begin with the texts of the previous one. */
  newTexts: readonly string[];
}

/** Versions and dates of the resources of one type. */
export interface Versions {
  /**
   * Gives the version and date of a resource.
   * @param body the encoded text
   */
  of(id: Uint8Array, body: Uint8Array): Stamp;
  /** Yields the resources that the new snapshot lists as removed. */
  gone(): Iterable<GoneRow>;
  changes(): SnapshotSummary['changes'][ResourceType];
  /** The examples of changes. They are complete only after `gone` was read to its end, because reading it finds the removed resources. */
  samples(): ChangeSamples;
}

interface Stamp {
  version: number;
  /** Milliseconds since 1970. */
  updated: number;
}

interface Row extends Stamp {
  id: Buffer;
  body: Buffer;
}

/** Makes the object that compares the resources of a type with the previous snapshot. */
export function trackVersions(
  previous: PreviousFile | undefined,
  type: ResourceType,
  options: VersionOptions,
): Versions {
  const { created, firstVersion, newTexts } = options;
  const reader = previous?.types[type];
  // Rows are read as bytes, because most resources are unchanged, and making strings of them would take longer than comparing them.
  const rowOf = previous?.database.prepare<[number], Row>(
    `select cast(id as blob) as id, version, updated, cast(body as blob) as body from ${TABLE_OF[type]} where ordinal = ?`,
  );
  // Lets SQLite compare a resource, so that its row need not be copied. This suffices for most resources, because they are unchanged and
  // come in the expected order.
  const sameRow = previous?.database.prepare<[number, Uint8Array, Uint8Array], Stamp>(
    `select version, updated from ${TABLE_OF[type]} where ordinal = ? and id = cast(? as text) and body = cast(? as text)`,
  );
  const seen = new Uint8Array(reader?.count ?? 0);
  /** Ids that were removed earlier and have come back. */
  const returned = new Set<string>();
  const changes = { added: 0, changed: 0, unchanged: 0, removed: 0 };
  const decoder = new TextDecoder();
  const sampler = createChangeSamples();
  // The ordinal in the previous snapshot at which the next resource is expected. It is usually the one after the resource that was compared
  // before, because the order of resources changes little between editions.
  let expected = 0;

  const rowBefore = (id: Uint8Array): Row | undefined => {
    if (reader === undefined || rowOf === undefined) return undefined;
    const next = expected < reader.count ? rowOf.get(expected) : undefined;
    if (next && Buffer.compare(next.id, id) === 0) return next;
    const position = reader.find(decoder.decode(id));
    if (position === undefined) return undefined;
    expected = reader.ordinalAt(position);
    return rowOf.get(expected);
  };

  const textBefore = (body: Uint8Array) => decodeText(decoder.decode(body), reader?.texts ?? []);
  const textNow = (body: Uint8Array) => decodeText(decoder.decode(body), newTexts);
  const same = (before: Uint8Array, now: Uint8Array): boolean =>
    Buffer.compare(before, now) === 0 || textBefore(before) === textNow(now);

  return {
    of(id: Uint8Array, body: Uint8Array): Stamp {
      const unchanged = expected < seen.length ? sameRow?.get(expected, id, body) : undefined;
      if (unchanged) {
        seen[expected++] = 1;
        changes.unchanged++;
        return unchanged;
      }
      const row = rowBefore(id);
      if (row === undefined) {
        changes.added++;
        if (sampler.wantsAdded()) sampler.added(decoder.decode(id));
        const gone = reader?.gone(decoder.decode(id));
        if (gone) returned.add(decoder.decode(id));
        return { version: Math.max(firstVersion, (gone?.version ?? 0) + 1), updated: created };
      }
      seen[expected++] = 1;
      if (same(row.body, body)) {
        changes.unchanged++;
        return row;
      }
      changes.changed++;
      if (sampler.wantsChanged()) sampler.changed(decoder.decode(id), textBefore(row.body), textNow(body));
      return { version: Math.max(firstVersion, row.version + 1), updated: created };
    },
    *gone() {
      for (let ordinal = 0; ordinal < seen.length; ordinal++) {
        const row = seen[ordinal] ? undefined : reader?.rowAt(ordinal);
        if (!row) continue;
        sampler.removed(row.id);
        yield { ...row, since: created };
      }
      const already = previous?.database.prepare<[string], GoneRow>(
        'select id, version, since from gone where type = ?',
      );
      for (const row of already?.iterate(type) ?? []) if (!returned.has(row.id)) yield row;
    },
    changes: () => ({ ...changes, removed: seen.reduce((sum, mark) => sum - mark, seen.length) }),
    samples: () => sampler.samples,
  };
}

const LISTED = 5;
/** The first changed resources, up to this number, are all compared. Of all further ones, only one in 16 is compared. */
const FIRST = 4096;
/** Maximum characters of an element that an example shows. */
const SHOWN = 100;
/** Number of characters that an example shows before the first difference. */
const CONTEXT = 30;

function createChangeSamples() {
  const samples: ChangeSamples = { added: [], removed: [], changed: [], compared: 0, elements: {} };
  let changed = 0;
  return {
    samples,
    added(id: string): void {
      samples.added.push(id);
    },
    /** Checks whether the examples still need the id of an added resource. */
    wantsAdded: (): boolean => samples.added.length < LISTED,
    removed(id: string): void {
      if (samples.removed.length < LISTED) samples.removed.push(id);
    },
    /** Counts one more changed resource, and decides whether it is compared. */
    wantsChanged: (): boolean => ++changed <= FIRST || changed % 16 === 0,
    /** Compares the two texts of a changed resource. Both texts begin after `resourceType` and `id`, as in the file. */
    changed(id: string, before: string, now: string): void {
      const [one, other] = [before, now].map((text): Record<string, unknown> => JSON.parse(`{"id":0${text}`));
      const elements = differing(one ?? {}, other ?? {});
      samples.compared++;
      for (const element of elements) samples.elements[element] = (samples.elements[element] ?? 0) + 1;
      const [first] = elements;
      if (samples.changed.length === LISTED || first === undefined) return;
      samples.changed.push({ id, elements, ...difference(one?.[first], other?.[first]) });
    },
  };
}

function differing(one: Record<string, unknown>, other: Record<string, unknown>): string[] {
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].filter(
    (name) => JSON.stringify(one[name]) !== JSON.stringify(other[name]),
  );
}

/**
 * Returns the values that only one of the two elements has, as a list for people. If both have the same values, for example in another
 * order, returns their JSON.
 */
function difference(one: unknown, other: unknown): { from: string; to: string } {
  const [before, now] = [new Set(valuesIn(one)), new Set(valuesIn(other))];
  const from = [...before].filter((value) => !now.has(value)).join(', ');
  const to = [...now].filter((value) => !before.has(value)).join(', ');
  return from === '' && to === ''
    ? excerpts(JSON.stringify(one) ?? '', JSON.stringify(other) ?? '')
    : excerpts(from, to);
}

/** Lists the strings, numbers and booleans in an element, in their order. */
function valuesIn(element: unknown): string[] {
  if (element === undefined || element === null) return [];
  return typeof element === 'object' ? Object.values(element).flatMap(valuesIn) : [String(element)];
}

/** Cuts two texts to the part that differs and a little context, unless both are short. */
function excerpts(from: string, to: string): { from: string; to: string } {
  if (Math.max(from.length, to.length) <= SHOWN) return { from, to };
  let same = 0;
  while (same < from.length && from[same] === to[same]) same++;
  let alike = 0;
  while (alike < Math.min(from.length, to.length) - same && from.at(-1 - alike) === to.at(-1 - alike)) alike++;
  const start = Math.max(0, same - CONTEXT);
  const shown = (text: string) => {
    const end = Math.min(start + SHOWN, text.length - alike + CONTEXT);
    return `${start > 0 ? '...' : ''}${text.slice(start, end)}${end < text.length ? '...' : ''}`;
  };
  return { from: shown(from), to: shown(to) };
}
