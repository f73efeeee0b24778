// Owns that a request which is answered leaves nothing behind but its answer. Does not own the answer.
//
// The library gives each context an accessor of its own (`ctx.oidc`). V8 keeps accessors among what is old from the start, and with
// each of them the closure, the context, and by it the whole request and response, until the next full collection: ten kilobytes
// of every request would be copied twice, and be garbage that only a slow collection finds.

import type { Provider } from 'oidc-provider';

/** Parts the context of a request that was answered from what it was made of. For a provider that has answered nothing yet. */
export function letGoOfAnswered(provider: Provider): void {
  const nothing = { req: undefined, res: undefined, request: undefined, response: undefined, state: undefined };
  provider.use((ctx, next) => {
    ctx.res.once('finish', () => Object.assign(ctx, nothing));
    return next();
  });
}
