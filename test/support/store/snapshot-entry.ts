// Rows of the registry of snapshots, for tests that need no file of them.

import type { SnapshotEntry } from '#store/snapshots/registry.ts';

export const COUNTS = { Practitioner: 1, Organization: 2, PractitionerRole: 3 };

/** A snapshot that was made on this day of October 2026. */
export const snapshotEntry = (id: string, day = 1, more: Partial<SnapshotEntry> = {}): SnapshotEntry => ({
  id,
  engine: 'sqlite',
  file: `${id}.sqlite`,
  createdAt: new Date(Date.UTC(2026, 9, day)),
  editions: { activities: { lines: 1, date: '2026-10-08' } },
  counts: COUNTS,
  sourcesChecksum: `of ${id}`,
  bytes: 9,
  ...more,
});
