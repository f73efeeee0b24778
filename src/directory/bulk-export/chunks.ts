// Makes the files of an export chunk by chunk. A chunk takes a search thread one or two milliseconds. In each turn of the event loop only
// one chunk is made for all exports together, so that other requests are hardly delayed.

import type { Clause, ResourceType, Snapshot } from '#search-index/index.ts';

/** Number of resources in a chunk, and number of removed ids that are read for a chunk of deletions. */
const RESOURCES = 200;
const GONE = 1000;

/** The content of one file. */
export interface ExportFile {
  type: ResourceType;
  /**
   * The file holds the resources from position `from` up to, but without, `to`. If `gone` is true, it holds the removed resources instead.
   */
  from: number;
  to: number;
  gone: boolean;
  /** See `ExportRequest.since`. */
  since?: number;
}

export interface Chunk {
  /** Passed to `chunksOf` as `from`, it makes this chunk again. Removed resources always begin anew, at 0. */
  at: number;
  /** Complete lines of NDJSON. */
  text: string;
}

/** Waits for a turn of the event loop in which no other export makes a chunk. */
export type OwnTurn = () => Promise<unknown>;

/** Makes the function by which all exports of one directory wait for their turns. */
export function createTurns(): OwnTurn {
  let last: Promise<unknown> = Promise.resolve();
  return () => {
    last = last.then(() => new Promise((resolve) => setImmediate(resolve)));
    return last;
  };
}

/** The source from which chunks are made. */
interface ChunkSource {
  /** Returns the snapshot. It is called for each chunk: each call keeps the snapshot open, even if the client takes hours for the file. */
  open(): Promise<Snapshot>;
  ownTurn: OwnTurn;
}

/** The criterion that finds resources that were added or changed after `since`. */
export function changedSince(since: number): Clause {
  return { field: '_lastUpdated', match: 'range', anyOf: [{ from: since + 1 }] };
}

/** Makes the chunks of a file, beginning at the position `from`. */
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

/** Makes Bundles of type transaction with one DELETE for each removed resource (Bulk Data Access, `deleted`). */
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
