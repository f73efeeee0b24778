// The digest by which instances see that their settings differ.

import { createHash } from 'node:crypto';
import type { Settings } from '#config/settings.ts';

/** Digits of a digest. */
const LENGTH = 12;

/** Digest of the settings that all instances should have in common: neither secrets nor what belongs to one machine. */
export function settingsDigest(settings: Settings): string {
  const { listen, configFolder, dataFolder, database, processes, metrics, log, keys, mail, directory, ...common } =
    settings;
  const { secrets, ...keySettings } = keys;
  const { password, ...mailSettings } = mail ?? {};
  const { watch, searchThreads, ...directorySettings } = directory;
  const all = { ...common, keys: keySettings, mail: mailSettings, directory: directorySettings };
  return createHash('sha256').update(JSON.stringify(all)).digest('hex').slice(0, LENGTH);
}
