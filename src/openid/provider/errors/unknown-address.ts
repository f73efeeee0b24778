// The answer at an address that the provider does not know: a page for browsers, JSON for programs.

import type { KoaContextWithOIDC } from 'oidc-provider';
import { isForPrograms } from '#openid/routes.ts';

/** `page` renders it. */
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
