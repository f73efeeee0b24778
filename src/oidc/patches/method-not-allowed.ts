// Owns the answer to a method that an address does not take: 405 with the ones it does (RFC 9110 section 15.5.6), where the
// library knows no such address. Does not own the addresses (`routes.ts`).

import type { KoaContextWithOIDC } from 'oidc-provider';
import { ROUTES } from '../routes.ts';

const TAKES: Readonly<Record<string, string>> = {
  [ROUTES.authorization]: 'GET, POST',
  [ROUTES.token]: 'POST',
  [ROUTES.userinfo]: 'GET, POST',
  [ROUTES.jwks]: 'GET',
  [ROUTES.end_session]: 'GET, POST',
  [ROUTES.revocation]: 'POST',
  [ROUTES.introspection]: 'POST',
  [ROUTES.pushed_authorization_request]: 'POST',
};

/** Answers what nothing else has answered. */
export const refuseOtherMethods = async (ctx: KoaContextWithOIDC, next: () => Promise<void>) => {
  await next();
  const allowed = Object.hasOwn(TAKES, ctx.path) ? TAKES[ctx.path] : undefined;
  if (ctx.status !== 404 || ctx.body || allowed === undefined) return;
  ctx.status = 405;
  ctx.set('allow', allowed);
  ctx.body = { error: 'invalid_request', error_description: `${ctx.path} takes ${allowed.replace(', ', ' or ')} only` };
};
