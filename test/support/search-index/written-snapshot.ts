// Snapshot files of drawn resources, and walks through the pages of a search in them, there and back.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { openSnapshot } from '#search-index/read/reader.ts';
import type { IndexedResource, ResourceChecks, SearchQuery, Snapshot, StoredResource } from '#search-index/snapshot.ts';
import { createSnapshotWriter, type SnapshotWriterOptions } from '#search-index/write/writer.ts';
import { newFolder } from '#support/new-folder.ts';
import { rounds } from '#support/rounds.ts';

type Options = Partial<SnapshotWriterOptions>;

/** Writes a snapshot into a folder of its own. */
export async function written(resources: readonly IndexedResource[], options: Options = {}) {
  const folder = newFolder();
  const writer = createSnapshotWriter({ folder, id: 'drawn', ...options });
  for (const one of resources) await writer.add(one);
  const summary = await writer.finish();
  return { ...summary, path: join(folder, summary.file) };
}

export async function writtenFile(resources: readonly IndexedResource[], options: Options = {}): Promise<string> {
  return (await written(resources, options)).path;
}

/** Writes and opens a snapshot. Its file goes when it is closed, for a property makes many. */
export async function writtenSnapshot(
  resources: readonly IndexedResource[],
  options: Options = {},
  checks: Partial<ResourceChecks> = {},
): Promise<Snapshot & AsyncDisposable> {
  const file = await writtenFile(resources, options);
  const snapshot = await openSnapshot(file, checks);
  const close = async () => {
    await snapshot.close();
    rmSync(file, { force: true });
  };
  return { ...snapshot, close, [Symbol.asyncDispose]: close };
}

/** The ids of all pages, and the totals that they name. Each page is read once more from the one after it. */
export async function walked(
  snapshot: Snapshot,
  asked: Pick<SearchQuery, 'type' | 'clauses' | 'order' | 'exactly'>,
  limit: number,
): Promise<{ ids: string[]; totals: (number | undefined)[] }> {
  const edge = (side: 'after' | 'before', { position, lastUpdated }: StoredResource) => ({
    [side]: position,
    ...(asked.order?.by === 'updated' && { instant: Date.parse(lastUpdated) }),
  });
  const pages: StoredResource[][] = [];
  const totals = new Set<number | undefined>();
  let last: StoredResource | undefined;
  for (const _page of rounds()) {
    const page = await snapshot.search({ ...asked, limit, total: true, ...(last && edge('after', last)) });
    pages.push(page.matches);
    totals.add(page.total);
    last = page.matches.at(-1);
    if (!page.more) break;
  }
  for (let at = pages.length - 1; at > 0; at--) {
    const [first] = pages[at] as [StoredResource];
    const back = await snapshot.search({ ...asked, limit, total: false, ...edge('before', first) });
    expect(back).toEqual({ matches: pages[at - 1], more: at > 1 });
  }
  return { ids: pages.flat().map(({ id }) => id), totals: [...totals] };
}
