// Checks and corrects the forms that clients post, before oidc-provider reads them. oidc-provider does not limit the number of fields, and
// does not accept an empty secret.

import type { IncomingMessage } from 'node:http';
import { parse } from 'node:querystring';
import type { KoaContextWithOIDC } from 'oidc-provider';
import { hasTooManyParameters, TOO_MANY_PARAMETERS } from '#shared/request-bounds.ts';
import type { ClientRegistry } from './client-registry.ts';

/** Maximum bytes of a form that oidc-provider reads. Of a larger form, only the beginning is inspected here. */
const MAX_BYTES = 56 * 1024;

/** Refuses a form with too many fields, with the status 400 (SEC-44). */
export async function refuseManyFields(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  if (ctx.method !== 'POST') return next();
  const form = await takeForm(ctx.req);
  // If the client has closed the connection, nobody would read a response, and the form may be incomplete.
  if (ctx.req.destroyed) return;
  putBack(ctx.req, form);
  if (!hasTooManyParameters(form.toString('latin1'))) return next();
  ctx.status = 400;
  ctx.body = { error: 'invalid_request', error_description: TOO_MANY_PARAMETERS };
}

/** Reads the posted form. Returns only the beginning of a form that is larger than `MAX_BYTES`. */
async function takeForm(req: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  let closed: Promise<void> | undefined;
  // Most forms arrive in the same packet as the head of the request. After this `await`, the HTTP parser has read such a form, and the loop
  // does not have to wait for an event.
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
  return Buffer.concat(chunks);
}

/**
 * Puts the bytes of a form back into the request, so that oidc-provider can read them. It reads with `req.iterator`. Node's own iterator
 * waits for events of the stream, which took a tenth of the time of an introspection. If the whole request has arrived, this function
 * replaces it by one that takes all bytes out of the stream at once. The stream then ends as usual.
 */
function putBack(req: IncomingMessage, form: Buffer): void {
  if (form.length === 0) return;
  req.unshift(form);
  if (req.complete) Object.assign(req, { iterator: () => [req.read()] });
}

/**
 * Makes a middleware that removes the Authorization header of a public client if its password is empty. Many OAuth libraries send such a
 * header with the client_id (RFC 6749 section 2.3.1). The client_id is added to the form, where oidc-provider expects it. The header of a
 * client that needs a secret is not removed, so that oidc-provider refuses the request.
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

// Adds the client_id at the beginning of the form. Does nothing if the form is empty. Does nothing either if the form already has this
// client_id, because a field must not occur twice.
async function addToForm(req: IncomingMessage, id: string): Promise<void> {
  const form = await takeForm(req);
  if (req.destroyed) return;
  if (form.length === 0 || parse(form.toString())['client_id'] === id) return putBack(req, form);
  const field = Buffer.from(`client_id=${encodeURIComponent(id)}&`);
  putBack(req, Buffer.concat([field, form]));
  const length = Number(req.headers['content-length']);
  if (length >= 0) req.headers['content-length'] = String(length + field.length);
}

/** Returns the client_id in a `Basic` header with an empty password. Undefined for any other header. */
function idWithEmptySecret(header: string): string | undefined {
  const [, encoded] = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(header) ?? [];
  const [, id] = encoded === undefined ? [] : (/^([^:]+):$/.exec(Buffer.from(encoded, 'base64').toString()) ?? []);
  try {
    return id === undefined ? undefined : decodeURIComponent(id.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
