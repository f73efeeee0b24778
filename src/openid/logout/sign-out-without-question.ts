// Signs a person out without a question in two cases: the browser has no session, or the application proves by an ID token that the person
// signed in to it in this session. In both cases, RP-Initiated Logout section 2 leaves it to the service whether it asks. In all other
// cases, the service asks (SEC-37).

import type { JWTPayload } from 'jose';
import type { Configuration, KoaContextWithOIDC } from 'oidc-provider';
import { endSession } from '#openid/sessions/end-session.ts';
import type { Authorization } from '#openid/sessions/save-session.ts';
import { hasEnded } from '#openid/sessions/session-ended-meanwhile.ts';
import type { OidcRecords } from '#store/oidc/oidc-records.ts';
import { isCrossSite } from '#web/forms/csrf.ts';

type CookieOptions = NonNullable<NonNullable<Configuration['cookies']>['long']>;

/**
 * If the hint (`id_token_hint`) belongs to the session, ends the session with all its tokens, redirects (303) and returns true. Call this
 * function at the point where the library would ask. By then, the library has verified that this service signed the hint, that the audience
 * of the hint is `client_id`, and that the address (`post_logout_redirect_uri`) is registered for that client. The hint may have expired.
 * Returns false if the hint or the address is missing, if the hint is for another person or session, or if the hint is older than the
 * sign-in of the session.
 * @param cookie the options with which the session cookie is set
 */
export async function signOutByHint(
  ctx: KoaContextWithOIDC,
  records: OidcRecords,
  cookie: CookieOptions,
): Promise<boolean> {
  const { session, params, provider } = ctx.oidc;
  const { post_logout_redirect_uri: address, state } = params ?? {};
  if (!session || typeof address !== 'string' || !isOfSession(ctx)) return false;
  await endSession(provider, records, session.uid);
  // Without this call, the library would save the ended session after the response.
  await session.destroy();
  ctx.cookies.set(provider.cookieName('session'), null, cookie);
  provider.emit('end_session.success', ctx);
  redirect(ctx, address, state);
  return true;
}

function isOfSession({ oidc }: KoaContextWithOIDC): boolean {
  const { session, client, entities } = oidc;
  const { payload: hint } = (entities.IdTokenHint ?? {}) as { payload?: JWTPayload };
  if (!hint || !client || hint.sub === undefined || hint.sub !== session?.accountId) return false;
  // The session has no authorization of the client if the person has signed out of this application only, or if the hint belongs to an
  // earlier session.
  const authorizations = session.authorizations as Readonly<Record<string, Authorization>> | undefined;
  const own = authorizations?.[client.clientId];
  if (own === undefined) return false;
  // Applications keep ID tokens and pass them on, so an old ID token must not end every later session. Only clients with a back-channel
  // address learn the session id (`sid`). For other clients, an ID token that is older than the sign-in of this session belongs to another
  // session.
  return hint['sid'] === undefined ? Number(hint.iat) >= Number(session?.loginTs) : hint['sid'] === own.sid;
}

/**
 * Answers a sign-out without a session: redirects to the address of the application (RP-Initiated Logout section 3), or shows `page` if the
 * request has no address. Without a session, there is nothing to confirm. The library itself would send a page that posts itself, and would
 * answer the second of two clicks with an error.
 */
export function signOutWithoutSession(page: (ctx: KoaContextWithOIDC) => string) {
  return async (ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> => {
    await next();
    const { oidc } = ctx;
    // `hasEnded` finds a session that another request ended while the library made its question.
    if (!oidc || (oidc.session?.accountId && !hasEnded(ctx))) return;
    if (oidc.route === 'end_session_confirm' && ctx.status === 400 && oidc.session) {
      // The response of the library stays if another site posted the form: browsers then send no cookie, so the person may be signed in.
      if (isCrossSite(ctx.req, new URL(oidc.issuer).origin)) return;
      ctx.status = 200;
      ctx.type = 'html';
      ctx.body = page(ctx);
    }
    if (oidc.route !== 'end_session' || ctx.status !== 200) return;
    // The library has already checked the address and the state.
    const { post_logout_redirect_uri: address, state } = oidc.params ?? {};
    if (typeof address !== 'string') {
      ctx.type = 'html';
      ctx.body = page(ctx);
      return;
    }
    redirect(ctx, address, state);
  };
}

function redirect(ctx: KoaContextWithOIDC, address: string, state: unknown): void {
  const destination = new URL(address);
  if (typeof state === 'string' && state) destination.searchParams.set('state', state);
  ctx.status = 303;
  ctx.redirect(destination.href);
}
