// Owns the clients in force: `clients.yaml` -> `ClientSettings[]`, or every issue at once.
// Does not own noticing that the file changed (`watch.ts`).

import { join } from 'node:path';
import { type ConfigIssue, ConfigurationError } from '../configuration-error.ts';
import { checkAgainstSchema, issueAt } from '../schema/validate.ts';
import type { Environment } from '../service/environment.ts';
import type { ClientSettings, Settings } from '../settings.ts';
import { readYamlFile } from '../yaml/yaml-file.ts';
import { clientRuleIssues, entriesOf } from './client-rules.ts';
import { resolveSecret, type SecretReference } from './client-secrets.ts';

/** One entry of `clients.yaml` once it fits its schema, defaults filled in. */
type ClientEntry = Omit<ClientSettings, 'secretHashes' | 'scopes'> & {
  secrets: readonly SecretReference[];
  scopes?: readonly string[];
};

// Not in the schema: an api has to say which scopes it serves.
const DEFAULT_SCOPES: readonly string[] = ['openid', 'email', 'profile'];

/** What the clients' file gave: clients when there is no issue, and the text it was read from. */
export interface ClientsReading {
  clients?: ClientSettings[];
  text: string | undefined;
  issues: ConfigIssue[];
}

type Place = Pick<Settings, 'mode' | 'configFolder'> & Partial<Pick<Settings, 'outgoing'>>;

/** Reads `clients.yaml` (absent: no clients). Throws one `ConfigurationError` that carries every issue. */
export async function loadClients(settings: Place, env: Environment = process.env): Promise<ClientSettings[]> {
  return (await loadMarkedClients(settings, env)).clients;
}

/** As `loadClients`, with the mark by which `watchClients` knows this state of the file again. */
export async function loadMarkedClients(
  settings: Place,
  env: Environment = process.env,
): Promise<{ clients: ClientSettings[]; mark: string }> {
  const reading = await readClients(settings, env);
  if (!reading.clients) throw new ConfigurationError(reading.issues);
  return { clients: reading.clients, mark: markOf(reading) };
}

/** Differs for any two readings that mean something else: a secret's file may come, or change, beside the text. */
export function markOf({ text, issues, clients }: ClientsReading): string {
  return JSON.stringify([text, issues, clients]);
}

/** As `loadClients`, but returns the issues. */
export async function readClients(settings: Place, env: Environment): Promise<ClientsReading> {
  const yaml = await readYamlFile(clientsFile(settings));
  const issues = [...yaml.issues];
  if (yaml.value === undefined) return { text: yaml.text, issues };
  issues.push(...checkAgainstSchema('clients', yaml), ...clientRuleIssues(yaml, reachOf(settings)));

  const hashes = new Map<string, string>();
  for (const [client, secret, reference] of secretReferences(yaml.value)) {
    const outcome = await resolveSecret(reference, settings, env);
    if ('hash' in outcome) hashes.set(`${client} ${secret}`, outcome.hash);
    else issues.push(issueAt(yaml, ['clients', client, 'secrets', secret, ...Object.keys(reference)], outcome.issue));
  }
  if (issues.length > 0) return { text: yaml.text, issues: withClients(issues, yaml.value) };

  const entries = entriesOf(yaml.value) as readonly ClientEntry[];
  const clients = entries.map(({ secrets, scopes = DEFAULT_SCOPES, ...entry }, client) =>
    Object.freeze({
      ...entry,
      scopes,
      secretHashes: secrets.map((_, secret) => hashes.get(`${client} ${secret}`) ?? ''),
    }),
  );
  return { clients, text: yaml.text, issues };
}

/**
 * Ids and types of the entries as they stand, also of a file with issues: for what is asked before the file is complete.
 * `signs`: it has keys instead of secrets.
 */
export async function clientsAsWritten(
  settings: Pick<Settings, 'configFolder'>,
): Promise<{ id: string; type?: string; signs: boolean }[]> {
  const { value } = await readYamlFile(clientsFile(settings));
  return entriesOf(value).flatMap((entry) => {
    const { id, type, jwks, jwksUrl } = (entry ?? {}) as Readonly<Record<string, unknown>>;
    const signs = jwks !== undefined || jwksUrl !== undefined;
    return typeof id === 'string' ? [{ id, signs, ...(typeof type === 'string' ? { type } : {}) }] : [];
  });
}

// Entries are counted from 0 in paths: a name is found sooner.
function withClients(issues: readonly ConfigIssue[], value: unknown): ConfigIssue[] {
  return issues.map((issue) => {
    const place = /^clients\[(\d+)\]/.exec(issue.path)?.[1];
    const id = place === undefined ? undefined : (entriesOf(value)[Number(place)] as { id?: unknown } | null)?.id;
    return typeof id === 'string' && /^[\w.~-]{1,100}$/.test(id) ? { ...issue, client: id } : issue;
  });
}

function reachOf({ mode, outgoing }: Place) {
  return { mode, privateNetworks: outgoing?.privateNetworks ?? [] };
}

export function clientsFile({ configFolder }: Pick<Settings, 'configFolder'>): string {
  return join(configFolder, 'clients.yaml');
}

function* secretReferences(value: unknown): Generator<[client: number, secret: number, reference: SecretReference]> {
  for (const [client, entry] of entriesOf(value).entries()) {
    const secrets = (entry as { secrets?: unknown } | null)?.secrets;
    if (!Array.isArray(secrets)) continue;
    for (const [secret, reference] of secrets.entries()) {
      if (isReference(reference)) yield [client, secret, reference];
    }
  }
}

// What does not fit the schema is a issue already.
function isReference(value: unknown): value is SecretReference {
  if (typeof value !== 'object' || value === null) return false;
  const pairs = Object.entries(value);
  const [key, text] = pairs[0] ?? [];
  if (pairs.length !== 1 || typeof text !== 'string' || text === '') return false;
  return key === 'hash' || key === 'file' || (key === 'env' && /^[A-Za-z_]\w*$/.test(text));
}
