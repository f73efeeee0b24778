// 405 with the methods that an endpoint takes (RFC 9110 section 15.5.6): for another method the library knows no such address.

import type { KoaContextWithOIDC } from 'oidc-provider';
import { DISCOVERY, ROUTES } from '#openid/routes.ts';

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

/** To be used last, so that it comes before a page for unknown addresses. */
export async function methodNotAllowed(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  await next();
  const allowed = Object.hasOwn(ALLOWED, ctx.path) ? ALLOWED[ctx.path] : undefined;
  if (ctx.status !== 404 || ctx.body || allowed === undefined) return;
  ctx.status = 405;
  ctx.set('allow', allowed);
  ctx.body = { error: 'invalid_request', error_description: `${ctx.path} takes ${allowed.replace(', ', ' or ')} only` };
}
