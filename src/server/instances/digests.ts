// Makes the digests by which instances see that their settings or clients differ. The secret of the service's keys is the key of a digest,
// so that nobody can find out a password by computing digests. If two instances have different secrets, all their digests differ.

import { createHmac } from 'node:crypto';
import type { LoadedClients } from '#config/index.ts';
import type { ClientSettings, Settings } from '#config/settings.ts';

/** Hexadecimal digits of a digest. */
const LENGTH = 12;

type Keys = Pick<Settings, 'keys'>;

function digestOf(value: unknown, { keys }: Keys): string {
  const [secret = ''] = keys.secrets;
  return createHmac('sha256', `instances:${secret}`)
    .update(JSON.stringify(value, inOrder))
    .digest('hex')
    .slice(0, LENGTH);
}

/** Sorts the members of each object, because two files may have the same settings in another order. */
function inOrder(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}

/**
 * Returns the digest of the settings that all instances should have in common, including secrets. Settings that concern a single machine
 * are left out.
 */
export function settingsDigest(settings: Settings): string {
  const { listen, configFolder, dataFolder, database, processes, metrics, log, keys, mail, directory, ...common } =
    settings;
  const { secrets, ...keySettings } = keys;
  const { password, ...mailSettings } = mail ?? {};
  const { watch, searchThreads, ...directorySettings } = directory;
  const all = { ...common, keys: keySettings, mail: mailSettings, directory: directorySettings };
  // If there is no secret as the key, the password is left out, because a short password could be guessed from the digest.
  return digestOf(secrets.length > 0 ? { ...all, password } : all, settings);
}

/**
 * Returns the digest of the clients in force. Their order does not matter.
 * @param hashes the hashes that this process made of secrets in variables and files. Each process uses another salt, so the hashes of two
 * processes differ. The keys of this map are the same in all processes, so the digest has the keys in place of the hashes.
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
