// The clients of the service's own pages. With one, people sign in to their account pages (`/account`) as to any application. The other is
// for the page to try the directory (`/directory/try`): a public client, which development and a sandbox register by themselves; elsewhere
// it is an entry of `clients.yaml` that `directory.tryClient` names.

import { join } from 'node:path';
import type { ConfigIssue, Problem } from './configuration-error.ts';
import type { ClientSettings, Settings } from './settings.ts';

/** No entry of `clients.yaml` may have this id. */
export const OWN_CLIENT_ID = 'hygie-account';

/** Paths below the issuer. */
export const ACCOUNT_PATH = '/account';
export const LINK_PATH = '/account-link';
export const ACCOUNT_CALLBACK = `${ACCOUNT_PATH}/signed-in`;

/**
 * Parameter of an authorization request in which another person may take over the session. The sign-in page then does not name the present
 * person. Anybody may send it, since it only hides a name.
 */
export const ANEW_PARAMETER = 'anew';

/**
 * Returns the client of the account pages. It has no secret, so the token endpoint gives it nothing: the service redeems its codes itself.
 * People are never asked for consent to it.
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

/** No entry of `clients.yaml` may have this id. */
export const TRY_CLIENT_ID = 'hygie-try';

/** Paths below the issuer. */
export const TRY_PATH = '/directory/try';
export const TRY_CALLBACK = `${TRY_PATH}/signed-in`;

type TrySettings = Pick<Settings, 'issuer' | 'mode' | 'sandbox' | 'directory'>;

/**
 * Returns the client of the page to try the directory, as it has to be registered. Nobody is asked for consent, since the page is the
 * service's own.
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
