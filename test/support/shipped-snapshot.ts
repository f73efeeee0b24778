// The shipped edition as a snapshot: the one that the run's set-up imported (`service-template.ts`), read where it stands.
// For tests that ask a directory; those of the import make one of their own (`import/register-files.ts`).

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { checks } from '#directory/search/resource-checks.ts';
import { openSnapshot } from '#search-index/read/reader.ts';
import type { Snapshot } from '#search-index/snapshot.ts';
import { snapshotFolder } from '#store/snapshots/folder.ts';

/** The namespace of its identifiers, as `config/service.yaml` has it. */
export const NAMESPACE = 'https://hygie.example';

/** Opens the snapshot, which nobody may write to. */
export async function openShippedSnapshot(): Promise<Snapshot> {
  const template = process.env['HYGIE_TEST_TEMPLATE'];
  if (!template) throw new Error('HYGIE_TEST_TEMPLATE is not set: run the tests with npm test');
  const folder = snapshotFolder(template);
  const [file] = readdirSync(folder).filter((name) => name.endsWith('.sqlite'));
  if (file === undefined) throw new Error(`${folder} holds no snapshot: the set-up of the run did not import one`);
  return openSnapshot(join(folder, file), checks);
}
