// A person's own pages, route by route: overview, allowed applications, password, sessions, second factor.

import { type RequestHandler, Router } from 'express';
import { refuseCrossSite } from '../web/csrf.ts';
import { parseForm } from '../web/form.ts';
import { rememberLanguage } from '../web/language.ts';
import { setPageHeaders } from '../web/page-headers.ts';
import { errorHandler } from './errors.ts';
import { sendOverview } from './overview.ts';
import { type AccountOptions, PAGES, type PageContext, type PageName, pageContext } from './page-context.ts';
import { changePassword, sendPasswordPage } from './password.ts';
import { requireFreshLogin, requireLogin, signInCallback } from './require-login.ts';
import { revokeConsent } from './revoke-consent.ts';
import {
  removeSecondFactor,
  renewRecoveryCodes,
  sendRemovalPage,
  sendRenewalPage,
  sendSetUpPage,
  setUpSecondFactor,
} from './second-factor.ts';
import { endOtherSessions, sendSessionsPage } from './sessions.ts';

/** To be mounted at `ACCOUNT_PATH`. Other addresses are passed on. */
export function accountRouter(options: AccountOptions): Router {
  const { site, session } = options;
  const form = [refuseCrossSite(site.origin), session, parseForm];
  const page =
    (name: PageName, handle: (context: PageContext) => Promise<void>): RequestHandler =>
    (req, res) =>
      handle(pageContext(options, name, req, res));

  const router = Router();
  router.use(setPageHeaders, rememberLanguage(site));
  router.get('/signed-in', session, signInCallback(options));

  const login = requireLogin(options, 'overview');
  router.get('/', session, login, page('overview', sendOverview));
  router.post('/', form, login, page('overview', revokeConsent));

  const toSetUp = requireFreshLogin(options, 'secondFactor');
  router.get(PAGES.secondFactor, session, toSetUp, page('secondFactor', sendSetUpPage));
  router.post(PAGES.secondFactor, form, toSetUp, page('secondFactor', setUpSecondFactor));

  const toRenew = requireFreshLogin(options, 'recoveryCodes');
  router.get(PAGES.recoveryCodes, session, toRenew, page('recoveryCodes', sendRenewalPage));
  router.post(PAGES.recoveryCodes, form, toRenew, page('recoveryCodes', renewRecoveryCodes));

  const toRemove = requireFreshLogin(options, 'removal');
  router.get(PAGES.removal, session, toRemove, page('removal', sendRemovalPage));
  router.post(PAGES.removal, form, toRemove, page('removal', removeSecondFactor));

  const toChange = requireFreshLogin(options, 'password');
  router.get(PAGES.password, session, toChange, page('password', sendPasswordPage));
  router.post(PAGES.password, form, toChange, page('password', changePassword));

  const toEnd = requireFreshLogin(options, 'sessions');
  router.get(PAGES.sessions, session, toEnd, page('sessions', sendSessionsPage));
  router.post(PAGES.sessions, form, toEnd, page('sessions', endOtherSessions));

  router.use(errorHandler(options));
  return router;
}
