// Finds ids of practitioners and organizations that the loaded directory does not hold. They are only noted: an account may be
// there before the edition is.

import type { Settings } from '../../config/settings.ts';
import type { Database } from '../../store/database/connection.ts';
import { readSnapshot } from '../../store/snapshots/folder.ts';
import { findCurrentSnapshot } from '../../store/snapshots/registry.ts';

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
  const missing = await readSnapshot(await findCurrentSnapshot(database), dataFolder, async (snapshot) => {
    const found = new Set<string>();
    for (const id of practitioners) if (!(await snapshot.read('Practitioner', id))) found.add(`Practitioner/${id}`);
    for (const id of workspaces) if (!(await snapshot.read('Organization', id))) found.add(`Organization/${id}`);
    return [...found];
  });
  return missing ?? [];
}
