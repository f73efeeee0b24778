// Middleware that requires a login. A person without a session, or with a login that is too old for the page, is sent to the sign-in and
// returns to the page after it (SEC-33). The maximum age of a login is `FRESH_FOR` in `shared/sign-in-methods.ts`.

import type { Request, RequestHandler } from 'express';
import { sendError } from '#openid/account/errors.ts';
import { type AccountOptions, type PageName, pathOf } from '#openid/account/page-context.ts';
import { ROUTES } from '#openid/routes.ts';
import { FRESH_FOR } from '#shared/sign-in-methods.ts';
import type { Account } from '#store/accounts/account-row.ts';
import { renewSession } from '#web/http/page-session.ts';
import { languageOf } from '#web/language.ts';

/** The demands of a page on the login. */
export interface LoginDemand {
  /** True if the page refuses shared accounts, because nobody may change such an account. */
  own: boolean;
  /**
   * True if the person must have logged in within the last minutes (`FRESH_FOR`), and for the account pages. A session that was opened for
   * an application is not enough, because on a shared computer it may belong to an earlier person.
   */
  fresh: boolean;
  /** True if the person must have logged in for this very page, because another person may have been signed in at this browser before. */
  anew: boolean;
}
export const SIGNED_IN: LoginDemand = { own: false, fresh: false, anew: false };
export const OWN_ACCOUNT: LoginDemand = { own: true, fresh: false, anew: false };
export const FRESH: LoginDemand = { own: true, fresh: true, anew: false };
export const ANEW: LoginDemand = { ...FRESH, anew: true };

/** The error codes with which the provider can refuse a sign-in (RFC 6749 section 4.1.2.1, OpenID Connect Core section 3.1.2.6). */
const CODES = new Set<unknown>([
  'invalid_request',
  'unauthorized_client',
  'unsupported_response_type',
  'invalid_scope',
  'server_error',
  'temporarily_unavailable',
  'interaction_required',
  'login_required',
  'consent_required',
]);

/**
 * Makes a middleware that puts the account of the signed-in person into `res.locals.account`. If nobody is signed in, or the login does not
 * meet the demands, the browser is redirected to the sign-in.
 */
export function requireLogin(
  options: AccountOptions,
  page: PageName,
  { own, fresh, anew }: LoginDemand,
): RequestHandler {
  return async (req, res, next) => {
    const account = await signedInAccount(options, req);
    if (account && own && options.isShared(account.id))
      return sendError(options.site, req, res, { status: 403, error: 'shared_account' });
    if (account && (!fresh || isFresh(req)) && (!anew || req.session.account?.madeFor === page)) {
      if (anew) delete req.session.account?.madeFor;
      res.locals['account'] = account;
      return next();
    }
    // Nobody has to sign in only to sign out. The page for that also ends a session that was opened for an application.
    if (page === 'signOut') return res.redirect(303, options.site.base + ROUTES.end_session);
    // In a sandbox, links to this page name one of its fictional people as `login_hint`. Other values are ignored, because the address may
    // come from anybody.
    const loginHint = options.site.people.find(({ login }) => login === req.query['login_hint'])?.login;
    const language = languageOf(req, anew ? undefined : account?.language);
    const { location, pending } = options.signIn.begin({ language, fresh, anew, loginHint });
    // If a form that renews the session is sent twice, the second one finds no session, but the first one had its effect.
    const perhapsTwice = !account && (page === 'password' || page === 'otherSessions');
    const unsent = req.method === 'POST' && page !== 'savedCodes' && !perhapsTwice;
    options.pending.add(req, res, { ...pending, page, ...(unsent && { unsent }) });
    res.redirect(303, location);
  };
}

/**
 * Makes the handler of the redirect URI. A sign-in to the account pages ends there, because these pages are an OpenID client of the
 * service. The handler completes the sign-in and redirects to the page that required it.
 */
export function signInCallback(options: AccountOptions): RequestHandler {
  return async (req, res) => {
    const { state, code, error } = req.query;
    const pending = options.pending.take(req, res, state);
    if (!pending) {
      // There is no such sign-in in progress if it was completed in another window, or if the address is opened a second time.
      if (await signedInAccount(options, req)) return res.redirect(303, pathOf(options.site, 'profile'));
      return sendError(options.site, req, res, { status: 400, error: 'expired' });
    }
    const href = pathOf(options.site, pending.page);
    const fail = (status: number, error: 'access_denied' | 'refused' | 'expired') =>
      sendError(options.site, req, res, { status, error }, href);
    if (error === 'access_denied') return fail(403, error);
    if (error !== undefined) {
      // The error code may come from anybody who wrote the address, so only known codes are logged (SEC-17). The provider has already
      // logged the reason of the refusal.
      options.log.warn({ error: CODES.has(error) ? error : 'unknown' }, 'the sign-in to an account was refused');
      return fail(400, 'refused');
    }
    const signedIn = typeof code === 'string' ? await options.signIn.finish(code, pending) : undefined;
    if (!signedIn) return fail(400, 'expired');

    // A person may have to sign in again while they set up an app as second factor. If the same person signs in, the proposed secret is
    // kept, because they may have scanned it already.
    const before = req.session.account;
    const proposal = before?.signedIn?.accountId === signedIn.accountId ? before.proposal : undefined;
    await renewSession(req);
    const notice = pending.unsent ? ({ kind: 'unsent' } as const) : undefined;
    const kept = { ...(proposal !== undefined && { proposal }), ...(notice && { notice }) };
    req.session.account = { signedIn, madeFor: pending.page, ...kept };
    res.redirect(303, href);
  };
}

async function signedInAccount({ signIn }: AccountOptions, req: Request): Promise<Account | undefined> {
  const signedIn = req.session.account?.signedIn;
  const account = signedIn && (await signIn.account(signedIn));
  // If the sign-in is no longer valid, the session's data are removed, because they belong to a person who is not signed in any more.
  if (signedIn && !account) delete req.session.account;
  return account;
}

function isFresh(req: Request): boolean {
  const authTime = req.session.account?.signedIn?.authTime;
  return authTime !== undefined && Math.floor(Date.now() / 1000) - authTime <= FRESH_FOR;
}
