// Middleware that requires a login. A person without a session, or with a login that is too old for the page, signs in first and returns to
// the page (SEC-33). The maximum age is `FRESH_FOR` in `shared/sign-in-methods.ts`.

import type { Request, RequestHandler } from 'express';
import { sendError } from '#openid/account/errors.ts';
import { type AccountOptions, type PageName, pathOf } from '#openid/account/page-context.ts';
import { FRESH_FOR } from '#shared/sign-in-methods.ts';
import type { Account } from '#store/accounts/account-row.ts';
import { renewSession } from '#web/http/page-session.ts';
import { languageOf } from '#web/language.ts';

/** A page's demand on the login of a person. */
export interface LoginDemand {
  /** True if the page is not for an account that everybody shares, because nobody may change such an account. */
  own: boolean;
  /**
   * True if the login must have been made within the last minutes (`FRESH_FOR`) and for these pages, because on a shared computer a session
   * that an application opened may belong to an earlier person.
   */
  fresh: boolean;
  /** True if the login must have been made for this very page, because another person may have signed in at this browser before. */
  anew: boolean;
}
export const SIGNED_IN: LoginDemand = { own: false, fresh: false, anew: false };
export const OWN_ACCOUNT: LoginDemand = { own: true, fresh: false, anew: false };
export const FRESH: LoginDemand = { own: true, fresh: true, anew: false };
export const ANEW: LoginDemand = { ...FRESH, anew: true };

/** The error codes of refusals (RFC 6749 section 4.1.2.1, OpenID Connect Core section 3.1.2.6). */
const CODES = new Set<unknown>([
  ...['invalid_request', 'unauthorized_client', 'unsupported_response_type', 'invalid_scope', 'server_error'],
  ...['temporarily_unavailable', 'interaction_required', 'login_required', 'consent_required'],
]);

/** Puts the account of a signed-in person into `res.locals.account`. Sends everybody else to the sign-in. */
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
    // The page of a sandbox names one of its people here. Other logins are ignored, because anybody may have written the address.
    const loginHint = options.site.people.find(({ login }) => login === req.query['login_hint'])?.login;
    const language = languageOf(req, anew ? undefined : account?.language);
    const { location, pending } = options.signIn.begin({ language, fresh, anew, loginHint });
    options.pending.add(req, res, { ...pending, page });
    res.redirect(303, location);
  };
}

/** The redirect URI of these pages, as an OpenID client. It leads to the page that was requested. */
export function signInCallback(options: AccountOptions): RequestHandler {
  return async (req, res) => {
    const { state, code, error } = req.query;
    const pending = options.pending.take(req, res, state);
    if (!pending) {
      // Another window signed in first, or the address is opened a second time.
      if (await signedInAccount(options, req)) return res.redirect(303, pathOf(options.site, 'profile'));
      return sendError(options.site, req, res, { status: 400, error: 'expired' });
    }
    const href = pathOf(options.site, pending.page);
    const fail = (status: number, error: 'access_denied' | 'refused' | 'expired') =>
      sendError(options.site, req, res, { status, error }, href);
    if (error === 'access_denied') return fail(403, error);
    if (error !== undefined) {
      // Anybody may have written the address, so only known error codes are logged (SEC-17). The provider has logged the reason.
      options.log.warn({ error: CODES.has(error) ? error : 'unknown' }, 'the sign-in to an account was refused');
      return fail(400, 'refused');
    }
    const signedIn = typeof code === 'string' ? await options.signIn.finish(code, pending) : undefined;
    if (!signedIn) return fail(400, 'expired');

    // A person who signs in again continues with the app that they are setting up.
    const before = req.session.account;
    const proposal = before?.signedIn?.accountId === signedIn.accountId ? before.proposal : undefined;
    await renewSession(req);
    req.session.account = { signedIn, madeFor: pending.page, ...(proposal !== undefined && { proposal }) };
    res.redirect(303, href);
  };
}

async function signedInAccount({ signIn }: AccountOptions, req: Request): Promise<Account | undefined> {
  const signedIn = req.session.account?.signedIn;
  const account = signedIn && (await signIn.account(signedIn));
  // The session may still have the data of a person that is no longer signed in. They are removed.
  if (signedIn && !account) delete req.session.account;
  return account;
}

function isFresh(req: Request): boolean {
  const authTime = req.session.account?.signedIn?.authTime;
  return authTime !== undefined && Math.floor(Date.now() / 1000) - authTime <= FRESH_FOR;
}
