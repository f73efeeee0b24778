// A person's own pages, route by route: overview, allowed applications, password, sessions, second factor.

import { type Request, type RequestHandler, type Response, Router } from 'express';
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

type Handle = (context: PageContext) => Promise<void>;

/** To be mounted at `ACCOUNT_PATH`. Other addresses are passed on. */
export function accountRouter(options: AccountOptions): Router {
  const { site, session } = options;
  const form = [refuseCrossSite(site.origin), session, parseForm];
  const router = Router();
  router.use(setPageHeaders, rememberLanguage(site));
  router.get('/signed-in', session, signInCallback(options));

  const page = (name: PageName, login: RequestHandler, show: Handle, answer: Handle) => {
    const of = (handle: Handle) => (req: Request, res: Response) => handle(pageContext(options, name, req, res));
    const path = PAGES[name] || '/';
    router.get(path, session, login, of(show));
    router.post(path, form, login, of(answer));
  };
  const fresh = (name: PageName, show: Handle, answer: Handle) =>
    page(name, requireFreshLogin(options, name), show, answer);

  page('overview', requireLogin(options, 'overview'), sendOverview, revokeConsent);
  fresh('secondFactor', sendSetUpPage, setUpSecondFactor);
  fresh('recoveryCodes', sendRenewalPage, renewRecoveryCodes);
  fresh('removal', sendRemovalPage, removeSecondFactor);
  fresh('password', sendPasswordPage, changePassword);
  fresh('sessions', sendSessionsPage, endOtherSessions);

  router.use(errorHandler(options));
  return router;
}
