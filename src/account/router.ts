// Owns a person's own space as a browser meets it: which address shows and takes what.
// Does not own who gets in (`door.ts`), what the pages do (`overview.ts`, `second-factor.ts`) nor their looks (`*-page.ts`).

import { type RequestHandler, Router } from 'express';
import { parseForm } from '../web/form.ts';
import { pageHeaders } from '../web/page-headers.ts';
import { errorHandler, refuseForeign } from './errors.ts';
import { showOverview, withdraw } from './overview.ts';
import { type AccountOptions, type Handler, PAGES, type PageName } from './page-context.ts';
import { guestOnly, takeAnswer } from './require-login.ts';
import { remove, renewCodes, setUp, showRemoval, showRenewal, showSetUp } from './second-factor.ts';

export type { AccountOptions } from './page-context.ts';

const SHOWN: Readonly<Record<PageName, Handler>> = {
  overview: showOverview,
  secondFactor: showSetUp,
  recoveryCodes: showRenewal,
  removal: showRemoval,
};

const TAKEN: Readonly<Record<PageName, Handler>> = {
  overview: withdraw,
  secondFactor: setUp,
  recoveryCodes: renewCodes,
  removal: remove,
};

/** The pages of a person's own space, to be mounted at `ACCOUNT_PATH`. Other addresses are passed on. */
export function accountRouter(options: AccountOptions): Router {
  const router = Router();
  const door: RequestHandler[] = [refuseForeign(options), options.session, parseForm];
  router.use((_req, res, next) => {
    pageHeaders(res);
    next();
  });
  router.get('/signed-in', options.session, (req, res) => takeAnswer(options, req, res));
  for (const page of Object.keys(PAGES) as PageName[]) {
    const path = PAGES[page].path || '/';
    router.get(path, options.session, guestOnly(options, page, SHOWN[page]));
    router.post(path, ...door, guestOnly(options, page, TAKEN[page]));
  }
  router.use(errorHandler(options));
  return router;
}
