// The error middleware of the sign-in pages, and the page of a finished sign-in. Other pages use `pageErrors` too.

import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';
import { DecryptionError } from '#shared/crypto/encryption.ts';
import { UNREADABLE_SECRET } from '#store/accounts/factors/second-factors.ts';
import { isOrphan, isTransient, RETRY_SECONDS } from '#store/database/transient-errors.ts';
import { iconEmblem } from '#web/components.ts';
import { CrossSiteForm } from '#web/forms/csrf.ts';
import { UnusableForm } from '#web/forms/form.ts';
import { html } from '#web/html.ts';
import { pageHeaders } from '#web/http/page-headers.ts';
import { languageLink, languageLinkTo, languageOf } from '#web/language.ts';
import { sendPage } from '#web/layout.ts';
import { messagesIn } from '#web/messages.ts';
import { type ErrorPage, renderErrorPage, requestIdOf } from '#web/pages/error-page.ts';
import { waysOn } from '#web/pages/ways-on.ts';
import { InteractionExpired } from './describe-interaction.ts';
import { pathOf, type SignInOptions } from './page-context.ts';

// The next functions decide what an error means, with which status it is answered, and whether it is logged. How the error is shown depends
// on the kind of page.

interface PageError {
  status: number;
  error: 'foreign_form' | 'unusable_form' | 'server_error';
  /** Explanation in English, for the developers of an application. */
  description?: string;
}

interface PageErrorsOptions {
  log: { error(fields: object, message: string): void };
  /** Message of the log if a page fails. */
  failed: string;
  /** Answers errors that occur only on these pages, and then returns true. Returns false for all other errors. */
  answerOwn?(error: unknown, req: Request, res: Response): boolean | Promise<boolean>;
  send(req: Request, res: Response, error: PageError): void;
}

/**
 * Makes the middleware that answers the errors of a page. If the response has already begun, the error goes to the next error middleware.
 */
export function pageErrors(options: PageErrorsOptions): ErrorRequestHandler {
  return async (error: unknown, req, res, next) => {
    if (res.headersSent) return next(error);
    if (await options.answerOwn?.(error, req, res)) return;
    options.send(req, res, meaningOf(error, res, options));
  };
}

function meaningOf(error: unknown, res: Response, { log, failed }: PageErrorsOptions): PageError {
  if (error instanceof CrossSiteForm) return { status: error.status, error: 'foreign_form' };
  const { status = 500 } = (error ?? {}) as { status?: number };
  if (status >= 400 && status < 500) {
    return { status, error: 'unusable_form', ...(error instanceof UnusableForm && { description: error.message }) };
  }
  const message = error instanceof DecryptionError ? UNREADABLE_SECRET : failed;
  log.error({ err: error, reference: requestIdOf(res) }, message);
  if (!isTransient(error)) return { status: 500, error: 'server_error' };
  res.set('Retry-After', String(RETRY_SECONDS));
  return { status: 503, error: 'server_error' };
}

/** Answers unknown addresses below the sign-in pages. */
export function notFound(options: SignInOptions): RequestHandler {
  return (req, res) => sendError(options, req, res, 404, { error: 'not_found' });
}

/** Makes the error middleware of the sign-in pages. */
export function errorHandler(options: SignInOptions): ErrorRequestHandler {
  const { site, log } = options;
  return pageErrors({
    log,
    failed: 'a sign-in page failed',
    answerOwn: async (error, req, res) => {
      if (error instanceof InteractionExpired) await sendFinished(options, req, res);
      // This error (`isOrphan`) means that an operator has deleted the account during the sign-in.
      else if (isOrphan(error)) sendError(options, req, res, 400, { error: 'expired' });
      else return false;
      return true;
    },
    send: (req, res, { status, ...error }) => {
      const again = error.error === 'foreign_form' && { again: { href: pathOf(site, req) } };
      sendError(options, req, res, status, { ...error, ...again });
    },
  });
}

/**
 * Sends the page of a finished sign-in, also in answer to a form that is posted too late. The page says how the sign-in ended, if that is
 * known. The ids `application` and `account` of its links must not change, because programs of others rely on them.
 */
async function sendFinished(options: SignInOptions, req: Request, res: Response): Promise<void> {
  const { site, interactions } = options;
  const path = pathOf(site, req);
  const end = await interactions.finished(req, res, path.slice(path.lastIndexOf('/') + 1));
  const languageLink = languageLinkTo(path);
  const { outcome = 'over', application } = end ?? {};
  if (outcome === 'over') return sendError(options, req, res, 400, { error: 'expired', languageLink, application });
  const frame = { site, language: languageOf(req), languageLink };
  const { finished, home } = messagesIn(frame.language);
  const isOpen = outcome === 'signed-in';
  const { title, lead, leadOfOwn } = finished[outcome];
  const content = html`<p class="lead">${application ? lead(application.name) : leadOfOwn}</p>
${waysOn(frame, { application, account: home.account })}
${isOpen && html`<p class="fine">${finished.shared}</p>`}`;
  sendPage({ ...frame, res }, { title, emblem: iconEmblem(isOpen ? 'check' : 'leave'), content });
}

function sendError(
  { site }: SignInOptions,
  req: Request,
  res: Response,
  status: number,
  error: Pick<ErrorPage, 'error' | 'description' | 'again' | 'application' | 'languageLink'>,
): void {
  // The response to a form has no language switch. The link of the switch would open the form's address with GET, which shows another page.
  const link = req.method === 'GET' ? languageLink(req) : undefined;
  const frame = { site, language: languageOf(req), languageLink: link, reference: requestIdOf(res) };
  pageHeaders(res);
  const page = renderErrorPage({ ...frame, ...error });
  res.status(status).type('html').send(page);
}
