// Handles requests that are posted to /authorize, /logout and /userinfo. Providers must accept posted requests there (OpenID Connect Core
// sections 3.1.2.1 and 5.3.1, RP-Initiated Logout section 2).

import type { IncomingMessage } from 'node:http';
import type { KoaContextWithOIDC } from 'oidc-provider';
import { ROUTES, VISITED } from '#openid/routes.ts';
import { hasTooManyParameters, TOO_MANY_PARAMETERS } from '#shared/request-bounds.ts';
import { REQUEST_BYTES } from './request-limits.ts';

/**
 * Redirects a posted request to a GET of the same address (303), with the fields of the form as the query. The library accepts a posted
 * request only if browsers send the session cookie across sites (`SameSite=None`). Our cookies are `Lax`, so browsers do not send them with
 * the posted form, but with the GET after the redirect. `page` renders a refusal.
 */
export function redirectPostedRequests(page: (ctx: KoaContextWithOIDC, description: string) => string) {
  return async (ctx: KoaContextWithOIDC, next: () => Promise<void>) => {
    if (ctx.method !== 'POST' || !VISITED.includes(ctx.path)) return next();
    const refuse = (status: 400 | 413 | 415, description: string) => {
      ctx.status = status;
      ctx.type = 'html';
      ctx.body = page(ctx, description);
      // The connection is closed, so that the part of this request that was not read is not taken for the next request.
      ctx.set('connection', 'close');
    };
    if (!ctx.is('application/x-www-form-urlencoded')) {
      return refuse(415, 'send the parameters as application/x-www-form-urlencoded');
    }
    if (!/^(utf-8|us-ascii)?$/i.test(ctx.request.charset) || !/^(identity)?$/i.test(ctx.get('content-encoding'))) {
      return refuse(415, 'send the form in UTF-8, without compression');
    }
    const form = await readBody(ctx.req);
    if (form === undefined) return refuse(413, `send a form of ${REQUEST_BYTES} bytes at most`);
    if (hasTooManyParameters(form)) return refuse(400, TOO_MANY_PARAMETERS);
    ctx.status = 303;
    // The new address is relative to the posted one, so it is right wherever the service is mounted.
    ctx.set('location', `?${new URLSearchParams(form)}`);
    ctx.set('cache-control', 'no-store');
    ctx.body = '';
  };
}

/**
 * Treats a POST to /userinfo as a GET if it has no Authorization header, so that its form is ignored. An access token must be in the
 * Authorization header (SEC-19).
 */
export async function ignoreUserinfoForms(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  if (ctx.path === ROUTES.userinfo && ctx.method === 'POST' && !ctx.get('authorization')) ctx.method = 'GET';
  await next();
}

/** Returns the body as text; undefined if the body is too long. */
async function readBody(req: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of req as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > REQUEST_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
