// Owns which files an export consists of, and their addresses, which say everything: any process that has the snapshot
// can answer, and nothing of an export is kept. Does not own the content of a file (`pieces.ts`).

import { RESOURCE_TYPES, type Snapshot } from '../../search-index/index.ts';
import { changedSince, isAnyGone, type Part } from './chunks.ts';
import type { ExportRequest } from './export-request.ts';

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

/**
 * Behind the address of the snapshot's exports. It says all: whoever downloads keeps files by name, so that what changed must
 * never bear the name of a whole file, nor that of what changed since another time.
 */
export function nameOf({ type, from, to, gone, since }: Part): string {
  const range = `${String(from).padStart(7, '0')}-${String(to).padStart(7, '0')}`;
  if (since === undefined) return `${type}-${range}.ndjson`;
  const time = new Date(since).toISOString().replace(/[-:.]/g, '');
  return `${type}-${gone ? `deleted-${time}` : `changed-${time}-${range}`}.ndjson`;
}

const NAME = /^([A-Za-z]+)-(?:(?:changed-(\d{8}T\d{9}Z)-)?(\d{1,10})-(\d{1,10})|deleted-(\d{8}T\d{9}Z))\.ndjson$/;

/** The part of that file name; `undefined` for anything else. */
export function partNamed(name: string): Part | undefined {
  const [, named, changed, from, to, deleted] = NAME.exec(name) ?? [];
  const type = RESOURCE_TYPES.find((one) => one === named);
  if (!type) return undefined;
  const time = changed ?? deleted;
  const since = time === undefined ? undefined : instantOf(time);
  if (Number.isNaN(since)) return undefined;
  const places = { from: Number(from ?? 0), to: Number(to ?? 0) };
  return { type, ...places, gone: deleted !== undefined, ...(since === undefined ? {} : { since }) };
}

/** Milliseconds since 1970 of `20261120T050000001Z`; NaN when there is no such day or time. */
function instantOf(time: string): number {
  return Date.parse(time.replace(/^(....)(..)(..T..)(..)(..)(...)Z$/, '$1-$2-$3:$4:$5.$6Z'));
}
