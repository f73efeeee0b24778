// The paths of the demo, which begin at the issuer. The callback and the page after signing out are registered for the demo's client.

/**
 * Paths below `{issuer}`. The callback and post-logout addresses of the client are made of them, and the service compares these addresses
 * character by character.
 */
export const demoPaths = {
  base: '/demo',
  /** The first page. People also come here after signing out. */
  start: '/demo/',
  callback: '/demo/callback',
  /** The service sends logout tokens here (OpenID Connect Back-Channel Logout 1.0). */
  backchannelLogout: '/demo/backchannel-logout',
} as const;

/**
 * The scopes that the client requests: data about the person (specification 2.2), and the right to read the directory (specification 4.5).
 */
export const demoScope = 'openid email profile PRACTITIONER_READ ORGANIZATION_READ';

/** Path of the search page of each type, below `/demo/`. The path of a record's page has the id of the record after it. */
export const SEARCH_PATHS = { Practitioner: 'practitioners', Organization: 'organizations' } as const;
