// The addresses of a sign-in. `steps.ts` lists the pages and forms.

import { type RequestHandler, Router } from 'express';
import { refuseCrossSite } from '#web/forms/csrf.ts';
import { parseForm } from '#web/forms/form.ts';
import { setPageHeaders } from '#web/http/page-headers.ts';
import { rememberLanguage } from '#web/language.ts';
import { errorHandler, notFound } from './errors.ts';
import { pathOf, type SignInContext, type SignInOptions, signInContext } from './page-context.ts';
import { FORMS, showStep } from './steps.ts';

/** Mount it at `SIGN_IN_PATH`. */
export function signInRouter(options: SignInOptions): Router {
  const { site, session } = options;
  const posted = [refuseCrossSite(site.origin), session, parseForm];
  const page =
    (handle: (context: SignInContext) => Promise<void> | void): RequestHandler =>
    async (req, res) =>
      handle(await signInContext(options, req, res));

  const router = Router();
  router.use(setPageHeaders, rememberLanguage(site));
  router.get('/:uid', session, page(showStep));
  for (const [form, answer] of FORMS) router.post(`/:uid/${form}`, posted, page(answer));
  // The address of an answered form, opened again from the address bar or the history.
  router.get('/:uid/:form', (req, res) => res.redirect(303, pathOf(site, req)));
  router.use(notFound(options), errorHandler(options));
  return router;
}
