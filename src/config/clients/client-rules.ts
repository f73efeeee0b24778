// Rules of `clients.yaml` across keys and entries, or that depend on the mode: callbacks, duplicate ids, production. How a client
// authenticates: `client-identity-rules.ts`.

import type { ConfigIssue, Problem } from '../configuration-error.ts';
import { OWN_CLIENT_ID } from '../own-client.ts';
import type { Unchecked } from '../schema/validate.ts';
import type { Settings } from '../settings.ts';
import { exactUrlProblem, isLoopbackHost, outgoingUrlProblem, type Reach } from '../url-rules.ts';
import type { YamlFile } from '../yaml/yaml-file.ts';
import { type Add, checkApi, checkAuthentication, type Entry, listOf } from './client-identity-rules.ts';
import type { ClientEntry } from './client-schema.ts';

/** Every issue of the entries that the schema cannot express; parts that do not fit the schema are passed over. */
export function clientRuleIssues(
  yaml: YamlFile,
  entries: readonly Unchecked<ClientEntry>[],
  reach: Reach,
): ConfigIssue[] {
  const issues: ConfigIssue[] = [];
  const firstOfId = new Map<string, number>();
  for (const [index, entry] of entries.entries()) {
    if (typeof entry !== 'object' || entry === null) continue;
    const add: Add = (path, problem) => {
      if (problem) issues.push(yaml.issueAt(['clients', index, ...path], problem));
    };
    const { id, type } = entry;
    if (typeof id === 'string') {
      const first = firstOfId.get(id);
      if (first === undefined) firstOfId.set(id, index);
      else add(['id'], { problem: `clients[${first}] has the same id.`, remedy: 'Give each client an id of its own.' });
    }
    if (id === OWN_CLIENT_ID) {
      const problem = 'The service itself has this id, for the space of people at /account.';
      add(['id'], { problem, remedy: 'Give the client another id.' });
    }
    if (!isClientType(type)) continue;
    checkAuthentication(entry, type, reach, add);
    if (type === 'api') checkApi(entry, add);
    else checkSignIn(entry, type, reach, add);
  }
  return issues;
}

function isClientType(type: unknown): type is ClientEntry['type'] {
  return type === 'server' || type === 'browser' || type === 'native' || type === 'api';
}

function checkSignIn(entry: Entry, type: ClientEntry['type'], reach: Reach, add: Add): void {
  // Also where a misspelt key stands for it.
  const mayActAlone = entry.serviceAccount !== false;
  const hasNoCallback = Array.isArray(entry.callbackUrls) && entry.callbackUrls.length === 0;
  for (const key of ['par', 'secondFactor'] as const) {
    if (entry[key] !== 'required' || !hasNoCallback || !mayActAlone) continue;
    add([key], { problem: 'Nobody signs in to a client without callbackUrls.', remedy: `Remove ${key}.` });
  }
  if (type !== 'server' && entry.serviceAccount === true) {
    const problem = `A client of type ${type} cannot act on its own.`;
    add(['serviceAccount'], { problem, remedy: 'Remove serviceAccount, or make it a server.' });
  }
  if (type === 'native' && entry.consent === 'trusted') {
    const problem = 'A native client cannot be trusted: another application can pose as it (RFC 8252 8.6).';
    add(['consent'], { problem, remedy: 'Remove consent: people are asked at each sign-in.' });
  }
  if (hasNoCallback && !mayActAlone) {
    const remedy = 'Add the address to which people return after signing in.';
    add(['callbackUrls'], { problem: 'No callback address.', remedy });
  }
  const examples = { callbackUrls: 'https://app.example/callback', logoutUrls: 'https://app.example/bye' };
  for (const key of ['callbackUrls', 'logoutUrls'] as const) {
    for (const [index, url] of listOf(entry[key]).entries()) {
      if (typeof url === 'string') add([key, index], returnUrlProblem(url, type, reach.mode, examples[key]));
    }
  }
  if (typeof entry.backchannelLogoutUrl === 'string') {
    const problem = outgoingUrlProblem(entry.backchannelLogoutUrl, reach, 'https://app.example/logout-token');
    add(['backchannelLogoutUrl'], problem);
  }
}

// RFC 9700 2.1 and specification 5.7: https only. RFC 8252 7: native clients may return to a scheme of their own or to
// loopback. In development everybody may return to loopback.
function returnUrlProblem(
  address: string,
  type: ClientEntry['type'],
  mode: Settings['mode'],
  example: string,
): Problem | undefined {
  const problem = exactUrlProblem(address, example);
  if (problem) return problem;
  const { protocol, hostname } = new URL(address);
  if (protocol === 'https:') return undefined;
  if (protocol === 'http:') {
    if (!isLoopbackHost(hostname)) return { problem: 'Is http.', remedy: 'Use https.' };
    if (type === 'native' || mode === 'development') return undefined;
    const remedy = 'Use the https address of the client.';
    return { problem: 'Production refuses http addresses of this machine.', remedy };
  }
  if (type !== 'native') {
    return { problem: 'Is not https, and only native clients may have a scheme of their own.', remedy: 'Use https.' };
  }
  if (protocol.includes('.')) return undefined;
  const remedy = 'Use a reversed domain name of yours: com.example.app:/callback, or https.';
  return { problem: 'A scheme of its own must hold a dot (RFC 8252 7.1).', remedy };
}
