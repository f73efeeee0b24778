// A page for browsers at an address that the provider does not know.

import type { KoaContextWithOIDC } from 'oidc-provider';

/** `page` renders it. */
export function unknownAddress(page: (ctx: KoaContextWithOIDC) => string) {
  return async (ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> => {
    await next();
    if (ctx.status !== 404 || ctx.body || ctx.accepts('json', 'html') !== 'html') return;
    ctx.type = 'html';
    ctx.body = page(ctx);
    ctx.status = 404;
  };
}
