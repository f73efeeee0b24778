// Snapshots of a test file that runs together with others: Jest would look for them under the name of the file that imports it
// (`together.ts`).

import { basename, dirname, join } from 'node:path';
import { afterAll, beforeAll, expect } from '@jest/globals';

/** What Jest's matcher compares with, in a state that its types leave out. */
interface Snapshots {
  snapshotState: object;
}

/** Jest's default, which is that of files that run alone. */
const FORMAT = { escapeString: false, printBasicPrototype: false };

/**
 * Compares the snapshots of the enclosing block with those beside its file. They are written where the file runs alone:
 * `npx jest --update-snapshot FILE`. To be called in the block that holds all snapshots of the file.
 * @param file `import.meta.filename`
 */
export function withOwnSnapshots(file: string): void {
  const { testPath, snapshotState } = expect.getState() as unknown as Snapshots & { testPath?: string };
  if (testPath === file) return;
  // The class of jest-snapshot: a copy of the package would cost as much as a test file.
  const SnapshotState = snapshotState.constructor as new (path: string, options: object) => object;
  const use = (state: object) => expect.setState({ snapshotState: state } satisfies Snapshots as object);
  beforeAll(() => {
    const path = join(dirname(file), '__snapshots__', `${basename(file)}.snap`);
    use(new SnapshotState(path, { updateSnapshot: 'none', snapshotFormat: FORMAT }));
  });
  afterAll(() => use(snapshotState));
}
