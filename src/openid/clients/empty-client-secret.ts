// Clients without a secret that send an empty one in the Authorization header, with their client_id before the colon, as many
// OAuth libraries do (RFC 6749 section 2.3.1: an empty password may be left out).

import type { IncomingMessage } from 'node:http';
import { parse } from 'node:querystring';
import type { KoaContextWithOIDC } from 'oidc-provider';
import { ROUTES } from '#openid/routes.ts';
import type { ClientRegistry } from './client-registry.ts';
import { peekForm } from './program-forms.ts';

/** Where clients authenticate. */
export const AUTHENTICATED: readonly string[] = [
  ROUTES.token,
  ROUTES.revocation,
  ROUTES.introspection,
  ROUTES.pushed_authorization_request,
];

/**
 * Moves the client_id of such a header into the form, where the library expects it of clients without a secret. For all other
 * clients the header stays: their secret is missing.
 */
export function acceptEmptySecrets(clients: ClientRegistry) {
  return async (ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> => {
    const id = ctx.method === 'POST' && AUTHENTICATED.includes(ctx.path) ? idWithEmptySecret(ctx) : undefined;
    const type = id === undefined ? undefined : clients.find(id)?.type;
    if (id !== undefined && (type === 'browser' || type === 'native') && ctx.get('content-length') !== '0') {
      delete ctx.req.headers.authorization;
      await addToForm(ctx.req, id);
    }
    await next();
  };
}

// Puts the field in front of a body that is not empty. The whole form is looked at, however many packets it comes in: where it
// names the same client already, a second time would be refused as a duplicate.
async function addToForm(req: IncomingMessage, id: string): Promise<void> {
  const form = await peekForm(req);
  if (form.length === 0 || req.destroyed || parse(form.toString())['client_id'] === id) return;
  const field = Buffer.from(`client_id=${encodeURIComponent(id)}&`);
  req.unshift(field);
  const length = Number(req.headers['content-length']);
  if (length >= 0) req.headers['content-length'] = String(length + field.length);
}

/** The client_id of `Basic` with an empty password; undefined for any other header. */
function idWithEmptySecret(ctx: KoaContextWithOIDC): string | undefined {
  const encoded = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(ctx.get('authorization'))?.[1];
  const [, id] = /^([^:]+):$/.exec(Buffer.from(encoded ?? '', 'base64').toString()) ?? [];
  try {
    return id === undefined ? undefined : decodeURIComponent(id.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
