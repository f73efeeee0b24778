// Headers that a page of another origin may read of an answer, beside those that the library names: people quote the id of a
// request when something fails, and a client that was refused for a while has to know for how long.

import type { KoaContextWithOIDC } from 'oidc-provider';

const EXPOSED = 'X-Request-Id, Retry-After';
const HEADER = 'access-control-expose-headers';

/** To be used at the endpoints that pages of other origins may ask; which of them may is the library's affair (SEC-45). */
export function exposeHeaders(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  // Not asynchronous: requests without an origin, nearly all, take no turn more.
  if (ctx.get('origin') === '') return next();
  return next().then(() => {
    if (!ctx.response.get('access-control-allow-origin') || ctx.method === 'OPTIONS') return;
    ctx.set(HEADER, [ctx.response.get(HEADER), EXPOSED].filter(Boolean).join(', '));
  });
}
