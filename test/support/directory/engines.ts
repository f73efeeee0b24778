// The kinds of snapshot that every search test runs on: the plain scan, and the search index in the threads of the service.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CHECKS_MODULE } from '#directory/search/resource-checks.ts';
import type { IndexedResource, Snapshot } from '#search-index/snapshot.ts';
import { startSearchThreads } from '#search-index/threads/search-threads.ts';
import { createSnapshotWriter } from '#search-index/write/writer.ts';
import { SCANNED_AT, scanSnapshot } from './scan-snapshot.ts';

export interface Engine {
  name: string;
  /** Makes a snapshot of the resources; closing it removes it. */
  open(resources: readonly IndexedResource[]): Promise<Snapshot>;
}

let opened = 0;

export const ENGINES: readonly Engine[] = [
  { name: 'scan', open: async (resources) => scanSnapshot(`scan-${++opened}`, resources) },
  { name: 'sqlite', open: openSqlite },
];

async function openSqlite(resources: readonly IndexedResource[]): Promise<Snapshot> {
  const folder = mkdtempSync(join(tmpdir(), 'hygie-directory-'));
  const writer = createSnapshotWriter({ folder, id: `sqlite-${++opened}`, created: new Date(SCANNED_AT) });
  for (const resource of resources) await writer.add(resource);
  const { file } = await writer.finish();
  const searches = startSearchThreads({ threads: 1, checks: CHECKS_MODULE });
  const snapshot = await searches.open(join(folder, file));
  return {
    ...snapshot,
    close: async () => {
      await snapshot.close();
      await searches.close();
      rmSync(folder, { recursive: true });
    },
  };
}
