// Version and date of each resource of a new snapshot, by comparison with the snapshot before, and what is gone since.

import { TABLE_OF } from '#search-index/file-layout.ts';
import type { SnapshotFile } from '#search-index/read/reader.ts';
import type { GoneRow } from '#search-index/read/type-reader.ts';
import type { ChangeSamples, ResourceType, SnapshotSummary } from '#search-index/snapshot.ts';
import { decodeText } from '#search-index/text-dictionary.ts';
import { createChangeSamples } from './change-samples.ts';

interface VersionOptions {
  /** Milliseconds since 1970: `meta.lastUpdated` of what is new or changed. */
  created: number;
  /** `meta.versionId` of a resource that is not known from before, and the least of one that is new or changed. */
  firstVersion: number;
  /** Texts of the new snapshot, which begin with those of the one before. */
  newTexts: readonly string[];
}

/** Versions and dates of the resources of one type. */
export interface Versions {
  /** @param body the encoded text */
  of(id: Uint8Array, body: Uint8Array): Stamp;
  /** The resources that the snapshot lists as gone. */
  gone(): Iterable<GoneRow>;
  changes(): SnapshotSummary['changes'][ResourceType];
  /** The samples; complete once `gone` was read to its end. */
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

/** Decides version and date of each resource by comparing it with the snapshot before. */
export function trackVersions(
  previous: SnapshotFile | undefined,
  type: ResourceType,
  options: VersionOptions,
): Versions {
  const { created, firstVersion, newTexts } = options;
  const reader = previous?.types[type];
  // Rows are read as bytes: most resources are unchanged, and to make strings of them would cost more than to compare them.
  const rowOf = previous?.database.prepare<[number], Row>(
    `select cast(id as blob) as id, version, updated, cast(body as blob) as body from ${TABLE_OF[type]} where ordinal = ?`,
  );
  // Most are the same and come where they are expected: compared by SQLite, no copy of them is made here.
  const sameRow = previous?.database.prepare<[number, Uint8Array, Uint8Array], Stamp>(
    `select version, updated from ${TABLE_OF[type]} where ordinal = ? and id = cast(? as text) and body = cast(? as text)`,
  );
  const seen = new Uint8Array(reader?.count ?? 0);
  /** Ids that had been gone and came back. */
  const returned = new Set<string>();
  const changes = { added: 0, changed: 0, unchanged: 0, removed: 0 };
  const decoder = new TextDecoder();
  const sampler = createChangeSamples();
  // Editions come in nearly the same order, so the next resource mostly follows the one before.
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
