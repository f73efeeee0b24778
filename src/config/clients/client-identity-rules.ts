// Owns the rules of `clients.yaml` on how a client proves who it is (secrets or keys, by type), and on apis.
// Does not own callbacks and the like (`client-rules.ts`) nor the value of any secret
// (`client-secrets.ts`) or key (`public-key.ts`).

import { SCOPES } from '../../shared/scopes.ts';
import type { ClientSettings } from '../settings.ts';
import { outgoingIssue, type Reach, type UrlIssue } from '../url-rules.ts';
import type { KeyPath } from '../yaml/yaml-file.ts';
import { publicKeyIssue } from './public-key.ts';

type Entry = Readonly<Record<string, unknown>>;
type Add = (path: KeyPath, issue: UrlIssue) => void;

/** A server or an api has secrets or keys, and never both; public clients have neither. */
export function checkProofOfIdentity(entry: Entry, type: ClientSettings['type'], reach: Reach, add: Add): void {
  const secrets = Array.isArray(entry['secrets']) ? entry['secrets'].length : 0;
  const keys = ['jwks', 'jwksUrl'].filter((key) => entry[key] !== undefined);
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
  if (secrets === 0 && first === undefined && Array.isArray(entry['secrets'])) {
    const remedy =
      'Run `npm run -s hygie -- clients secret` and put the printed hash under secrets; or give its public keys as jwks.';
    add([], { problem: `A client of type ${type} needs secrets, jwks or jwksUrl.`, remedy });
  }
  if (secrets > 0 && first !== undefined) {
    const remedy = `Remove one of them: with ${first} the client signs, and its secrets would not be asked for.`;
    add([first], { problem: 'Has both secrets and keys.', remedy });
  }
  if (keys.length > 1) add(['jwksUrl'], { problem: 'Has both jwks and jwksUrl.', remedy: 'Keep one of them.' });
  if (typeof entry['jwksUrl'] === 'string') {
    add(['jwksUrl'], outgoingIssue(entry['jwksUrl'], reach, 'https://app.example/jwks.json'));
  }
  const listed = (entry['jwks'] as { keys?: unknown } | undefined)?.keys;
  for (const [place, key] of (Array.isArray(listed) ? listed : []).entries()) {
    add(['jwks', 'keys', place], publicKeyIssue(key));
  }
}

/** Nobody signs in to an api, and it asks for nothing: it says which scopes it serves. */
export function checkApi(entry: Entry, add: Add): void {
  const given = (value: unknown) => value !== undefined && value !== false && !(Array.isArray(value) && !value.length);
  const useless = USELESS_TO_APIS.filter((key) => given(entry[key]));
  const [first] = useless;
  if (first !== undefined) {
    const them = useless.length === 1 ? first : 'them';
    const problem = `Nobody signs in to a client of type api: it has no use for ${useless.join(', ')}.`;
    add([first], { problem, remedy: `Remove ${them}, or make it a server.` });
  }
  if (entry['consent'] === 'trusted') {
    add(['consent'], { problem: 'Nobody is asked for consent to a client of type api.', remedy: 'Remove consent.' });
  }
  const scopes = entry['scopes'];
  if (scopes === undefined || (Array.isArray(scopes) && scopes.length === 0)) {
    const remedy = 'List the scopes that it serves: it is told of tokens that hold one of them.';
    add(['scopes'], { problem: 'An api without scopes could ask about no token.', remedy });
  }
  const listed: readonly unknown[] = Array.isArray(scopes) ? scopes : [];
  for (const [place, scope] of listed.entries()) {
    if (scope !== 'openid' && scope !== 'offline_access') continue;
    const remedy = `Remove it, and list what the api serves: ${OF_APIS}.`;
    add(['scopes', place], { problem: `${OF_NO_API[scope]}: that is nothing that an api serves.`, remedy });
  }
}

const USELESS_TO_APIS = [
  'callbackUrls',
  'logoutUrls',
  'backchannelLogoutUrl',
  'serviceAccount',
  'secondFactor',
  'par',
  'dpop',
  'rate',
];

const OF_NO_API = {
  openid: 'openid stands in the token of every person, whatever it is for',
  offline_access: 'offline_access stands for refresh tokens',
} as const;
const OF_APIS = SCOPES.filter((scope) => !Object.hasOwn(OF_NO_API, scope)).join(', ');
