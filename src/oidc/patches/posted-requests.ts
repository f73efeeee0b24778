// Owns requests that are posted where most are asked for: to /authorize and /logout, where both specifications demand that a
// provider takes them (OpenID Connect Core section 3.1.2.1, RP-Initiated Logout section 2), and to /userinfo.
// Does not own what answers.

import type { IncomingMessage } from 'node:http';
import type { KoaContextWithOIDC } from 'oidc-provider';
import { ROUTES } from '../routes.ts';

/** Longest form that is taken, in bytes: it has to fit into an address. */
const LONGEST = 8192;
const POSTED_TO: readonly string[] = [ROUTES.authorization, ROUTES.end_session];

/**
 * Turns a posted request into a GET of the same address, by 303, with the fields as its query. The library would take posts only with cookies that every other site may send
 * along (`SameSite=None`); after a redirect to a GET the browser sends ours, which are `Lax`, and the session holds.
 * `page` renders a refusal.
 */
export function takePostedRequests(page: (ctx: KoaContextWithOIDC, description: string) => string) {
  return async (ctx: KoaContextWithOIDC, next: () => Promise<void>) => {
    if (ctx.method !== 'POST' || !POSTED_TO.includes(ctx.path)) return next();
    const refuse = (status: 413 | 415, description: string) => {
      ctx.status = status;
      ctx.type = 'html';
      ctx.body = page(ctx, description);
      // What is not read would be taken for the next request.
      ctx.set('connection', 'close');
    };
    if (!ctx.is('application/x-www-form-urlencoded')) {
      return refuse(415, 'send the parameters as application/x-www-form-urlencoded');
    }
    const form = await bodyOf(ctx.req);
    if (form === undefined) return refuse(413, `send a form of ${LONGEST} bytes at most`);
    ctx.status = 303;
    // Relative to the address that was posted to, wherever the service is mounted.
    ctx.set('location', `?${new URLSearchParams(form)}`);
    ctx.set('cache-control', 'no-store');
    ctx.body = '';
  };
}

/** Access tokens count in the Authorization header only (SEC-19): what a form to /userinfo holds is not read. */
export const leaveFormsUnread = async (ctx: KoaContextWithOIDC, next: () => Promise<void>) => {
  if (ctx.path === ROUTES.userinfo && ctx.method === 'POST' && !ctx.get('authorization')) ctx.method = 'GET';
  await next();
};

/** Undefined when it is too long. */
async function bodyOf(req: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of req as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > LONGEST) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
