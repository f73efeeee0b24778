// Owns which files an export consists of, and their addresses, which say everything: any process that has the snapshot
// can answer, and nothing of an export is kept. Does not own the content of a file (`pieces.ts`).

import { RESOURCE_TYPES, type Snapshot } from '../../store/directory/snapshot.ts';
import { changedSince, isAnyGone, type Part } from './pieces.ts';
import type { ExportRequest } from './request.ts';

/** A file in the manifest. */
export interface PartEntry {
  part: Part;
  /** Resources in it, where that is known. */
  count?: number;
}

/** The files of an export with `most` resources each, those without content left out. */
export async function partsOf(snapshot: Snapshot, { types, since }: ExportRequest, most: number): Promise<PartEntry[]> {
  const counts = await snapshot.counts();
  const entries: PartEntry[] = [];
  for (const type of types) {
    const places = counts[type];
    if (since === undefined) {
      for (let from = 0; from < places; from += most) {
        const to = Math.min(from + most, places);
        entries.push({ part: { type, from, to, gone: false }, count: to - from });
      }
      continue;
    }
    const { total = 0 } = await snapshot.search({ type, clauses: [changedSince(since)], limit: 0, total: true });
    // What changed stands anywhere: the places are shared out evenly.
    const parts = Math.ceil(total / most);
    for (let number = 0; number < parts; number++) {
      const [from, to] = [number, number + 1].map((edge) => Math.round((places * edge) / parts)) as [number, number];
      if (parts > 1 && !(await isAnyChanged(snapshot, { type, from, to, since }))) continue;
      entries.push({ part: { type, from, to, gone: false, since }, ...(parts === 1 ? { count: total } : {}) });
    }
    if (await isAnyGone(snapshot, type, since)) entries.push({ part: { type, from: 0, to: 0, gone: true, since } });
  }
  return entries;
}

async function isAnyChanged(
  snapshot: Snapshot,
  { type, from, to, since }: Pick<Part, 'type' | 'from' | 'to'> & { since: number },
): Promise<boolean> {
  const query = { type, clauses: [changedSince(since)], limit: 1, total: false };
  const { matches } = await snapshot.search({ ...query, ...(from === 0 ? {} : { after: from - 1 }) });
  return matches[0] !== undefined && matches[0].position < to;
}

/** Behind the address of the snapshot's exports. */
export function nameOf({ type, from, to, gone, since }: Part): string {
  const range = gone ? 'deleted' : `${String(from).padStart(7, '0')}-${String(to).padStart(7, '0')}`;
  return `${type}-${range}.ndjson${since === undefined ? '' : `?_since=${new Date(since).toISOString()}`}`;
}

const NAME = /^([A-Za-z]+)-(?:(\d{1,10})-(\d{1,10})|deleted)\.ndjson$/;

/** The part of that file name; `undefined` for anything else. */
export function partNamed(name: string, since: number | undefined): Part | undefined {
  const [, named, from, to] = NAME.exec(name) ?? [];
  const type = RESOURCE_TYPES.find((one) => one === named);
  const gone = from === undefined;
  if (!type || (gone && since === undefined)) return undefined;
  const places = { from: Number(from ?? 0), to: Number(to ?? 0) };
  return { type, ...places, gone, ...(since === undefined ? {} : { since }) };
}
