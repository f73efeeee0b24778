// Rules of `clients.yaml` on how a client authenticates (secrets or keys, by type), and on clients of type `api`.

import { SCOPES } from '../../shared/scopes.ts';
import type { Problem } from '../configuration-error.ts';
import type { Unchecked } from '../schema/validate.ts';
import { outgoingUrlProblem, type Reach } from '../url-rules.ts';
import type { KeyPath } from '../yaml/yaml-file.ts';
import type { ClientEntry } from './client-schema.ts';
import { publicKeyProblem } from './public-key.ts';

/** An entry so far as it fits the schema. */
export type Entry = NonNullable<Unchecked<ClientEntry>>;

/** Adds an issue at a key of the entry. */
export type Add = (path: KeyPath, problem: Problem | undefined) => void;

/** A server or an api has secrets or keys, and never both; public clients have neither. */
export function checkAuthentication(entry: Entry, type: ClientEntry['type'], reach: Reach, add: Add): void {
  const secrets = listOf(entry.secrets).length;
  const keys = (['jwks', 'jwksUrl'] as const).filter((key) => entry[key] !== undefined);
  const [first] = keys;
  if (type === 'browser' || type === 'native') {
    if (secrets > 0) {
      const problem = `A client of type ${type} cannot keep a secret.`;
      add(['secrets'], { problem, remedy: 'Remove secrets (PKCE protects it), or make it a server.' });
    }
    for (const key of keys) {
      const problem = `A client of type ${type} cannot keep a private key.`;
      add([key], { problem, remedy: `Remove ${key} (PKCE protects it), or make it a server.` });
    }
    return;
  }
  if (secrets === 0 && first === undefined && Array.isArray(entry.secrets)) {
    const remedy =
      'Run `npm run -s hygie -- clients secret` and put the printed hash under secrets; or give its public keys as jwks.';
    add([], { problem: `A client of type ${type} needs secrets, jwks or jwksUrl.`, remedy });
  }
  if (secrets > 0 && first !== undefined) {
    const remedy = `Remove one of them: with ${first} the client signs, and its secrets would not be asked for.`;
    add([first], { problem: 'Has both secrets and keys.', remedy });
  }
  if (keys.length > 1) add(['jwksUrl'], { problem: 'Has both jwks and jwksUrl.', remedy: 'Keep one of them.' });
  if (typeof entry.jwksUrl === 'string') {
    add(['jwksUrl'], outgoingUrlProblem(entry.jwksUrl, reach, 'https://app.example/jwks.json'));
  }
  for (const [index, key] of listOf((entry.jwks as { keys?: unknown } | undefined)?.keys).entries()) {
    add(['jwks', 'keys', index], publicKeyProblem(key));
  }
}

const ONLY_FOR_SIGN_IN = [
  'callbackUrls',
  'logoutUrls',
  'backchannelLogoutUrl',
  'serviceAccount',
  'secondFactor',
  'par',
  'dpop',
  'rate',
] as const;

const NOT_SERVED_BY_APIS: Readonly<Record<string, string>> = {
  openid: 'openid stands in the token of every person, whatever it is for',
  offline_access: 'offline_access stands for refresh tokens',
};

/** Nobody signs in to an api, and it asks for no tokens: it names the scopes that it serves. */
export function checkApi(entry: Entry, add: Add): void {
  const isGiven = (value: unknown) =>
    value !== undefined && value !== false && !(Array.isArray(value) && value.length === 0);
  const useless = ONLY_FOR_SIGN_IN.filter((key) => isGiven(entry[key]));
  const [first] = useless;
  if (first !== undefined) {
    const problem = `Nobody signs in to a client of type api: it has no use for ${useless.join(', ')}.`;
    add([first], { problem, remedy: `Remove ${useless.length === 1 ? first : 'them'}, or make it a server.` });
  }
  if (entry.consent === 'trusted') {
    add(['consent'], { problem: 'Nobody is asked for consent to a client of type api.', remedy: 'Remove consent.' });
  }
  const scopes = listOf(entry.scopes);
  if (scopes.length === 0 && (entry.scopes === undefined || Array.isArray(entry.scopes))) {
    const remedy = 'List the scopes that it serves: it is told of tokens that hold one of them.';
    add(['scopes'], { problem: 'An api without scopes could ask about no token.', remedy });
  }
  for (const [index, scope] of scopes.entries()) {
    const reason = NOT_SERVED_BY_APIS[String(scope)];
    if (reason === undefined) continue;
    const served = SCOPES.filter((one) => !(one in NOT_SERVED_BY_APIS)).join(', ');
    const remedy = `Remove it, and list what the api serves: ${served}.`;
    add(['scopes', index], { problem: `${reason}: that is nothing that an api serves.`, remedy });
  }
}

/** The value where it is a list; otherwise it is an issue of the schema. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
