// Middleware for some endpoints alone.

import type { KoaContextWithOIDC } from 'oidc-provider';

type Middleware = (ctx: KoaContextWithOIDC, next: () => Promise<void>) => Promise<void>;

/**
 * Skips the middleware for requests to paths other than these and those below them, in the spelling of `ROUTES`. Each asynchronous function
 * in a request's way takes turns of the microtask queue: a dozen of them made up a twentieth of an introspection.
 */
export function atPaths(paths: readonly string[], middleware: Middleware): Middleware {
  const exact = new Set(paths);
  const below = paths.map((path) => `${path}/`);
  return (ctx, next) => {
    const { path } = ctx;
    return exact.has(path) || below.some((start) => path.startsWith(start)) ? middleware(ctx, next) : next();
  };
}

const EXPOSED = 'X-Request-Id, Retry-After';
const HEADER = 'access-control-expose-headers';

/**
 * Names the response headers that a page of another origin may read, in addition to the library's. People quote the request id when
 * something fails, and a client that must wait needs to know for how long. The library decides which endpoints such pages may call
 * (SEC-45).
 */
export function exposeHeaders(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  // This is not asynchronous, so that requests without an origin, nearly all, take no extra turn.
  if (ctx.get('origin') === '') return next();
  return next().then(() => {
    if (!ctx.response.get('access-control-allow-origin') || ctx.method === 'OPTIONS') return;
    ctx.set(HEADER, [ctx.response.get(HEADER), EXPOSED].filter(Boolean).join(', '));
  });
}
