// The error middleware of the account pages, and the error page for sign-ins to them that failed.

import type { ErrorRequestHandler, Request, Response } from 'express';
import { DecryptionError } from '#shared/crypto/encryption.ts';
import { UNREADABLE_SECRET } from '#store/accounts/factors/second-factors.ts';
import { isOrphan, isTransient, RETRY_AFTER } from '#store/database/transient-errors.ts';
import { CrossSiteForm } from '#web/forms/csrf.ts';
import { languageOf } from '#web/language.ts';
import { type Messages, messagesIn } from '#web/messages.ts';
import { type ErrorText, renderErrorPage, requestIdOf } from '#web/pages/error-page.ts';
import { type AccountOptions, type PageName, pathOf } from './page-context.ts';

type ErrorMessages = Messages['account']['error'];

/** The errors that have a title, a cause and a remedy. */
type AccountError = {
  [Key in keyof ErrorMessages]: ErrorMessages[Key] extends ErrorText ? Key : never;
}[keyof ErrorMessages];

type ErrorOptions = Pick<AccountOptions, 'site'> & { log: Pick<AccountOptions['log'], 'error'> };

/** Answers whatever a page throws; `again`: path at which the person can start again. */
export function errorHandler(options: ErrorOptions, again: (req: Request) => string): ErrorRequestHandler {
  return (error: unknown, req, res, next) => {
    if (res.headersSent) return next(error);
    // Of an account that an operator has just deleted: the page leads to the sign-in.
    if (isOrphan(error)) return res.redirect(303, again(req));
    if (error instanceof CrossSiteForm) return send(options, req, res, error.status, 'foreign_form', again(req));
    const { status } = error as { status?: number };
    if (status !== undefined && status >= 400 && status < 500) {
      return send(options, req, res, status, 'unusable_form', again(req));
    }
    const message = error instanceof DecryptionError ? UNREADABLE_SECRET : 'a page of an account failed';
    options.log.error({ err: error, reference: requestIdOf(res) }, message);
    const transient = isTransient(error);
    if (transient) res.set('Retry-After', RETRY_AFTER);
    send(options, req, res, transient ? 503 : 500, 'server_error', again(req));
  };
}

/** Sends the error page; `page`: where the person can start again. It has no language switch: nothing is requested twice. */
export function sendError(
  options: ErrorOptions,
  req: Request,
  res: Response,
  status: number,
  error: AccountError,
  page: PageName = 'profile',
): void {
  send(options, req, res, status, error, pathOf(options.site, page));
}

function send(
  { site }: ErrorOptions,
  req: Request,
  res: Response,
  status: number,
  error: AccountError,
  href: string,
): void {
  const language = languageOf(req);
  const messages = messagesIn(language).account.error;
  const again = { href, label: messages.again };
  const shown = renderErrorPage({ site, language, error, reference: requestIdOf(res), text: messages[error], again });
  res.status(status).type('html').send(shown);
}
