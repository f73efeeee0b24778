// The snapshot that every search test runs on: the search index in the threads of the service. Random searches of it are compared with the plain
// scan (`directory/search/fuzz.property.test.ts`).

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CHECKS_MODULE } from '#directory/search/resource-checks.ts';
import type { IndexedResource, Snapshot } from '#search-index/snapshot.ts';
import { startSearchThreads } from '#search-index/threads/search-threads.ts';
import { createSnapshotWriter } from '#search-index/write/writer.ts';
import { SCANNED_AT } from './scan-snapshot.ts';

let opened = 0;

/** Makes a snapshot of the resources; closing it removes it. */
export async function openIndex(resources: readonly IndexedResource[]): Promise<Snapshot> {
  const folder = mkdtempSync(join(tmpdir(), 'hygie-directory-'));
  const writer = createSnapshotWriter({ folder, id: `index-${++opened}`, created: new Date(SCANNED_AT) });
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
