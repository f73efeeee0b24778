// Owns version and date of each resource of a new snapshot, by comparison with the snapshot before, and what is gone.
// Does not own how resources are stored (`sqlite-builder.ts`).

import type { TypeReader } from './sqlite-reader.ts';
import { unpackText } from './sqlite-texts.ts';

/** The snapshot before, as one type needs it. */
export interface Before {
  reader: TypeReader;
  texts: readonly string[];
  /** Those of the new snapshot, which begin with the same ones. */
  newTexts: readonly string[];
}

/** Decides version and date of each resource by comparing it with the snapshot before. */
export function trackVersions(
  before: Before | undefined,
  { created, firstVersion }: { created: number; firstVersion: number },
) {
  const previous = before?.reader;
  const seen = new Uint8Array(previous?.count ?? 0);
  const returned = new Set<string>();
  const changes = { added: 0, changed: 0, unchanged: 0, removed: 0 };
  const decoder = new TextDecoder();
  return {
    /** Ids that had been gone and came back. */
    returned,
    of(idBytes: Uint8Array, bodyBytes: Uint8Array): { version: number; updated: number } {
      const id = previous && decoder.decode(idBytes);
      const position = id === undefined ? undefined : previous?.find(id);
      if (before === undefined || previous === undefined || id === undefined || position === undefined) {
        changes.added++;
        const gone = id === undefined ? undefined : previous?.gone(id);
        if (gone && id !== undefined) returned.add(id);
        return { version: gone ? gone.version + 1 : firstVersion, updated: created };
      }
      seen[position] = 1;
      const row = previous.rowAt(previous.ordinalAt(position));
      const body = decoder.decode(bodyBytes);
      if (row && (row.body === body || unpackText(row.body, before.texts) === unpackText(body, before.newTexts))) {
        changes.unchanged++;
        return row;
      }
      changes.changed++;
      return { version: (row?.version ?? 0) + 1, updated: created };
    },
    *missing(): Iterable<{ id: string; version: number }> {
      for (let position = 0; position < seen.length; position++) {
        const row = seen[position] ? undefined : previous?.rowAt(previous.ordinalAt(position));
        if (row) yield row;
      }
    },
    changes: () => ({ ...changes, removed: seen.reduce((sum, mark) => sum - mark, seen.length) }),
  };
}
