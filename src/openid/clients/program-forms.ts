// The forms of programs, looked at before the library reads them: it has no limit to their number of fields.

import type { IncomingMessage } from 'node:http';
import type { KoaContextWithOIDC } from 'oidc-provider';
import { hasTooManyParameters, TOO_MANY_PARAMETERS } from '#shared/parameter-count.ts';

/** Longest form that is looked at, in bytes: as long as the library reads. */
const MAX_BYTES = 56 * 1024;

/** 400 for a form with too many fields (SEC-44). */
export async function refuseManyFields(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  if (ctx.method !== 'POST') return next();
  const form = await peekForm(ctx.req);
  // Its sender has gone away: nobody reads an answer, and a part of a form is no request.
  if (ctx.req.destroyed) return;
  if (!hasTooManyParameters(form.toString('latin1'))) return next();
  ctx.status = 400;
  ctx.body = { error: 'invalid_request', error_description: TOO_MANY_PARAMETERS };
}

/** The form as sent, which stays to be read; its beginning where it is longer than what the library takes. */
export async function peekForm(req: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  let closed: Promise<void> | undefined;
  // Most forms come with their head: they are there once the parser has gone through the packet, without an event to wait for.
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
