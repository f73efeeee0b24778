// Refuses requests that the provider does not answer: unknown addresses, wrong methods, and other spellings of its addresses.

import type { KoaContextWithOIDC } from 'oidc-provider';
import { DISCOVERY, isForPrograms, ROUTES } from '#openid/routes.ts';

const ALLOWED: Readonly<Record<string, string>> = {
  [ROUTES.authorization]: 'GET, POST',
  [ROUTES.token]: 'POST',
  [ROUTES.userinfo]: 'GET, POST',
  [ROUTES.jwks]: 'GET',
  ...Object.fromEntries(DISCOVERY.map((path) => [path, 'GET'])),
  [ROUTES.end_session]: 'GET, POST',
  [ROUTES.revocation]: 'POST',
  [ROUTES.introspection]: 'POST',
  [ROUTES.pushed_authorization_request]: 'POST',
};

/**
 * Answers 405 to a wrong method, and 404 at an unknown address: with `page` for browsers, with JSON for programs. Add it last. It also
 * refuses other spellings. The library's router would accept `/USERINFO` and `/authorize/`, but our middleware compares paths and would not
 * run its checks there.
 */
export function refuseUnknown(page: (ctx: KoaContextWithOIDC) => string) {
  return async (ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> => {
    const { path } = ctx;
    if (ENDPOINTS.has(path) || isExact(path)) await next();
    if (ctx.status !== 404 || ctx.body) return;
    const allowed = Object.hasOwn(ALLOWED, path) ? ALLOWED[path] : undefined;
    if (allowed !== undefined) {
      ctx.status = 405;
      ctx.set('allow', allowed);
      ctx.body = { error: 'invalid_request', error_description: `${path} takes ${allowed.replace(', ', ' or ')} only` };
      return;
    }
    if (!isForPrograms(path) && ctx.accepts('json', 'html') === 'html') {
      ctx.type = 'html';
      ctx.body = page(ctx);
    } else ctx.body = { error: 'not_found', error_description: 'nothing is served at this address' };
    ctx.status = 404;
  };
}

const ENDPOINTS: ReadonlySet<string> = new Set(Object.values(ROUTES));
const FIRST_PARTS = new Set(['.well-known', ...Object.values(ROUTES).map((route) => route.split('/')[1])]);

/** Checks the spelling of a path below an endpoint. Below `/authorize/`, the second part is the id of an interaction and keeps its case. */
function isExact(path: string): boolean {
  const [, first = '', second = ''] = path.split('/');
  const exact = FIRST_PARTS.has(first) && (first === 'authorize' || second === second.toLowerCase());
  return exact && !path.endsWith('/');
}
