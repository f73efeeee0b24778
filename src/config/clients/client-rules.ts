// Rules that concern several keys of an entry of `clients.yaml`: required and forbidden keys of each type, and allowed redirect addresses.

import type { AddProblem } from '#config/schema/fields.ts';
import { outgoingUrlProblem, pageUrlProblem, type Reach, returnUrlProblem } from '#config/url-rules.ts';
import { hygie } from '#shared/operator-messages.ts';
import { DIRECTORY_SCOPES, SCOPES } from '#shared/scopes.ts';
import { checkFapi2 } from './fapi2.ts';

const NO_CALLBACK = 'Add the address to which people return after signing in';
const PUBLIC = 'it can keep no secret, and PKCE protects it';
const OF_CONFIDENTIAL = [
  'secrets',
  'jwks',
  'jwksUrl',
  'assertionAudience',
  'serviceAccount',
  'directoryAccess',
] as const;
const OF_SIGN_IN = [
  'callbackUrls',
  'logoutUrls',
  'homeUrl',
  'backchannelLogoutUrl',
  'backchannelLogoutSession',
  'logoutTokenType',
  'authenticationClaims',
  'secondFactor',
  'workspace',
  'par',
  'pkce',
  'dpop',
  'signedRequests',
  'signedResponses',
  'rate',
  'refreshTokens',
  'updatedAt',
] as const;

type Key = (typeof OF_CONFIDENTIAL)[number] | (typeof OF_SIGN_IN)[number];

/**
 * An entry of `clients.yaml` with values of any type. Values that do not fit the schema are not reported here, because `client-schema.ts`
 * reports them.
 */
type Entry = {
  readonly [Name in Key | 'type' | 'consent' | 'scopes' | 'tokensOf' | 'profile' | 'idTokenAlgorithm']?: unknown;
};

/** Keys that clients of a type must not have, and why. */
const REFUSED: Readonly<Record<string, readonly [keys: readonly Key[], reason: string]>> = {
  server: [[], ''],
  browser: [OF_CONFIDENTIAL, PUBLIC],
  native: [OF_CONFIDENTIAL, PUBLIC],
  api: [[...OF_SIGN_IN, 'serviceAccount', 'directoryAccess'], 'nobody signs in to it'],
};

const NOT_SERVED_BY_APIS: Readonly<Record<string, string>> = {
  openid: 'openid is in the token of every person, whatever it is for',
  offline_access: 'offline_access stands for refresh tokens',
};

/** Adds the issues of an entry that concern several of its keys. The schema, which checks each key alone, cannot find them. */
export function checkClient(value: unknown, reach: Reach, add: AddProblem): void {
  const entry = (typeof value === 'object' && value !== null ? value : {}) as Entry;
  const { type } = entry;
  if (typeof type !== 'string' || !Object.hasOwn(REFUSED, type)) return;
  checkRefusedKeys(entry, type, add);
  const isConfidential = type === 'server' || type === 'api';
  if (entry.profile !== undefined) checkFapi2(entry, add);
  else if (isConfidential) checkAuthentication(entry, add);
  if (isConfidential && entry.jwks !== undefined && entry.jwksUrl !== undefined)
    add(['jwksUrl'], { problem: 'Has both jwks and jwksUrl.', remedy: 'Keep one of them.' });
  if (type !== 'api' && entry.tokensOf !== undefined) {
    const problem = 'Only an api asks about tokens of others.';
    add(['tokensOf'], { problem, remedy: 'Remove tokensOf, or make the client an api.' });
  }
  if (entry.backchannelLogoutUrl === undefined) checkLogoutTokenKeys(entry, add);
  if (type === 'api') checkApi(entry, add);
  else checkSignIn(entry, type === 'native', reach, add);
  if (typeof entry.jwksUrl === 'string') {
    add(['jwksUrl'], outgoingUrlProblem(entry.jwksUrl, reach, 'https://app.example/jwks.json'));
  }
}

function checkRefusedKeys(entry: Entry, type: string, add: AddProblem): void {
  const [refused = [], reason] = REFUSED[type] ?? [];
  for (const key of refused) {
    if (!isGiven(entry[key])) continue;
    const remedy = `Remove ${key}, or make the client a server.`;
    add([key], { problem: `A client of type ${type} has no use for ${key}: ${reason}.`, remedy });
  }
}

