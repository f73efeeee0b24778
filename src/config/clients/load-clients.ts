// Reads `clients.yaml`, and returns either the clients in force or every issue at once. The references under `secrets` (hash, env, file)
// become hashes. The secrets themselves are not kept. `environment/secrets.ts` declares their minimum length.

import { createHmac, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { DEMO_CLIENT_ID, OWN_CLIENT_ID, TRY_CLIENT_ID } from '#config/built-in-clients.ts';
import { type ConfigIssue, ConfigurationError, type Problem } from '#config/configuration-error.ts';
import type { Environment } from '#config/environment/environment.ts';
import { secretOf, shortSecret } from '#config/environment/secrets.ts';
import { validate } from '#config/schema/validate.ts';
import { type ClientSettings, deepFreeze, type Settings } from '#config/settings.ts';
import { readYamlFile } from '#config/yaml/yaml-file.ts';
import { isClientSecretHash } from '#shared/crypto/client-secret.ts';
import { CLIENT_SECRET_COST, hashSecret } from '#shared/crypto/secret-hash.ts';
import { hygie } from '#shared/operator-messages.ts';
import {
  CLIENT_KEYS,
  type ClientEntry,
  clientsSchema,
  type SecretReference,
  secretReference,
} from './client-schema.ts';
import { withProfile } from './fapi2.ts';

// Scopes of a client that names none. They are not a default of the schema, because an api must name the scopes that it serves.
const DEFAULT_SCOPES: readonly string[] = ['openid', 'email', 'profile'];

const OWN_ID = {
  problem: 'The service itself has this id, for its own pages.',
  remedy: 'Give the client another id.',
};

/** Result of reading the file. `clients` is absent if there are issues. */
export interface ClientsReading {
  clients?: ClientSettings[];
  text: string | undefined;
  issues: ConfigIssue[];
}

type FileSettings = Pick<Settings, 'mode' | 'configFolder'> & Partial<Pick<Settings, 'outgoing' | 'keys' | 'demo'>>;

/**
 * Reads `clients.yaml`. In development, a missing file means that there are no clients. Throws one `ConfigurationError` that carries every
 * issue.
 */
export async function loadClients(settings: FileSettings, env: Environment = process.env): Promise<ClientSettings[]> {
  return (await loadWatchedClients(settings, env)).clients;
}

/** The state of `clients.yaml` when the clients were loaded. `watchClients` compares the file with it, to find edits since then. */
export interface LoadedClients {
  mark: string;
  hashes: SecretHashes;
}

/** Does the same as `loadClients`, and also returns the state of the file for `watchClients`. */
export async function loadWatchedClients(
  settings: FileSettings,
  env: Environment = process.env,
): Promise<{ clients: ClientSettings[]; loaded: LoadedClients }> {
  const hashes: SecretHashes = new Map();
  const reading = await readClients(settings, env, hashes);
  if (!reading.clients) throw new ConfigurationError(reading.issues);
  return { clients: reading.clients, loaded: { mark: markOf(reading), hashes } };
}

/**
 * Returns a text that is equal for two readings only if both give the same clients and issues. The text of the file alone is not enough,
 * because the file of a secret may appear or change.
 */
export function markOf({ text, issues, clients }: ClientsReading): string {
  return JSON.stringify([text, issues, clients]);
}

/**
 * Reads `clients.yaml`. Unlike `loadClients`, it returns the issues instead of throwing them. Adds the hashes of the secrets to `known`.
 */
export async function readClients(
  settings: FileSettings,
  env: Environment,
  known: SecretHashes = new Map(),
): Promise<ClientsReading> {
  const yaml = await readYamlFile(clientsFile(settings), settings.mode === 'production');
  const { text } = yaml;
  if (yaml.value === undefined) return { text, issues: yaml.issues };
  const reach = { mode: settings.mode, privateNetworks: settings.outgoing?.privateNetworks ?? [] };
  const { value, issues } = validate(clientsSchema(reach), CLIENT_KEYS, yaml);
  const entries = entriesOf(yaml.value);
  const own = [OWN_CLIENT_ID, TRY_CLIENT_ID, ...(settings.demo ? [DEMO_CLIENT_ID] : [])];
  const hashes: string[][] = [];
  for (const [index, { id, secrets }] of entries.entries()) {
    if (typeof id === 'string' && own.includes(id)) issues.push(yaml.issueAt(['clients', index, 'id'], OWN_ID));
    hashes.push(await hashesOf(index, Array.isArray(secrets) ? secrets : []));
  }
  if (!value || issues.length > 0) return { text, issues: issues.map((issue) => withClientId(issue, entries)) };
  const clients = value.clients.map(
    ({ secrets: _references, scopes = DEFAULT_SCOPES, ...client }, index): ClientSettings =>
      withProfile({ ...client, scopes, secretHashes: hashes[index] ?? [] }),
  );
  return { clients: deepFreeze(clients), text, issues };

  /** Returns the hashes of the secrets of one entry. Adds an issue for each reference that leads to no usable secret. */
  async function hashesOf(index: number, secrets: readonly unknown[]): Promise<string[]> {
    const resolved: string[] = [];
    for (const [position, secret] of secrets.entries()) {
      const reference = secretReference.safeParse(secret);
      if (!reference.success) continue;
      const outcome = await resolveSecret(reference.data, settings, env, known);
      const path = ['clients', index, 'secrets', position, ...Object.keys(reference.data)];
      if ('hash' in outcome) resolved.push(outcome.hash);
      else issues.push(yaml.issueAt(path, outcome.problem));
    }
    return resolved;
  }
}

/**
 * Returns the id and type of each entry, even if the file has issues, because commands need them before the file is complete. `signs` is
 * true for an entry that authenticates with keys instead of secrets.
 */
export async function clientsAsWritten(
  settings: Pick<Settings, 'configFolder'>,
): Promise<{ id: string; type?: string; signs: boolean }[]> {
  const { value } = await readYamlFile(clientsFile(settings));
  return entriesOf(value).flatMap((entry) => {
    const { id, type, jwks, jwksUrl } = entry;
    const signs = jwks !== undefined || jwksUrl !== undefined;
    return typeof id === 'string' ? [{ id, signs, ...(typeof type === 'string' && { type }) }] : [];
  });
}

export function clientsFile({ configFolder }: Pick<Settings, 'configFolder'>): string {
  return join(configFolder, 'clients.yaml');
}

/** An entry of the file before validation, with values of any type. */
type WrittenEntry = { readonly [Key in keyof ClientEntry]?: unknown };

function entriesOf(value: unknown): WrittenEntry[] {
  const { clients } = (value ?? {}) as { clients?: unknown };
  return Array.isArray(clients) ? clients.map((entry: WrittenEntry | null) => entry ?? {}) : [];
}

// Adds the client's id to an issue, because an operator finds an entry faster by its id than by its number in the path, which counts from
// 0.
function withClientId(issue: ConfigIssue, entries: readonly WrittenEntry[]): ConfigIssue {
  const index = /^clients\[(\d+)\]/.exec(issue.path)?.[1];
  const id = index === undefined ? undefined : entries[Number(index)]?.id;
  return typeof id === 'string' && /^[\w.~-]{1,100}$/.test(id) ? { ...issue, client: id } : issue;
}

type Outcome = { hash: string } | { problem: Problem };

/**
 * The hashes of the secrets that were read before. Each hash is found by a keyed digest (HMAC) of its secret, because the secret itself is
 * not kept. A secret that has not changed keeps its hash. So a reload does not hash it again, and a client that has already proved the
 * secret need not be verified again.
 */
export type SecretHashes = Map<string, string>;

/**
 * The HMAC key of the digests in `SecretHashes` if no secret of the service is set. It never leaves this process, so the digests are
 * useless elsewhere.
 */
const MEMORY_KEY = randomBytes(32);

const newOne = () => `Run \`${hygie('clients secret')}\` for a new one.`;

/** Returns the hash of the secret behind a reference, or the problem with the reference. The text of a problem never holds a secret. */
async function resolveSecret(
  { hash = '', env: name, file }: SecretReference,
  { mode, configFolder, keys }: Pick<Settings, 'mode' | 'configFolder'> & Partial<Pick<Settings, 'keys'>>,
  env: Environment,
  known: SecretHashes,
): Promise<Outcome> {
  if (name !== undefined || file !== undefined) {
    const source = { ...(name !== undefined && { env: name }), ...(file !== undefined && { file }) };
    const found = await secretOf(source, configFolder, env);
    return 'secret' in found ? hashed(found.secret, mode, known, keys?.secrets[0]) : found;
  }
  if (isClientSecretHash(hash)) return { hash };
  const problem = 'Is no hash of a secret (its value is not shown).';
  return { problem: { problem, remedy: `Put the printed hash here, whole and in quotation marks. ${newOne()}` } };
}

async function hashed(
  value: string,
  mode: Settings['mode'],
  known: SecretHashes,
  key: string | Buffer = MEMORY_KEY,
): Promise<Outcome> {
  const problem = shortSecret(value, mode);
  if (problem !== undefined) return { problem: { problem, remedy: newOne() } };
  const name = createHmac('sha256', key).update(value).digest('base64url');
  const hash = known.get(name) ?? (await hashSecret(value, CLIENT_SECRET_COST));
  known.set(name, hash);
  return { hash };
}
