// Recognises the fictional people of the demonstration in a directory, which production refuses.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DEMO_ACCOUNTS } from '../../../seeds/demo-accounts.ts';
import type { Settings } from '../../config/settings.ts';
import type { ImportOptions } from '../../import/import.ts';
import { openSnapshot, type Snapshot } from '../../search-index/index.ts';
import { snapshotFolder } from '../../store/snapshots/folder.ts';
import type { SnapshotEntry } from '../../store/snapshots/registry.ts';

/** For an import: production loads nothing that its next start would refuse. */
export function onlyRealPeople({ mode }: Pick<Settings, 'mode'>): Pick<ImportOptions, 'unwanted'> {
  if (mode !== 'production') return {};
  return {
    unwanted: async (snapshot) =>
      (await isFictional(snapshot))
        ? 'these are the fictional people of the demonstration, which production refuses. Remedy: import the registers.'
        : undefined,
  };
}

/** Whether a registered snapshot holds the fictional people; one that cannot be read is not served either. */
export async function holdsFictionalPeople(
  entry: SnapshotEntry | undefined,
  { dataFolder }: Pick<Settings, 'dataFolder'>,
): Promise<boolean> {
  const file = entry && join(snapshotFolder(dataFolder), entry.file);
  if (!file || !existsSync(file)) return false;
  // One of another release's layout is not served either (`watchCurrentSnapshot` reports it).
  const snapshot = await openSnapshot(file).catch(() => undefined);
  if (!snapshot) return false;
  try {
    return await isFictional(snapshot);
  } finally {
    await snapshot.close();
  }
}

// By the people themselves, whose numbers are given to nobody: that holds for every release of the shipped edition, every
// namespace, and for an import of fictional and real files together.
async function isFictional(snapshot: Snapshot): Promise<boolean> {
  const ids = DEMO_ACCOUNTS.flatMap(({ practitioners }) => practitioners ?? []);
  const read = await Promise.all(ids.map((id) => snapshot.read('Practitioner', id)));
  return read.some((practitioner) => practitioner !== undefined);
}
