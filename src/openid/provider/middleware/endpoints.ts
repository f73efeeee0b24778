// Middleware for some endpoints alone.

import type { KoaContextWithOIDC } from 'oidc-provider';

type Middleware = (ctx: KoaContextWithOIDC, next: () => Promise<void>) => Promise<void>;

/**
 * Leaves out the middleware of requests to other paths than these and what is below them, in the spelling of `ROUTES`. Each asynchronous
 * function that a request passes through takes turns of the microtask queue: a dozen of them were a twentieth of an introspection.
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
 * Names the headers that a page of another origin may read of an answer, beside the library's. People quote the id of a request when
 * something fails, and a client that was refused for a while has to know for how long. Which endpoints such pages may ask is the
 * library's affair (SEC-45).
 */
export function exposeHeaders(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  // Not asynchronous: requests without an origin, nearly all, take no turn more.
  if (ctx.get('origin') === '') return next();
  return next().then(() => {
    if (!ctx.response.get('access-control-allow-origin') || ctx.method === 'OPTIONS') return;
    ctx.set(HEADER, [ctx.response.get(HEADER), EXPOSED].filter(Boolean).join(', '));
  });
}
