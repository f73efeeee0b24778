// The files of an export and their names. A name says everything about its file. So any process that has the snapshot can serve the file,
// and nothing is stored for an export. `chunks.ts` makes the content of the files, removed resources included.

import { RESOURCE_TYPES, type Snapshot } from '#search-index/index.ts';
import { changedSince, type ExportFile, isAnyGone, type OwnTurn } from './chunks.ts';
import type { ExportRequest } from './export-request.ts';

/** An entry of the manifest. */
interface ManifestEntry {
  file: ExportFile;
  /** Number of resources in the file; undefined if it is not known. */
  count?: number;
}

/** Lists the files of an export. Each has about `most` resources or fewer. Files without content are left out. */
export async function filesOf(
  snapshot: Snapshot,
  { types, since }: ExportRequest,
  most: number,
  ownTurn: OwnTurn,
): Promise<ManifestEntry[]> {
  const counts = await snapshot.counts();
  const entries: ManifestEntry[] = [];
  const isWhole = snapshot.state === undefined;
  for (const type of types) {
    const positions = counts[type];
    if (since === undefined) {
      for (let from = 0; from < positions; from += most) {
        const to = Math.min(from + most, positions);
        entries.push({ file: { type, from, to, gone: false }, ...(isWhole && { count: to - from }) });
      }
      continue;
    }
    const { total = 0 } = await snapshot.search({ type, clauses: [changedSince(since)], limit: 0, total: true });
    // Changed resources may be at any position, so each file gets an equal stretch of positions.
    const files = Math.ceil(total / most);
    for (let number = 0; number < files; number++) {
      const [from, to] = [number, number + 1].map((edge) => Math.round((positions * edge) / files)) as [number, number];
      if (files > 1 && !(await isAnyChanged(snapshot, { type, from, to, since }))) continue;
      entries.push({ file: { type, from, to, gone: false, since }, ...(files === 1 ? { count: total } : {}) });
    }
    if (await isAnyGone({ open: async () => snapshot, ownTurn }, type, since))
      entries.push({ file: { type, from: 0, to: 0, gone: true, since } });
  }
  return entries;
}

async function isAnyChanged(
  snapshot: Snapshot,
  { type, from, to, since }: Pick<ExportFile, 'type' | 'from' | 'to'> & { since: number },
): Promise<boolean> {
  const query = { type, clauses: [changedSince(since)], limit: 1, total: false };
  const { matches } = await snapshot.search({ ...query, ...(from === 0 ? {} : { after: from - 1 }) });
  return matches[0] !== undefined && matches[0].position < to;
}

/**
 * Makes the name of a file, the last segment of its address. Clients store files by name. So a file of changes must have another name than
 * a file of everything, and another name than the changes since another time.
 */
export function fileName({ type, from, to, gone, since }: ExportFile): string {
  const range = `${String(from).padStart(7, '0')}-${String(to).padStart(7, '0')}`;
  if (since === undefined) return `${type}-${range}.ndjson`;
  const time = new Date(since).toISOString().replace(/[-:.]/g, '');
  return `${type}-${gone ? `deleted-${time}` : `changed-${time}-${range}`}.ndjson`;
}

const NAME = /^([A-Za-z]+)-(?:(?:changed-(\d{8}T\d{9}Z)-)?(\d{1,10})-(\d{1,10})|deleted-(\d{8}T\d{9}Z))\.ndjson$/;

/** Parses the name of a file; undefined if no file has such a name. */
export function parseFileName(name: string): ExportFile | undefined {
  const [, named, changed, from, to, deleted] = NAME.exec(name) ?? [];
  const type = RESOURCE_TYPES.find((one) => one === named);
  if (!type) return undefined;
  const time = changed ?? deleted;
  const since = time === undefined ? undefined : instantOf(time);
  if (Number.isNaN(since)) return undefined;
  const positions = { from: Number(from ?? 0), to: Number(to ?? 0) };
  return { type, ...positions, gone: deleted !== undefined, ...(since === undefined ? {} : { since }) };
}

/** Converts a time of the form `20261120T050000001Z` to milliseconds since 1970; NaN if there is no such day or time. */
function instantOf(time: string): number {
  return Date.parse(time.replace(/^(....)(..)(..T..)(..)(..)(...)Z$/, '$1-$2-$3:$4:$5.$6Z'));
}
