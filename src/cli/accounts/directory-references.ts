// Looks up what accounts are linked to in the loaded directory. Ids that it does not hold are only noted: an account may be there before
// the edition is.

import type { Settings } from '#config/settings.ts';
import { identityOf, identityText } from '#server/linked-accounts/record-identity.ts';
import type { Reference } from '#store/accounts/links/link-changes.ts';
import type { Database } from '#store/database/connection.ts';
import { readSnapshot } from '#store/snapshots/folder.ts';
import { findCurrentSnapshot } from '#store/snapshots/registry.ts';

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

/** Who stands under each of these ids, in words; without those that the directory does not hold. */
export async function recordTexts(
  database: Database,
  { dataFolder }: Pick<Settings, 'dataFolder'>,
  references: readonly Reference[],
): Promise<{ reference: Reference; text: string }[]> {
  const texts = await readSnapshot(await findCurrentSnapshot(database), dataFolder, async (snapshot) => {
    const found: { reference: Reference; text: string }[] = [];
    for (const reference of references) {
      const [type, id] = reference.split('/') as ['Practitioner' | 'Organization', string];
      const record = await snapshot.read(type, id);
      if (record) found.push({ reference, text: identityText(identityOf(record.json)) });
    }
    return found;
  });
  return texts ?? [];
}

/** The edition in force, and whether accounts were compared with it. */
export async function editionInForce(database: Database): Promise<{ id: string; compared: boolean } | undefined> {
  const entry = await findCurrentSnapshot(database);
  return entry && { id: entry.id, compared: entry.linksComparedAt !== undefined };
}
