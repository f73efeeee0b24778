// The error pages of the account pages, of the links in mails, and of sign-ins to them that failed.

import type { ErrorRequestHandler, Request, Response } from 'express';
import { pageErrors } from '#openid/sign-in/page-errors.ts';
import { isOrphan } from '#store/database/transient-errors.ts';
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

/** Answers any error of a page. `again` returns the path at which the person can start again. */
export function errorHandler(options: ErrorOptions, again: (req: Request) => string): ErrorRequestHandler {
  return pageErrors({
    log: options.log,
    failed: 'a page of an account failed',
    answerOwn: (error, req, res) => {
      // An operator has just deleted the account, so the page leads to the sign-in.
      if (isOrphan(error)) res.redirect(303, again(req));
      return isOrphan(error);
    },
    send: (req, res, { status, error }) => send(options, req, res, status, error, again(req)),
  });
}

/**
 * Sends the error page. `page` is the path at which the person can start again. There is no language switch, because the page must not be
 * requested twice.
 */
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
