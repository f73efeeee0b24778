// Owns the addresses of the demo below the service's issuer; whoever registers the two clients reads them here.
// Does not own what happens at them (`router.ts`).

/** Paths below `{issuer}`, as they are registered: callback and post-logout addresses must match to the letter. */
export const demoPaths = {
  base: '/demo',
  /** Where signing out leads, for both clients. */
  start: '/demo/',
  callback: '/demo/callback',
  browser: '/demo/browser',
  browserCallback: '/demo/browser/callback',
} as const;

/** What both clients ask for: who signed in (specification 2.2) and leave to read the directory (4.5). */
export const demoScope = 'openid email profile PRACTITIONER_READ ORGANIZATION_READ';
