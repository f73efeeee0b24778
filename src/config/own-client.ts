// The service's own client. With it, people sign in to their account pages (`/account`) as to any application.

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
 * Returns the client. It has no secret, so the token endpoint gives it nothing: the service redeems its codes itself. People are never
 * asked for consent to it.
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
