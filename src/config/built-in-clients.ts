// The OpenID clients of the service's own pages. `ownClient` is the client of the account pages (`/account`), to which people sign in as to
// any application. `tryClient` is the client of the page on which people try the directory (`/directory/try`). It is a public client. In
// development and in a sandbox, the service registers it. Elsewhere, `directory.tryClient` names an entry of `clients.yaml` for this page.

import { join } from 'node:path';
import type { ConfigIssue, Problem } from './configuration-error.ts';
import type { ClientSettings, Settings } from './settings.ts';

/** Id of the client of the account pages. No entry of `clients.yaml` may have this id. */
export const OWN_CLIENT_ID = 'hygie-account';

/** Paths of the account pages, below the issuer. */
export const ACCOUNT_PATH = '/account';
export const LINK_PATH = '/account-link';
export const ACCOUNT_CALLBACK = `${ACCOUNT_PATH}/signed-in`;

/**
 * Parameter of an authorization request. It says that somebody other than the signed-in person may sign in, as on a shared computer. The
 * sign-in page then does not show the name of the signed-in person. Any client may send it, since it does nothing but hide a name.
 */
export const ANEW_PARAMETER = 'anew';

/**
 * Returns the client of the account pages. It has no secret, so the token endpoint refuses it. The service redeems the client's
 * authorization codes itself. Nobody is asked for consent to this client.
 */
export function ownClient({ issuer, branding }: Pick<Settings, 'issuer' | 'branding'>): ClientSettings {
  return {
    id: OWN_CLIENT_ID,
    name: branding.name,
    type: 'server',
    secretHashes: [],
    callbackUrls: [issuer + ACCOUNT_CALLBACK],
    logoutUrls: [],
    scopes: ['openid'],
    consent: 'trusted',
    serviceAccount: false,
  };
}

/** Id of the client of the page to try the directory. No entry of `clients.yaml` may have this id. */
export const TRY_CLIENT_ID = 'hygie-try';

/** Id of the client of the demo. While there is a demo, no entry of `clients.yaml` may have this id. */
export const DEMO_CLIENT_ID = 'demo-server';

/** Paths of the page to try the directory, below the issuer. */
export const TRY_PATH = '/directory/try';
export const TRY_CALLBACK = `${TRY_PATH}/signed-in`;

type TrySettings = Pick<Settings, 'issuer' | 'mode' | 'sandbox' | 'directory'>;

/**
 * Returns the client of the page to try the directory, with the values that it must be registered with. Nobody is asked for consent to it,
 * because the page belongs to the service.
 */
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

/** Returns the client of the page to try the directory if the service registers it by itself. Otherwise returns an empty list. */
export function ownTryClients(settings: TrySettings): ClientSettings[] {
  const isOwn = settings.directory.tryClient === undefined && (settings.mode === 'development' || settings.sandbox);
  return isOwn ? [tryClient(settings)] : [];
}

/**
 * Finds the client of the page to try the directory among the clients in force. Returns undefined if there is none, or if an edit of
 * `clients.yaml` has made it unusable for the page.
 */
export function tryClientIn(
  settings: TrySettings,
  clients: { find(id: string): ClientSettings | undefined },
): ClientSettings | undefined {
  const client = clients.find(settings.directory.tryClient ?? TRY_CLIENT_ID);
  return tryClientProblem(client, settings) ? undefined : client;
}

/**
 * Returns an issue of `service.yaml` if the client that `directory.tryClient` names cannot serve the page. Otherwise returns an empty list.
 */
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
