// The files of an export, with their names and their content. The name of a file says which resources it holds. So any process that has the
// snapshot can serve the file, and nothing is stored for an export. The content is made chunk by chunk. A chunk takes a search thread one
// or two milliseconds. In each turn of the event loop, only one chunk is made for all exports together, so that other requests are hardly
// delayed.

import { type Clause, RESOURCE_TYPES, type ResourceType, type Snapshot } from '#search-index/index.ts';
import type { ExportRequest } from './export-request.ts';

/** A file as the manifest lists it. */
interface ManifestEntry {
  file: ExportFile;
  /** Number of resources in the file. Absent if the number is not known. */
  count?: number;
}

/** Lists the files of an export. Each has about `most` resources, or fewer. A file that would be empty is left out. */
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
    // The changed resources may be anywhere in the alphabetical order of the type. So this order is divided into equal ranges of positions,
    // one range for each file.
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
 * Returns the name of a file, which is the last segment of its address. Clients store files under these names. So a file of changes must
 * not have the same name as a file of all resources, nor as a file of the changes since another time.
 */
export function fileName({ type, from, to, gone, since }: ExportFile): string {
  const range = `${String(from).padStart(7, '0')}-${String(to).padStart(7, '0')}`;
  if (since === undefined) return `${type}-${range}.ndjson`;
  const time = new Date(since).toISOString().replace(/[-:.]/g, '');
  return `${type}-${gone ? `deleted-${time}` : `changed-${time}-${range}`}.ndjson`;
}

const NAME = /^([A-Za-z]+)-(?:(?:changed-(\d{8}T\d{9}Z)-)?(\d{1,10})-(\d{1,10})|deleted-(\d{8}T\d{9}Z))\.ndjson$/;

/** Parses the name of a file. Returns undefined if it is not such a name. */
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

/** Converts a time such as `20261120T050000001Z` to milliseconds since 1970. Returns NaN if there is no such day or time. */
function instantOf(time: string): number {
  return Date.parse(time.replace(/^(....)(..)(..T..)(..)(..)(...)Z$/, '$1-$2-$3:$4:$5.$6Z'));
}

/** Number of resources in a chunk (`RESOURCES`), and number of removed resources for a chunk of deletions (`GONE`). */
const RESOURCES = 200;
const GONE = 1000;

/** The resources that a file holds. */
export interface ExportFile {
  type: ResourceType;
  /**
   * The file holds the resources with positions (`StoredResource.position`) from `from` up to, but without, `to`. If `gone` is true, it
   * holds the removed resources of the type instead.
   */
  from: number;
  to: number;
  gone: boolean;
  /** Milliseconds since 1970, as in `ExportRequest.since`. Absent if the file holds all resources, and not only changes. */
  since?: number;
}

export interface Chunk {
  /**
   * The position (`StoredResource.position`) at which the chunk begins: with this position as `from`, `chunksOf` makes this chunk first.
   * For removed resources, the position is always 0, because they are always read from the beginning.
   */
  at: number;
  /** Complete lines of NDJSON. */
  text: string;
}

/** Waits for a turn of the event loop in which no other export makes a chunk. */
export type OwnTurn = () => Promise<unknown>;

/** Makes the function with which all exports of one directory wait for their turns. */
export function createTurns(): OwnTurn {
  let last: Promise<unknown> = Promise.resolve();
  return () => {
    last = last.then(() => new Promise((resolve) => setImmediate(resolve)));
    return last;
  };
}

/** The snapshot from which chunks are made, and the turns of the event loop in which they are made. */
interface ChunkSource {
  /**
   * Opens the snapshot. It is called again for each chunk, because an unused snapshot is closed, and a client may take hours for a file.
   */
  open(): Promise<Snapshot>;
  ownTurn: OwnTurn;
}

/** Makes the clause that finds resources that were added or changed after `since`. */
export function changedSince(since: number): Clause {
  return { field: '_lastUpdated', match: 'range', anyOf: [{ from: since + 1 }] };
}

/** Makes the chunks of a file. `from` is the `Chunk.at` of the chunk to begin with. */
export function chunksOf(file: ExportFile, source: ChunkSource, from = file.from): AsyncGenerator<Chunk> {
  if (file.since === undefined) return all(file, source, from);
  return file.gone ? deletions(file.type, file.since, source) : changes(file, file.since, source, from);
}

async function* all({ type, to }: ExportFile, { open, ownTurn }: ChunkSource, from: number): AsyncGenerator<Chunk> {
  for (let at = from; at < to; at += RESOURCES) {
    await ownTurn();
    const snapshot = await open();
    yield { at, text: await snapshot.scan(type, { from: at, to: Math.min(at + RESOURCES, to) }) };
  }
}

async function* changes(
  { type, to }: ExportFile,
  since: number,
  { open, ownTurn }: ChunkSource,
  from: number,
): AsyncGenerator<Chunk> {
  const query = { type, clauses: [changedSince(since)], limit: RESOURCES, total: false };
  for (let at = from, more = true; more && at < to; ) {
    await ownTurn();
    const snapshot = await open();
    const page = await snapshot.search({ ...query, ...(at === 0 ? {} : { after: at - 1 }) });
    const last = page.matches.at(-1);
    const matches = page.matches.filter(({ position }) => position < to);
    if (matches.length > 0) yield { at, text: matches.map(({ json }) => `${json}\n`).join('') };
    more = page.more && last !== undefined;
    at = (last?.position ?? to) + 1;
  }
}

/**
 * Makes one Bundle of type transaction in each chunk. It has a DELETE for each resource that was removed after `since` (Bulk Data Access,
 * `deleted`).
 */
async function* deletions(type: ResourceType, since: number, { open, ownTurn }: ChunkSource): AsyncGenerator<Chunk> {
  for (let after = '', more = true; more; ) {
    await ownTurn();
    const snapshot = await open();
    const gone = await snapshot.listGone(type, { after, limit: GONE });
    const entry = gone
      .filter(({ goneSince }) => Date.parse(goneSince) > since)
      .map(({ id }) => ({ request: { method: 'DELETE', url: `${type}/${id}` } }));
    const text = `${JSON.stringify({ resourceType: 'Bundle', type: 'transaction', entry })}\n`;
    if (entry.length > 0) yield { at: 0, text };
    more = gone.length === GONE;
    after = gone.at(-1)?.id ?? '';
  }
}

/** Checks whether any resource of the type was removed after `since`. */
export async function isAnyGone(source: ChunkSource, type: ResourceType, since: number): Promise<boolean> {
  for await (const _ of deletions(type, since, source)) return true;
  return false;
}
