// Owns the list of snapshots that every search test runs on: the plain scan, and each engine of the store.

import type { IndexedResource, Snapshot } from '../../src/store/directory/snapshot.ts';
import { scanSnapshot } from './scan-snapshot.ts';

export interface Engine {
  name: string;
  open(resources: readonly IndexedResource[]): Promise<Snapshot>;
}

let opened = 0;

export const ENGINES: readonly Engine[] = [
  { name: 'scan', open: async (resources) => scanSnapshot(`scan-${++opened}`, resources) },
];
