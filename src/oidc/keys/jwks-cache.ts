// How long relying parties may keep the key set.

import type { KoaContextWithOIDC } from 'oidc-provider';

/** Middleware; `cachedFor` in seconds. */
export function cacheJwks(cachedFor: number) {
  return async (ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> => {
    await next();
    if (ctx.oidc?.route === 'jwks' && ctx.status === 200) ctx.set('cache-control', `public, max-age=${cachedFor}`);
  };
}
