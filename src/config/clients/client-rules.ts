// Owns the rules of `clients.yaml` that its schema cannot say: callbacks, duplicates, production.
// Does not own how a client proves who it is, nor apis (`client-identity-rules.ts`), nor reading (`clients.ts`).

import type { ConfigIssue } from '../configuration-error.ts';
import { OWN_CLIENT_ID } from '../own-client.ts';
import { issueAt } from '../schema/validate.ts';
import type { ClientSettings, Settings } from '../settings.ts';
import { exactUrlIssue, isLoopbackHost, outgoingIssue, type Reach, type UrlIssue } from '../url-rules.ts';
import type { KeyPath, YamlFile } from '../yaml/yaml-file.ts';
import { checkApi, checkProofOfIdentity } from './client-identity-rules.ts';

type ClientType = ClientSettings['type'];

/** Every issue of the entries that the schema cannot say. Parts that do not fit the schema are passed over. */
export function clientRuleIssues(yaml: YamlFile, reach: Reach): ConfigIssue[] {
  const issues: ConfigIssue[] = [];
  const firstPlace = new Map<string, number>();
  for (const [place, entry] of entriesOf(yaml.value).entries()) {
    if (!isGroup(entry)) continue;
    const add = (path: KeyPath, issue: UrlIssue) => {
      if (issue) issues.push(issueAt(yaml, ['clients', place, ...path], issue));
    };
    const id = entry['id'];
    if (typeof id === 'string') {
      const before = firstPlace.get(id);
      if (before === undefined) firstPlace.set(id, place);
      else
        add(['id'], { problem: `clients[${before}] has the same id.`, remedy: 'Give each client an id of its own.' });
    }
    if (id === OWN_CLIENT_ID) {
      const problem = 'The service itself has this id, for the space of people at /account.';
      add(['id'], { problem, remedy: 'Give the client another id.' });
    }
    const type = entry['type'];
    if (type === 'server' || type === 'browser' || type === 'native' || type === 'api') {
      checkProofOfIdentity(entry, type, reach, add);
      if (type === 'api') checkApi(entry, add);
      else checkEntry(entry, type, reach, add);
    }
  }
  return issues;
}

/** The entries of the file, of whatever kind they are. */
export function entriesOf(value: unknown): readonly unknown[] {
  const list = isGroup(value) ? value['clients'] : undefined;
  return Array.isArray(list) ? list : [];
}

function checkEntry(
  entry: Record<string, unknown>,
  type: ClientType,
  reach: Reach,
  add: (path: KeyPath, issue: UrlIssue) => void,
): void {
  // Also when a misspelt key stands for it.
  const serviceAccount = entry['serviceAccount'] !== false;
  const callbacks = entry['callbackUrls'];
  const nowhere = Array.isArray(callbacks) && callbacks.length === 0;
  for (const key of ['par', 'secondFactor']) {
    if (entry[key] !== 'required' || !nowhere || !serviceAccount) continue;
    add([key], { problem: 'Nobody signs in to a client without callbackUrls.', remedy: `Remove ${key}.` });
  }
  if (type !== 'server' && entry['serviceAccount'] === true) {
    const problem = `A client of type ${type} cannot act on its own.`;
    add(['serviceAccount'], { problem, remedy: 'Remove serviceAccount, or make it a server.' });
  }
  if (type === 'native' && entry['consent'] === 'trusted') {
    const problem = 'A native client cannot be trusted: another application can pose as it (RFC 8252 8.6).';
    add(['consent'], { problem, remedy: 'Remove consent: people are asked at each sign-in.' });
  }
  if (nowhere && !serviceAccount) {
    const remedy = 'Add the address to which people return after signing in.';
    add(['callbackUrls'], { problem: 'No callback address.', remedy });
  }
  for (const [key, example] of [
    ['callbackUrls', 'https://app.example/callback'],
    ['logoutUrls', 'https://app.example/bye'],
  ] as const) {
    for (const [place, address] of listOf(entry[key]).entries()) {
      if (typeof address === 'string') add([key, place], returnUrlIssue(address, type, reach.mode, example));
    }
  }
  const backchannel = entry['backchannelLogoutUrl'];
  if (typeof backchannel === 'string') {
    add(['backchannelLogoutUrl'], outgoingIssue(backchannel, reach, 'https://app.example/logout-token'));
  }
}

// RFC 9700 2.1 and specification 5.7: https only. RFC 8252 7: native clients may return to a scheme of their own or to
// loopback. In development everybody may return to loopback.
function returnUrlIssue(address: string, type: ClientType, mode: Settings['mode'], example: string): UrlIssue {
  const issue = exactUrlIssue(address, example);
  if (issue) return issue;
  const url = new URL(address);
  if (url.protocol === 'https:') return undefined;
  const loopback = url.protocol === 'http:' && isLoopbackHost(url.hostname);
  if (loopback && (type === 'native' || mode === 'development')) return undefined;
  if (loopback) {
    return {
      problem: 'Production refuses http addresses of this machine.',
      remedy: 'Use the https address of the client.',
    };
  }
  if (url.protocol === 'http:') return { problem: 'Is http.', remedy: 'Use https.' };
  const schemeHasDot = url.protocol.includes('.');
  if (type === 'native' && schemeHasDot) return undefined;
  if (type === 'native') {
    const remedy = 'Use a reversed domain name of yours: com.example.app:/callback, or https.';
    return { problem: 'A scheme of its own must hold a dot (RFC 8252 7.1).', remedy };
  }
  return { problem: `Is not https, and only native clients may have a scheme of their own.`, remedy: 'Use https.' };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isGroup(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
