// Owns what is remembered of the clients from one start to the next: their entries without a secret, and enough to tell that a
// secret is another one. Does not own what differs between two of them (`client-edits.ts`).

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { referencedSecret, type SecretReference } from '../../config/client-secrets.ts';
import type { Environment } from '../../config/environment.ts';
import type { ClientSettings, Settings } from '../../config/settings.ts';
import { digest } from '../../shared/crypto/digest.ts';
import { verifySecret } from '../../shared/crypto/secret-hash.ts';
import { clientChanges } from './client-changes.ts';
import { contentOf } from './remembered-content.ts';

/**
 * The clients, of a hash in `clients.yaml` its digest. The hash of what `env` or `file` refers to is made anew at each start:
 * of these a slow hash is kept, while the secret is the same, the one in the `contents` that are remembered.
 */
export async function rememberedClients(
  clients: readonly ClientSettings[],
  { configFolder }: Pick<Settings, 'configFolder'>,
  contents: readonly string[],
  env: Environment = process.env,
): Promise<string> {
  const values = await referencedSecrets(clients, configFolder, env);
  const hashes = slowHashes(contents);
  const remembered = [];
  for (const { jwks, secretHashes, ...client } of clients) {
    const secrets = [];
    for (const [place, hash] of secretHashes.entries()) {
      const value = values.get(client.id)?.[place];
      const before = hashes.get(client.id) ?? [];
      secrets.push(value === undefined ? digest(hash) : await sameHash(value, hash, before));
    }
    remembered.push({ ...client, secretHashes: secrets, ...(jwks && { jwks: digest(contentOf(jwks)) }) });
  }
  return contentOf(remembered.sort((a, b) => (a.id < b.id ? -1 : 1)));
}

/** One event for each client that differs. Throws when a content is none of clients. */
export function rememberedClientChanges(before: string, after: string) {
  return clientChanges(JSON.parse(before) as ClientSettings[], JSON.parse(after) as ClientSettings[]);
}

async function sameHash(secret: string, hash: string, known: Iterable<string>): Promise<string> {
  for (const one of known) if (await verifySecret(secret, [one])) return one;
  return hash;
}

/** Client -> its secrets, in the order of the file; undefined for one that stands there as a hash. */
async function referencedSecrets(
  clients: readonly ClientSettings[],
  configFolder: string,
  env: Environment,
): Promise<Map<string, (string | undefined)[]>> {
  const text = await readFile(join(configFolder, 'clients.yaml'), 'utf8').catch(() => '');
  const found = new Map<string, (string | undefined)[]>();
  // Large files are not parsed a second time when there is nothing to find.
  if (clients.every(({ secretHashes }) => secretHashes.every((hash) => text.includes(hash)))) return found;
  for (const { id, secrets = [] } of (parse(text) as { clients: Entry[] }).clients) {
    found.set(id, await Promise.all(secrets.map((reference) => referencedSecret(reference, { configFolder }, env))));
  }
  return found;
}

interface Entry {
  id: string;
  secrets?: SecretReference[];
}
/** Client -> the slow hashes that are remembered of it. What cannot be read has none. */
function slowHashes(contents: readonly string[]): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const content of contents) {
    try {
      for (const { id, secretHashes } of JSON.parse(content) as ClientSettings[]) {
        const slow = secretHashes.filter((hash) => hash.startsWith('scrypt$'));
        if (slow.length > 0) found.set(id, new Set([...(found.get(id) ?? []), ...slow]));
      }
    } catch {}
  }
  return found;
}
