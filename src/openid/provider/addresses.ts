// Refuses addresses that the provider does not answer: unknown ones, other methods, other spellings.

import type { KoaContextWithOIDC } from 'oidc-provider';
import { DISCOVERY, isForPrograms, ROUTES } from '#openid/routes.ts';

/** Answers 404 at unknown addresses: with the `page` for browsers, and with JSON for programs. */
export function unknownAddress(page: (ctx: KoaContextWithOIDC) => string) {
  return async (ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> => {
    await next();
    if (ctx.status !== 404 || ctx.body) return;
    if (!isForPrograms(ctx.path) && ctx.accepts('json', 'html') === 'html') {
      ctx.type = 'html';
      ctx.body = page(ctx);
    } else ctx.body = { error: 'not_found', error_description: 'nothing is served at this address' };
    ctx.status = 404;
  };
}

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

/** Add it after the page for unknown addresses, so that it sees a response before that page does. */
export async function methodNotAllowed(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  await next();
  const allowed = Object.hasOwn(ALLOWED, ctx.path) ? ALLOWED[ctx.path] : undefined;
  if (ctx.status !== 404 || ctx.body || allowed === undefined) return;
  ctx.status = 405;
  ctx.set('allow', allowed);
  ctx.body = { error: 'invalid_request', error_description: `${ctx.path} takes ${allowed.replace(', ', ' or ')} only` };
}

const ENDPOINTS: ReadonlySet<string> = new Set(Object.values(ROUTES));
const FIRST_PARTS = new Set(['.well-known', ...Object.values(ROUTES).map((route) => route.split('/')[1])]);

/**
 * Answers other spellings with 404. The library's router would accept `/USERINFO` and `/authorize/`, where our middleware would not run its
 * checks, since it goes by the path. Add this last. The rest of an address below `/authorize/` belongs to an interaction and keeps its
 * case.
 */
export function exactAddresses({ path }: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  return ENDPOINTS.has(path) || isExact(path) ? next() : Promise.resolve();
}

function isExact(path: string): boolean {
  const [, first = '', second = ''] = path.split('/');
  const exact = FIRST_PARTS.has(first) && (first === 'authorize' || second === second.toLowerCase());
  return exact && !path.endsWith('/');
}
