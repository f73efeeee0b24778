// Owns what becomes of a request to a person's own space that cannot be answered: sign-ins that failed, forms from elsewhere,
// unusable ones, faults. Does not own the page that says so (`problem-page.ts`).

import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';
import { CannotOpen } from '../shared/crypto/encryption.ts';
import { UNREADABLE_SECRET } from '../store/accounts/second-factors.ts';
import { isAway, RETRY_AFTER } from '../store/database/transient-errors.ts';
import { isForeignPost } from '../web/csrf.ts';
import { keepLanguage, languageOf } from '../web/language.ts';
import { pageHeaders } from '../web/page-headers.ts';
import { type AccountOptions, type PageName, pathOf } from './page-context.ts';
import { type Problem, renderProblemPage } from './problem-page.ts';

/** Refuses forms of other sites (SEC-32). */
export function refuseForeign(options: AccountOptions): RequestHandler {
  return (req, res, next) => {
    if (!isForeignPost(req, options.site.origin)) return next();
    sendProblem(options, req, res, { status: 403, problem: 'foreign_form' });
  };
}

/** Answers for whatever a page throws. */
export function errorHandler(options: AccountOptions): ErrorRequestHandler {
  return (error: unknown, req, res, next) => {
    if (res.headersSent) return next(error);
    const { status } = error as { status?: number };
    if (status !== undefined && status >= 400 && status < 500) {
      return sendProblem(options, req, res, { status, problem: 'unusable_form' });
    }
    const message = error instanceof CannotOpen ? UNREADABLE_SECRET : 'a page of an account failed';
    options.log.error({ err: error, reference: options.requestId(req) }, message);
    const away = isAway(error);
    if (away) res.set('Retry-After', RETRY_AFTER);
    sendProblem(options, req, res, { status: away ? 503 : 500, problem: 'server_error' });
  };
}

/** Sends the page; `page`: where the person can start again. */
export function sendProblem(
  { site, requestId }: AccountOptions,
  req: Request,
  res: Response,
  { status, problem, page = 'overview' }: { status: number; problem: Problem; page?: PageName },
): void {
  keepLanguage(req, res, site);
  pageHeaders(res);
  const language = languageOf(req);
  const shown = renderProblemPage({ site, language, problem, reference: requestId(req), again: pathOf(site, page) });
  res.status(status).type('html').send(shown);
}
