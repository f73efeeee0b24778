// Answers a sign-out without a session. There is nothing to confirm, but the library would send a page that posts itself, and an error to
// the second of two clicks.

import type { KoaContextWithOIDC } from 'oidc-provider';
import { hasEnded } from '#openid/sessions/ended-session.ts';
import { isCrossSite } from '#web/forms/csrf.ts';

/** Redirects to where the application wants the person (RP-Initiated Logout section 3), else shows `page`. */
export function signOutWithoutSession(page: (ctx: KoaContextWithOIDC) => string) {
  return async (ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> => {
    await next();
    const { oidc } = ctx;
    // This also handles a session that another request has ended while the question was made.
    if (!oidc || (oidc.session?.accountId && !hasEnded(ctx))) return;
    if (oidc.route === 'end_session_confirm' && ctx.status === 400 && oidc.session) {
      // Browsers send no cookie with a form from another site, so the person may well be signed in.
      if (isCrossSite(ctx.req, new URL(oidc.issuer).origin)) return;
      ctx.status = 200;
      ctx.type = 'html';
      ctx.body = page(ctx);
    }
    if (oidc.route !== 'end_session' || ctx.status !== 200) return;
    // The library has checked both.
    const { post_logout_redirect_uri: address, state } = oidc.params ?? {};
    if (typeof address !== 'string') {
      ctx.type = 'html';
      ctx.body = page(ctx);
      return;
    }
    const destination = new URL(address);
    if (typeof state === 'string' && state) destination.searchParams.set('state', state);
    ctx.status = 303;
    ctx.redirect(destination.href);
  };
}
