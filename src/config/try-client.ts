// The client of the page to try the directory (`/directory/try`). It is a public client. Development and a sandbox register it by
// themselves; elsewhere it is an entry of `clients.yaml` that `directory.tryClient` names.

import { join } from 'node:path';
import type { ConfigIssue, Problem } from './configuration-error.ts';
import type { ClientSettings, Settings } from './settings.ts';

/** No entry of `clients.yaml` may have this id. */
export const TRY_CLIENT_ID = 'hygie-try';

/** Paths below the issuer. */
export const TRY_PATH = '/directory/try';
export const TRY_CALLBACK = `${TRY_PATH}/signed-in`;

type TrySettings = Pick<Settings, 'issuer' | 'mode' | 'sandbox' | 'directory'>;

/** Returns the client as it has to be registered. Nobody is asked for consent, since the page is the service's own. */
export function tryClient({ issuer }: Pick<Settings, 'issuer'>): ClientSettings {
  return {
    id: TRY_CLIENT_ID,
    name: 'Annuaire',
    type: 'browser',
    secretHashes: [],
    callbackUrls: [issuer + TRY_CALLBACK],
    logoutUrls: [issuer + TRY_PATH],
    scopes: ['openid', 'profile', 'PRACTITIONER_READ', 'ORGANIZATION_READ'],
    consent: 'trusted',
    serviceAccount: false,
  };
}

/** Returns the clients that the service itself registers for the page. */
export function ownTryClients(settings: TrySettings): ClientSettings[] {
  const isOwn = settings.directory.tryClient === undefined && (settings.mode === 'development' || settings.sandbox);
  return isOwn ? [tryClient(settings)] : [];
}

/** Finds the page's client among those in force. Undefined if none is named, or if an edit of `clients.yaml` has made it unfit. */
export function tryClientIn(
  settings: TrySettings,
  clients: { find(id: string): ClientSettings | undefined },
): ClientSettings | undefined {
  const client = clients.find(settings.directory.tryClient ?? TRY_CLIENT_ID);
  return tryClientProblem(client, settings) ? undefined : client;
}

/** Returns an issue of `service.yaml` for everything that keeps the named client from serving the page. */
export function tryClientIssues(
  settings: TrySettings & Pick<Settings, 'configFolder'>,
  clients: readonly ClientSettings[],
): ConfigIssue[] {
  const { tryClient: id } = settings.directory;
  if (id === undefined) return [];
  const problem = tryClientProblem(
    clients.find((client) => client.id === id),
    settings,
  );
  const place = { file: join(settings.configFolder, 'service.yaml'), path: 'directory.tryClient' };
  return problem ? [{ ...place, ...problem }] : [];
}

function tryClientProblem(client: ClientSettings | undefined, settings: Pick<Settings, 'issuer'>): Problem | undefined {
  const { callbackUrls, logoutUrls, scopes } = tryClient(settings);
  const [callback = '', signedOut = ''] = [...callbackUrls, ...logoutUrls];
  const remedy = `Write in clients.yaml, under its id: type: browser, callbackUrls: [${callback}], logoutUrls: [${signedOut}], scopes: [${scopes.join(', ')}].`;
  const because = (problem: string) => ({ problem, remedy });
  if (!client) return because('No client of clients.yaml has this id.');
  if (client.type !== 'browser')
    return because(`The client is of the type ${client.type}, but the page can keep no secret.`);
  if (!client.callbackUrls.includes(callback)) return because(`The client's callbackUrls lack ${callback}.`);
  if (!client.logoutUrls.includes(signedOut)) return because(`The client's logoutUrls lack ${signedOut}.`);
  if (!client.scopes.includes('openid')) return because('The client lacks the scope openid.');
  const [name] = Object.entries({ par: client.par, dpop: client.dpop, signedRequests: client.signedRequests }).find(
    ([, value]) => value === 'required',
  ) ?? [client.profile && 'profile'];
  return name
    ? { problem: `The client has ${name}, which the page does not support.`, remedy: `Remove ${name}.` }
    : undefined;
}
