// Owns clients without a secret that send an empty one: in the Authorization header, with their client_id before the colon
// (RFC 6749 section 2.3.1: the password may be left empty where there is no secret). Does not own any other client authentication.

import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import type { ClientRegistry } from '../clients/client-registry.ts';
import { ROUTES } from '../routes.ts';

const AUTHENTICATE: readonly string[] = [
  ROUTES.token,
  ROUTES.revocation,
  ROUTES.introspection,
  ROUTES.pushed_authorization_request,
];

/**
 * Reads such a header of a client of type browser or native as its client_id in the form, which is how the library knows
 * clients without a secret. For all other clients it stays what it is: a secret that is missing.
 */
export function takeEmptySecrets(provider: Provider, clients: ClientRegistry): void {
  const named = new WeakMap<object, string>();
  provider.use(async (ctx: KoaContextWithOIDC, next) => {
    const id = ctx.method === 'POST' && AUTHENTICATE.includes(ctx.path) ? withEmptySecret(ctx) : undefined;
    const type = id === undefined ? undefined : clients.find(id)?.type;
    if (id !== undefined && (type === 'browser' || type === 'native')) {
      named.set(ctx, id);
      delete ctx.req.headers.authorization;
    }
    await next();
  });

  // The library parses the form itself; here is where it puts it.
  const prototype = (provider as unknown as { OIDCContext: { prototype: object } }).OIDCContext.prototype;
  const BODY = Symbol('body');
  Object.defineProperty(prototype, 'body', {
    configurable: true,
    get(this: { [BODY]?: unknown }) {
      return this[BODY];
    },
    set(this: { ctx: object; [BODY]?: unknown }, form: Record<string, unknown>) {
      const id = named.get(this.ctx);
      if (id !== undefined && form['client_id'] !== id) {
        // Two names are one too many, which the library says.
        form['client_id'] = form['client_id'] === undefined ? id : [id, form['client_id']].flat();
      }
      this[BODY] = form;
    },
  });
}

/** The client_id of `Basic` with an empty password; undefined for any other header. */
function withEmptySecret(ctx: KoaContextWithOIDC): string | undefined {
  const encoded = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(ctx.get('authorization'))?.[1];
  const [, id] = /^([^:]+):$/.exec(Buffer.from(encoded ?? '', 'base64').toString()) ?? [];
  try {
    return id === undefined ? undefined : decodeURIComponent(id.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
