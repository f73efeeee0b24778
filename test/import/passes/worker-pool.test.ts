// Directory import: an import whose snapshot cannot be built any more ends with the reason, whatever it waits for. The writer
// is a stand-in that breaks at the wanted moment: a disk that fills up just then cannot be had.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { PEOPLE } from '#import/passes/mapper.ts';
import { createSpillFiles } from '#import/passes/spill-file.ts';
import { type PoolJob, startWorkerPool } from '#import/passes/worker-pool.ts';
import { createSnapshotWriter } from '#search-index/write/writer.ts';

it('a builder that ends while the only mapper waits for it ends the import', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hygie-pool-'));
  const people = createSpillFiles(folder, PEOPLE, 1);
  people.seal();
  const job: PoolJob = {
    folder,
    sources: [],
    namespace: 'https://hygie.example',
    buckets: { people: 1, structures: 1 },
    mailboxKeys: new Set(),
    finess: new Set(),
    large: false,
  };
  const writer = createSnapshotWriter({ folder, id: 'broken', threadsFrom: 1 });
  const { promise: failure, reject } = Promise.withResolvers<never>();
  failure.catch(() => {});
  const never = () => new Promise<never>(() => {});
  const pool = startWorkerPool(job, { ...writer, add: never, flush: never, failure });
  const mapped = pool.people(() => {});
  setImmediate(() => reject(new Error('the builder of Practitioner ended')));
  await expect(mapped).rejects.toThrow('the builder of Practitioner ended');
  await pool.close();
  await writer.abandon();
  people.close();
  rmSync(folder, { recursive: true });
});
