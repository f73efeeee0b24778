// Recognises an unfinished restore by its folder in HYGIE_DATA. In this case, the service and its commands refuse to work, because the data
// are incomplete.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { hygie, Refusal } from '#shared/operator-messages.ts';
import { MANIFEST } from './manifest.ts';

/** The folder in which a restore collects all files before it puts them in place. */
export function restoreFolder(dataFolder: string): string {
  return join(dataFolder, 'restore-unfinished');
}

/**
 * Throws a `Refusal` while a restore into this data folder is unfinished, because the restore may still end sessions or migrate the
 * database.
 */
export function refuseUnfinishedRestore(dataFolder: string): void {
  const folder = restoreFolder(dataFolder);
  if (!existsSync(join(folder, MANIFEST))) return;
  throw new Refusal([
    `A restore into HYGIE_DATA (${dataFolder}) is under way, or was not finished.`,
    `Remedy: run \`${hygie('restore DIR')}\` again, with the same backup: it begins anew, or goes on where it was.`,
  ]);
}
