// Paths of the OpenID endpoints.

/** Addresses of the endpoints below the issuer (specification section 4; operators rely on them). */
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

/** Discovery by OpenID Connect Discovery section 4 and by RFC 8414 section 3; the library has no setting for these. */
export const DISCOVERY = ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server'] as const;

/**
 * The route of an address of the provider's, which Express does not know as one; undefined for any other. `base` is the path of the
 * issuer, without a slash at its end.
 */
export function routeOfPath(path: string, base: string): string | undefined {
  const own = path.startsWith('/.well-known/') ? path : path.startsWith(`${base}/`) ? path.slice(base.length) : '';
  if (PATHS.has(own)) return path;
  const [, endpoint = ''] = /^(\/\w+)\/[^/]+$/.exec(own) ?? [];
  return endpoint === ROUTES.authorization || endpoint === ROUTES.end_session ? `${base}${endpoint}/:step` : undefined;
}

const PATHS: ReadonlySet<string> = new Set([...Object.values(ROUTES), ...DISCOVERY]);

/** Path below which a person is signed in, followed by the interaction's uid. */
const INTERACTION_PATH = '/interaction';

/** Path at which a person is asked for a sign-in or consent. */
export function interactionUrl(issuer: string, uid: string): string {
  return `${new URL(issuer).pathname.replace(/\/$/, '')}${INTERACTION_PATH}/${uid}`;
}
