// Owns the pages of a sign-in as a browser meets them: which address shows and takes what.
// Does not own the steps (`*-step.ts`), their looks (`*-page.ts`), the OpenID side (`Interactions`) nor accounts (`Authenticate`).

import { type Request, type RequestHandler, type Response, Router } from 'express';
import { isOwnToken, TOKEN_FIELD } from '../web/csrf.ts';
import { fieldsOf, parseForm } from '../web/form.ts';
import { keepLanguage } from '../web/language.ts';
import { pageHeaders } from '../web/page-headers.ts';
import { decide, sendConsent } from './consent.ts';
import { errorHandler, refuseForeign, sendError } from './errors.ts';
import { sendLogin, signIn } from './login.ts';
import { pathOf, renewSession, type SignInOptions, visitOf } from './page-context.ts';
import { goOn, setUp, showSecondStep, verify } from './second-factor.ts';

export { SIGN_IN_PATH, type SignInOptions } from './page-context.ts';

type Step = (options: SignInOptions, req: Request, res: Response) => Promise<void>;

/** What the forms are posted to, below the page. */
const FORMS: Readonly<Record<string, Step>> = {
  login: signIn,
  code: verify,
  'second-factor': setUp,
  continue: goOn,
  consent: decide,
  'other-account': changeAccount,
};

/** The pages of a sign-in, to be mounted at `SIGN_IN_PATH`. */
export function signInRouter(options: SignInOptions): Router {
  const router = Router();
  router.use((_req, res, next) => {
    pageHeaders(res);
    next();
  });
  router.get('/:uid', options.session, (req, res) => show(options, req, res));
  for (const [form, step] of Object.entries(FORMS)) {
    router.post(`/:uid/${form}`, ...door(options), (req, res) => step(options, req, res));
  }
  // The address of an answered form, opened again from the address bar or the history.
  router.get('/:uid/:form', (req, res) => res.redirect(303, pathOf(options.site, req)));
  router.use((req, res) => sendError(options, req, res, { status: 404, error: 'not_found' }));
  router.use(errorHandler(options));
  return router;
}

function door(options: SignInOptions): RequestHandler[] {
  return [refuseForeign(options), options.session, parseForm];
}

async function show(options: SignInOptions, req: Request, res: Response): Promise<void> {
  const visit = await visitOf(options, req, res);
  keepLanguage(req, res, options.site);
  if (visit.request.prompt === 'consent') return sendConsent(options, req, res, visit, 200);
  if (await showSecondStep(options, req, res, visit)) return;
  const login = visit.request.loginHint ?? visit.request.account?.email ?? '';
  sendLogin(options, req, res, visit, { status: 200, login });
}

async function changeAccount(options: SignInOptions, req: Request, res: Response): Promise<void> {
  const visit = await visitOf(options, req, res);
  const fields = fieldsOf(req, [TOKEN_FIELD]);
  if (!isOwnToken(req.session, fields[TOKEN_FIELD])) {
    if (visit.request.prompt === 'consent') return sendConsent(options, req, res, visit, 403);
    return sendLogin(options, req, res, visit, { status: 403, login: '', problem: { kind: 'stale' } });
  }
  await renewSession(req);
  await options.interactions.switchAccount(req, res);
}
