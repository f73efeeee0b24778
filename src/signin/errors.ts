// Owns what becomes of a sign-in that cannot go on: forms from elsewhere, unusable ones, sign-ins that are over, faults.
// Does not own the page that says so (`error-page.ts`).

import { randomUUID } from 'node:crypto';
import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';
import { CannotOpen } from '../shared/crypto/encryption.ts';
import { UNREADABLE_SECRET } from '../store/accounts/second-factors.ts';
import { isAway, RETRY_AFTER } from '../store/database/transient-errors.ts';
import { isForeignPost } from '../web/csrf.ts';
import { UnusableForm } from '../web/form.ts';
import { keepLanguage, type Language, languageLink, languageOf } from '../web/language.ts';
import { pageHeaders } from '../web/page-headers.ts';
import type { Site } from '../web/site.ts';
import { renderErrorPage } from './error-page.ts';
import { InteractionExpired } from './interactions.ts';
import { languageLinkTo, pathOf, type SignInOptions } from './page-context.ts';

/** Refuses forms of other sites (SEC-32). */
export function refuseForeign(options: SignInOptions): RequestHandler {
  return (req, res, next) => {
    if (!isForeignPost(req, options.site.origin)) return next();
    sendError(options, req, res, { status: 403, error: 'foreign_form', again: pathOf(options.site, req) });
  };
}

/** Answers for whatever a page throws. */
export function errorHandler(options: SignInOptions): ErrorRequestHandler {
  return (error: unknown, req, res, next) => {
    if (res.headersSent) return next(error);
    if (error instanceof InteractionExpired) return sendError(options, req, res, { status: 400, error: 'expired' });
    const { status, message } = error as { status?: number; message?: string };
    if (status !== undefined && status >= 400 && status < 500) {
      const description = error instanceof UnusableForm ? message : undefined;
      return sendError(options, req, res, { status, error: 'unusable_form', ...(description && { description }) });
    }
    const away = isAway(error);
    if (away) res.set('Retry-After', RETRY_AFTER);
    sendError(options, req, res, { status: away ? 503 : 500, error: 'server_error', cause: error });
  };
}

/** Sends the error page. */
export function sendError(
  options: SignInOptions,
  req: Request,
  res: Response,
  fault: { status: number; error: string; description?: string; again?: string; cause?: unknown },
): void {
  const { status, cause, ...shown } = fault;
  const reference = options.requestId?.(req) ?? randomUUID();
  if (cause !== undefined) {
    const message = cause instanceof CannotOpen ? UNREADABLE_SECRET : 'a sign-in page failed';
    options.log?.error({ err: cause, reference }, message);
  }
  const { site } = options;
  const page = renderErrorPage({
    site,
    language: languageOf(req),
    languageLink: languageLinkOfError(site, req, fault.error),
    reference,
    ...shown,
  });
  keepLanguage(req, res, site);
  pageHeaders(res);
  res.status(status).type('html').send(page);
}

/** For an error: what was asked for can be asked for again; of an expired sign-in the page itself says the same. */
function languageLinkOfError(site: Site, req: Request, error: string) {
  if (error === 'expired') return languageLinkTo(pathOf(site, req));
  return req.method === 'GET' ? (language: Language) => languageLink(req, language) : undefined;
}
