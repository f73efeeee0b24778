// The error middleware of the sign-in pages.

import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';
import { DecryptionError } from '#shared/crypto/encryption.ts';
import { UNREADABLE_SECRET } from '#store/accounts/factors/second-factors.ts';
import { isOrphan, isTransient, RETRY_AFTER } from '#store/database/transient-errors.ts';
import { CrossSiteForm } from '#web/forms/csrf.ts';
import { UnusableForm } from '#web/forms/form.ts';
import { pageHeaders } from '#web/http/page-headers.ts';
import { languageLink, languageLinkTo, languageOf } from '#web/language.ts';
import { type ErrorPage, renderErrorPage, requestIdOf } from '#web/pages/error-page.ts';
import { renderFinishedPage } from './finished/finished-page.ts';
import { InteractionExpired } from './interaction-details.ts';
import { pathOf, type SignInOptions } from './page-context.ts';

/** For addresses below the sign-in where nothing is. */
export function notFound(options: SignInOptions): RequestHandler {
  return (req, res) => sendError(options, req, res, 404, { error: 'not_found' });
}

/** Answers whatever a page throws. */
export function errorHandler(options: SignInOptions): ErrorRequestHandler {
  return (error: unknown, req, res, next) => {
    if (res.headersSent) return next(error);
    const path = pathOf(options.site, req);
    if (error instanceof InteractionExpired) {
      sendFinished(options, req, res, path).catch(next);
      return;
    }
    if (error instanceof CrossSiteForm) {
      return sendError(options, req, res, error.status, { error: 'foreign_form', again: { href: path } });
    }
    // The account was deleted while it signed in.
    if (isOrphan(error)) return sendError(options, req, res, 400, { error: 'expired' });
    const { status } = error as { status?: number };
    if (status !== undefined && status >= 400 && status < 500) {
      const description = error instanceof UnusableForm ? { description: error.message } : {};
      return sendError(options, req, res, status, { error: 'unusable_form', ...description });
    }
    const message = error instanceof DecryptionError ? UNREADABLE_SECRET : 'a sign-in page failed';
    options.log.error({ err: error, reference: requestIdOf(res) }, message);
    const transient = isTransient(error);
    if (transient) res.set('Retry-After', RETRY_AFTER);
    sendError(options, req, res, transient ? 503 : 500, { error: 'server_error' });
  };
}

// Of a sign-in that is over, the page itself and the answers to its forms say the same: how it ended, where that is known.
async function sendFinished(options: SignInOptions, req: Request, res: Response, path: string): Promise<void> {
  const { site, interactions } = options;
  const finished = await interactions.finished(req, res, path.slice(path.lastIndexOf('/') + 1));
  const languageLink = languageLinkTo(path);
  const { outcome = 'over', application } = finished ?? {};
  if (outcome === 'over') return sendError(options, req, res, 400, { error: 'expired', languageLink, application });
  pageHeaders(res);
  res.type('html').send(renderFinishedPage({ site, language: languageOf(req), languageLink, outcome, application }));
}

function sendError(
  { site }: SignInOptions,
  req: Request,
  res: Response,
  status: number,
  error: Pick<ErrorPage, 'error' | 'description' | 'again' | 'application' | 'languageLink'>,
): void {
  // Only a page that was requested with GET, not the answer to a form, can be requested again in another language.
  const link = req.method === 'GET' ? languageLink(req) : undefined;
  const frame = { site, language: languageOf(req), languageLink: link, reference: requestIdOf(res) };
  pageHeaders(res);
  res
    .status(status)
    .type('html')
    .send(renderErrorPage({ ...frame, ...error }));
}
