// Middleware for some endpoints alone. Each asynchronous function that a request passes through takes turns of the microtask queue:
// a dozen of them, for nothing, were a twentieth of an introspection.

import type { KoaContextWithOIDC } from 'oidc-provider';

type Middleware = (ctx: KoaContextWithOIDC, next: () => Promise<void>) => Promise<void>;

/** Leaves out the middleware of requests to other paths than these and what is below them, in the spelling of `ROUTES`. */
export function atPaths(paths: readonly string[], middleware: Middleware): Middleware {
  const exact = new Set(paths);
  const below = paths.map((path) => `${path}/`);
  return (ctx, next) => {
    const { path } = ctx;
    return exact.has(path) || below.some((start) => path.startsWith(start)) ? middleware(ctx, next) : next();
  };
}
