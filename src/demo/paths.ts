// The addresses of the demo below the issuer, as its client is registered.

/** Paths below `{issuer}`, exactly as they are registered: callback and post-logout addresses must match to the letter. */
export const demoPaths = {
  base: '/demo',
  /** Page after signing out. */
  start: '/demo/',
  callback: '/demo/callback',
  /** Takes logout tokens (OpenID Connect Back-Channel Logout 1.0). */
  backchannelLogout: '/demo/backchannel-logout',
} as const;

/** The scopes that the client requests: the person (specification 2.2) and the right to read the directory (4.5). */
export const demoScope = 'openid email profile PRACTITIONER_READ ORGANIZATION_READ';

/** Page of each search below `/demo/`; the pages of records are below it by their id. */
export const SEARCH_PATHS = { Practitioner: 'practitioners', Organization: 'organizations' } as const;
