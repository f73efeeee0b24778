// The addresses of the demo below the issuer. They are registered for its client.

/** Paths below `{issuer}`. They must equal the registered callback and post-logout addresses, character by character. */
export const demoPaths = {
  base: '/demo',
  /** Page after signing out. */
  start: '/demo/',
  callback: '/demo/callback',
  /** Receives logout tokens (OpenID Connect Back-Channel Logout 1.0). */
  backchannelLogout: '/demo/backchannel-logout',
} as const;

/** The scopes that the client requests: the person (specification 2.2) and the right to read the directory (4.5). */
export const demoScope = 'openid email profile PRACTITIONER_READ ORGANIZATION_READ';

/** Page of each search, below `/demo/`. The page of a record has the record's id after it. */
export const SEARCH_PATHS = { Practitioner: 'practitioners', Organization: 'organizations' } as const;