/** Reports the keys about logout tokens of a client that gets none. */
function checkLogoutTokenKeys(entry: Entry, add: AddProblem): void {
  const isApi = entry.type === 'api';
  for (const key of ['backchannelLogoutSession', 'logoutTokenType'] as const) {
    // For an api, `checkRefusedKeys` has reported a given key, because an api must not have it. It is not reported twice.
    if (entry[key] === undefined || (isApi && isGiven(entry[key]))) continue;
    const remedy = isApi ? `Remove ${key}.` : `Remove ${key}, or add backchannelLogoutUrl.`;
    add([key], { problem: 'It is about logout tokens, but the client has no backchannelLogoutUrl.', remedy });
  }
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== false && typeof value !== 'symbol' && !isEmptyList(value);
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** Checks the secrets and keys of a server or an api. It must have either secrets or keys, and not both. */
function checkAuthentication({ type, secrets, ...entry }: Entry, add: AddProblem): void {
  const first = (['jwks', 'jwksUrl'] as const).find((key) => entry[key] !== undefined);
  if (isEmptyList(secrets) && !first) {
    const remedy = `Run \`${hygie('clients secret')}\` and put the printed hash under secrets; or give its public keys as jwks.`;
    add([], { problem: `A client of type ${type} needs secrets, jwks or jwksUrl.`, remedy });
  }
  if (Array.isArray(secrets) && secrets.length > 0 && first) {
    const remedy = `Remove one of them: with ${first} the client signs, and its secrets would not be used.`;
    add([first], { problem: 'Has both secrets and keys.', remedy });
  }
  if (entry.assertionAudience !== undefined && !first) {
    const problem = 'A client that has only secrets signs no assertions.';
    add(['assertionAudience'], { problem, remedy: 'Remove it, or give its public keys as jwks or jwksUrl.' });
  }
  if (entry.signedRequests === 'required' && !first) {
    const problem = 'A client that has only secrets has no key to sign requests with.';
    add(['signedRequests'], { problem, remedy: 'Give its public keys as jwks or jwksUrl instead of secrets.' });
  }
}

/** Checks a client of type api. Nobody signs in to it, and it requests no tokens. It must name the scopes that it serves. */
function checkApi({ consent, scopes }: Entry, add: AddProblem): void {
  if (consent === 'trusted') {
    add(['consent'], { problem: 'Nobody is asked for consent to a client of type api.', remedy: 'Remove consent.' });
  }
  const served = SCOPES.filter((scope) => !(scope in NOT_SERVED_BY_APIS)).join(', ');
  if (scopes === undefined || isEmptyList(scopes)) {
    const remedy = `List the scopes that it serves: ${served}.`;
    add(['scopes'], { problem: 'An api without scopes may see no token.', remedy });
  }
  for (const [index, scope] of (Array.isArray(scopes) ? scopes : []).entries()) {
    const reason = NOT_SERVED_BY_APIS[String(scope)];
    const remedy = `Remove it, and list what the api serves: ${served}.`;
    if (reason) add(['scopes', index], { problem: `No api serves it: ${reason}.`, remedy });
  }
}

function checkSignIn(entry: Entry, isNative: boolean, reach: Reach, add: AddProblem): void {
  checkOfflineAccess(entry, add);
  checkDirectoryAccess(entry, add);
  if (isEmptyList(entry.scopes)) {
    const remedy = 'List what it may ask for; or remove scopes: then it may ask for openid, email and profile.';
    add(['scopes'], { problem: 'A client without scopes may ask for nothing.', remedy });
  }
  if (entry.type !== 'server' && entry.signedRequests === 'required') {
    const problem = `A client of type ${entry.type} has no key to sign requests with.`;
    add(['signedRequests'], { problem, remedy: 'Remove signedRequests, or make the client a server with jwks.' });
  }
  if (entry.type !== 'server' && entry.pkce === 'optional') {
    add(['pkce'], { problem: 'A client without a secret always uses PKCE.', remedy: 'Remove pkce.' });
  }
  if (isEmptyList(entry.callbackUrls)) checkWithoutCallbacks(entry, add);
  if (isNative && entry.consent === 'trusted') {
    const problem = 'A native client cannot be trusted: another application can pose as it (RFC 8252 8.6).';
    add(['consent'], { problem, remedy: 'Remove consent: people are asked at each sign-in.' });
  }
  checkAddresses(entry, isNative, reach, add);
}

/** Checks a client to which nobody can sign in. Only a server that acts without a person may be such a client. */
function checkWithoutCallbacks(entry: Entry, add: AddProblem): void {
  const problem = 'Nobody signs in to a client without callbackUrls.';
  if (entry.serviceAccount === false) {
    const withoutPerson =
      entry.type === 'server' ? '; for one that acts without a person, write serviceAccount: true' : '';
    add(['callbackUrls'], { problem, remedy: `${NO_CALLBACK}${withoutPerson}.` });
    return;
  }
  for (const key of ['par', 'secondFactor', 'signedRequests', 'signedResponses'] as const) {
    if (entry[key] === 'required') add([key], { problem, remedy: `Remove ${key}.` });
  }
}

function checkAddresses(entry: Entry, isNative: boolean, reach: Reach, add: AddProblem): void {
  const examples = { callbackUrls: 'https://app.example/callback', logoutUrls: 'https://app.example/bye' };
  for (const key of ['callbackUrls', 'logoutUrls'] as const) {
    const addresses: unknown = entry[key];
    for (const [index, address] of (Array.isArray(addresses) ? addresses : []).entries()) {
      if (typeof address !== 'string') continue;
      add([key, index], returnUrlProblem(address, isNative, reach.mode, examples[key]));
    }
  }
  if (typeof entry.homeUrl === 'string') {
    add(['homeUrl'], pageUrlProblem(entry.homeUrl, reach.mode, 'https://app.example/'));
  }
  if (typeof entry.backchannelLogoutUrl === 'string') {
    const problem = outgoingUrlProblem(entry.backchannelLogoutUrl, reach, 'https://app.example/logout-token');
    add(['backchannelLogoutUrl'], problem);
  }
}

/**
 * Checks `refreshTokens`. A person has to consent to refresh tokens, unless the operator has declared the client trusted with `consent:
 * trusted` (OpenID Connect Core section 11). With `always`, the person is not asked. So `always` is allowed only for a trusted client.
 */
function checkOfflineAccess({ type, refreshTokens, consent, scopes }: Entry, add: AddProblem): void {
  if (refreshTokens !== 'always') return;
  if (consent !== 'trusted') {
    const problem = 'Access that outlives a sign-in needs the consent of the person, unless the client is trusted.';
    const remove = 'remove refreshTokens: the application then sends prompt=consent.';
    const remedy = type === 'native' ? `R${remove.slice(1)}` : `Write consent: trusted as well, or ${remove}`;
    add(['refreshTokens'], { problem, remedy });
  }
  if (!Array.isArray(scopes) || !scopes.includes('offline_access')) {
    const problem = 'Refresh tokens are issued for the scope offline_access, which the client may not ask for.';
    add(['refreshTokens'], { problem, remedy: 'Add offline_access to scopes, or remove refreshTokens.' });
  }
}

/** Checks `directoryAccess`, by which the operator allows a client to read the directory with tokens that belong to no person. */
function checkDirectoryAccess({ type, directoryAccess, serviceAccount, scopes }: Entry, add: AddProblem): void {
  if (type !== 'server' || directoryAccess !== true) return;
  if (serviceAccount !== true) {
    const problem = 'It is for tokens without a person, which this client cannot get.';
    add(['directoryAccess'], { problem, remedy: 'Write serviceAccount: true as well, or remove directoryAccess.' });
  }
  if (!Array.isArray(scopes) || !DIRECTORY_SCOPES.some((scope) => scopes.includes(scope))) {
    const problem = 'The client may ask for no scope of the directory.';
    const remedy = `Add ${DIRECTORY_SCOPES.join(' or ')} to scopes, or remove directoryAccess.`;
    add(['directoryAccess'], { problem, remedy });
  }
}
