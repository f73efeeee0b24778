// Finds ids of practitioners and organizations that the loaded directory does not hold. They are only noted: an account may be
// there before the edition is.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Settings } from '../../config/settings.ts';
import { openSnapshot } from '../../search-index/index.ts';
import type { Database } from '../../store/database/connection.ts';
import { snapshotFolder } from '../../store/snapshots/folder.ts';
import { findSnapshot, readPointer } from '../../store/snapshots/registry.ts';

/** Ids without a type before them. */
export interface References {
  practitioners?: readonly string[];
  workspaces?: readonly string[];
}

/** References that lead nowhere, each once; none when no directory is loaded, or when it cannot be read here. */
export async function missingInDirectory(
  database: Database,
  { dataFolder }: Pick<Settings, 'dataFolder'>,
  { practitioners = [], workspaces = [] }: References,
): Promise<string[]> {
  if (practitioners.length + workspaces.length === 0) return [];
  const { current } = await readPointer(database);
  const entry = current === undefined ? undefined : await findSnapshot(database, current);
  const file = entry && join(snapshotFolder(dataFolder), entry.file);
  if (!file || !existsSync(file)) return [];
  const snapshot = await openSnapshot(file).catch(() => undefined);
  if (!snapshot) return [];
  try {
    const missing: string[] = [];
    const references = [
      ...[...new Set(practitioners)].map((id) => ['Practitioner', id] as const),
      ...[...new Set(workspaces)].map((id) => ['Organization', id] as const),
    ];
    for (const [type, id] of references) if (!(await snapshot.read(type, id))) missing.push(`${type}/${id}`);
    return missing;
  } finally {
    await snapshot.close();
  }
}
