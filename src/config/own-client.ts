// The client that the service is to itself: people sign in to their own space (`/account`) as to any application.

import type { ClientSettings, Settings } from './settings.ts';

/** No entry of `clients.yaml` may have this id. */
export const OWN_CLIENT_ID = 'hygie-account';

/** Addresses below the issuer. */
export const ACCOUNT_PATH = '/account';
export const LINK_PATH = '/account-link';
export const ACCOUNT_CALLBACK = `${ACCOUNT_PATH}/signed-in`;

/**
 * The client. Its codes are redeemed within the service: the token endpoint, where it has a secret that is nobody's, gives it
 * nothing. Nobody is asked for consent to it.
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
