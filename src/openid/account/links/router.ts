// The routes of the pages behind mailed links. A GET request changes nothing, because mail scanners open every link. The button on the page
// sends the POST request that makes the change.

import { type Request, type RequestHandler, type Response, Router } from 'express';
import { errorHandler } from '#openid/account/errors.ts';
import { refuseCrossSite } from '#web/forms/csrf.ts';
import { parseForm } from '#web/forms/form.ts';
import { setPageHeaders } from '#web/http/page-headers.ts';
import { rememberLanguage } from '#web/language.ts';
import { choosePassword, sendPasswordPage } from './choose-password.ts';
import { confirmEmail, sendEmailPage } from './confirm-email.ts';
import { askForReset, sendForgottenPage } from './forgotten-password.ts';
import { type LinkContext, type LinkPageOptions, linkContext } from './link-context.ts';

/** Returns the router for `LINK_PATH`. It leaves requests for unknown paths to the next handler. */
export function linkRouter(options: LinkPageOptions): Router {
  const { site } = options;
  const form = [refuseCrossSite(site.origin), parseForm];
  const handled =
    (handle: (context: LinkContext) => Promise<void>): RequestHandler =>
    (req: Request, res: Response) =>
      handle(linkContext(options, req, res));

  const router = Router();
  router.use(setPageHeaders, rememberLanguage(site));
  router.get('/password-reset', handled(sendForgottenPage));
  router.post('/password-reset', form, handled(askForReset));
  for (const purpose of ['invitation', 'password-reset'] as const) {
    router.get(`/${purpose}/:token`, handled(sendPasswordPage(purpose)));
    router.post(`/${purpose}/:token`, form, handled(choosePassword(purpose)));
  }
  for (const purpose of ['email-verification', 'email-change'] as const) {
    router.get(`/${purpose}/:token`, handled(sendEmailPage(purpose)));
    router.post(`/${purpose}/:token`, form, handled(confirmEmail(purpose)));
  }
  router.use(errorHandler(options, (req) => `${req.baseUrl}${req.path}`));
  return router;
}
