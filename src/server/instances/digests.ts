// The digests by which instances see that their settings or their clients differ. Their key is the secret of the service's keys, so that
// passwords cannot be tried against a digest. Instances with different secrets differ.

import { createHmac } from 'node:crypto';
import type { LoadedClients } from '#config/index.ts';
import type { ClientSettings, Settings } from '#config/settings.ts';

/** Digits of a digest. */
const LENGTH = 12;

type Keys = Pick<Settings, 'keys'>;

function digestOf(value: unknown, { keys }: Keys): string {
  const [secret = ''] = keys.secrets;
  return createHmac('sha256', `instances:${secret}`)
    .update(JSON.stringify(value, inOrder))
    .digest('hex')
    .slice(0, LENGTH);
}

/** Sorts the keys of each object, because two files may name the same settings in different orders. */
function inOrder(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** Digest of the settings that all instances should have in common, secrets included: not what belongs to one machine. */
export function settingsDigest(settings: Settings): string {
  const { listen, configFolder, dataFolder, database, processes, metrics, log, keys, mail, directory, ...common } =
    settings;
  const { secrets, ...keySettings } = keys;
  const { password, ...mailSettings } = mail ?? {};
  const { watch, searchThreads, ...directorySettings } = directory;
  const all = { ...common, keys: keySettings, mail: mailSettings, directory: directorySettings };
  // Without a key, a short password could be guessed from the digest.
  return digestOf(secrets.length > 0 ? { ...all, password } : all, settings);
}

/**
 * Digest of the clients in force, in whatever order.
 * @param hashes the hashes that this process made, with a salt of its own, of secrets in variables and files, by keys that are the same in
 *   all processes: the digest is of these keys
 */
export function clientsDigest(
  clients: readonly ClientSettings[],
  hashes: LoadedClients['hashes'] | undefined,
  settings: Keys,
): string {
  const keyOf = new Map([...(hashes ?? [])].map(([key, hash]) => [hash, key]));
  const comparable = clients.map((client) => ({
    ...client,
    secretHashes: client.secretHashes.map((hash) => keyOf.get(hash) ?? hash),
  }));
  return digestOf(
    comparable.sort((one, other) => (one.id < other.id ? -1 : 1)),
    settings,
  );
}
