// Preprocesses the forms that programs post. oidc-provider does not limit their fields, and does not accept an empty secret.

import type { IncomingMessage } from 'node:http';
import { parse } from 'node:querystring';
import type { KoaContextWithOIDC } from 'oidc-provider';
import { hasTooManyParameters, TOO_MANY_PARAMETERS } from '#shared/request-bounds.ts';
import type { ClientRegistry } from './client-registry.ts';

/** Maximum size in bytes of a form that is inspected. oidc-provider does not read a longer one. */
const MAX_BYTES = 56 * 1024;

/** Answers 400 to a form with too many fields (SEC-44). */
export async function refuseManyFields(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  if (ctx.method !== 'POST') return next();
  const form = await peekForm(ctx.req);
  // The client has closed the connection. Nobody would read a response, and a part of a form is no request.
  if (ctx.req.destroyed) return;
  if (!hasTooManyParameters(form.toString('latin1'))) return next();
  ctx.status = 400;
  ctx.body = { error: 'invalid_request', error_description: TOO_MANY_PARAMETERS };
}

/** Returns the posted form, and leaves the request unread for oidc-provider. Returns only the beginning of a form that is too long. */
async function peekForm(req: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  let closed: Promise<void> | undefined;
  // Most forms come in one packet with the head of the request. Once this await resolves, the parser has read them, and the loop need
  // not wait for an event.
  await undefined;
  do {
    if (!req.readableLength && !req.complete) {
      closed ??= new Promise((resolve) => void req.once('close', resolve));
      await Promise.race([closed, new Promise((resolve) => void req.once('readable', resolve))]);
    }
    const chunk = req.read() as Buffer | null;
    if (chunk) chunks.push(chunk);
    size += chunk?.length ?? 0;
  } while (!(req.complete && !req.readableLength) && !req.destroyed && size <= MAX_BYTES);
  const form = Buffer.concat(chunks);
  if (size > 0 && !req.destroyed) req.unshift(form);
  return form;
}

/**
 * Removes the Authorization header of a client without a secret. Many OAuth libraries send that header with the client_id and an empty
 * password (RFC 6749 section 2.3.1). The client_id moves into the form, where oidc-provider expects it. A client that needs a secret keeps
 * its header, and oidc-provider refuses it.
 */
export function acceptEmptySecrets(clients: Pick<ClientRegistry, 'find'>) {
  return (ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> => {
    const id = ctx.method === 'POST' ? idWithEmptySecret(ctx.get('authorization')) : undefined;
    const type = id === undefined ? undefined : clients.find(id)?.type;
    const isPublic = type === 'browser' || type === 'native';
    if (id === undefined || !isPublic || ctx.get('content-length') === '0') return next();
    delete ctx.req.headers.authorization;
    return addToForm(ctx.req, id).then(next);
  };
}

// Prepends the field to the form. Leaves an empty form alone, and a form that already names this client: a second field would be a
// duplicate.
async function addToForm(req: IncomingMessage, id: string): Promise<void> {
  const form = await peekForm(req);
  if (form.length === 0 || req.destroyed || parse(form.toString())['client_id'] === id) return;
  const field = Buffer.from(`client_id=${encodeURIComponent(id)}&`);
  req.unshift(field);
  const length = Number(req.headers['content-length']);
  if (length >= 0) req.headers['content-length'] = String(length + field.length);
}

/** The client_id of a `Basic` header with an empty password; undefined for any other header. */
function idWithEmptySecret(header: string): string | undefined {
  const [, encoded] = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(header) ?? [];
  const [, id] = encoded === undefined ? [] : (/^([^:]+):$/.exec(Buffer.from(encoded, 'base64').toString()) ?? []);
  try {
    return id === undefined ? undefined : decodeURIComponent(id.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
