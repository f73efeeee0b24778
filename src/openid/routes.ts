// Paths of the OpenID endpoints and of the sign-in pages, below the issuer.

/** Paths of the endpoints (specification section 4). They must not change, because operators rely on them. */
export const ROUTES = {
  authorization: '/authorize',
  token: '/oauth/token',
  userinfo: '/userinfo',
  jwks: '/.well-known/jwks.json',
  end_session: '/logout',
  revocation: '/oauth/revoke',
  introspection: '/oauth/introspect',
  pushed_authorization_request: '/oauth/par',
} as const;

/**
 * Paths of the discovery document (OpenID Connect Discovery section 4, RFC 8414 section 3). They are fixed, and the library has no setting
 * for them.
 */
export const DISCOVERY = ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server'] as const;

/**
 * Returns the name that traces give to a path of the provider; undefined for any other path. Express cannot name these routes, because the
 * provider has its own router. `base` is the path of the issuer, without a final slash.
 */
export function routeOfPath(path: string, base: string): string | undefined {
  const own = belowIssuer(path, base);
  if (PATHS.has(own)) return path;
  const [, endpoint = ''] = /^(\/\w+)\/[^/]+$/.exec(own) ?? [];
  return endpoint === ROUTES.authorization || endpoint === ROUTES.end_session ? `${base}${endpoint}/:step` : undefined;
}

/** Returns the path without that of the issuer; empty for a path outside the issuer. The paths of `DISCOVERY` are always whole. */
function belowIssuer(path: string, base: string): string {
  if (path.startsWith('/.well-known/')) return path;
  return path.startsWith(`${base}/`) ? path.slice(base.length) : '';
}

const PATHS: ReadonlySet<string> = new Set([...Object.values(ROUTES), ...DISCOVERY]);

/** Paths that browsers open with their session cookie. */
export const VISITED: readonly string[] = [ROUTES.authorization, ROUTES.end_session];

/** First segments of the endpoints that only programs call: `.well-known`, `oauth`, `userinfo`. */
const PROGRAM_SEGMENTS: ReadonlySet<string | undefined> = new Set(
  [...PATHS].filter((route) => !VISITED.includes(route)).map((route) => route.split('/', 2)[1]),
);

/**
 * Checks whether responses at a path are JSON regardless of `Accept` (RFC 6749 section 5.2, RFC 7662 section 2.3, RFC 8414 section 3.2).
 * Programs may ask for HTML without wanting it: Java's HTTP client prefers `text/html` by default, but libraries that use this client find
 * no error code in a page.
 */
export function isForPrograms(path: string): boolean {
  return PROGRAM_SEGMENTS.has(path.split('/', 2)[1]);
}

/** Returns the sentence of a 404 for programs. It says where they find the addresses of the endpoints. */
export function nothingHere(issuer: string): string {
  return `nothing is served at this address: ${issuer}${DISCOVERY[0]} has the addresses`;
}

/** Path of the sign-in pages. The uid of an interaction comes after it. */
export const SIGN_IN_PATH = '/interaction';

/** Returns the path of the pages of one interaction. */
export function interactionUrl(issuer: string, uid: string): string {
  return `${new URL(issuer).pathname.replace(/\/$/, '')}${SIGN_IN_PATH}/${uid}`;
}
