// The service's own client: people sign in to their account pages (`/account`) as to any application.

import type { ClientSettings, Settings } from './settings.ts';

/** No entry of `clients.yaml` may have this id. */
export const OWN_CLIENT_ID = 'hygie-account';

/** Addresses below the issuer. */
export const ACCOUNT_PATH = '/account';
export const LINK_PATH = '/account-link';
export const ACCOUNT_CALLBACK = `${ACCOUNT_PATH}/signed-in`;

/**
 * Parameter of an authorization request for a sign-in in which another person may take over the session: its page does not name the present
 * one. It hides a name and changes nothing else, so that anybody may send it.
 */
export const ANEW_PARAMETER = 'anew';

/**
 * The client. The service itself redeems its codes. It gets nothing at the token endpoint, because nobody knows its secret there. It never
 * asks for consent.
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
