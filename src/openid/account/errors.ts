// Sends the error pages of the account pages and of the pages behind mailed links, and the error page after a failed sign-in to the account
// pages.

import type { ErrorRequestHandler, Request, Response } from 'express';
import { pageErrors } from '#openid/sign-in/errors.ts';
import { SessionGone } from '#store/accounts/end-sessions.ts';
import { isOrphan } from '#store/database/transient-errors.ts';
import { languageOf } from '#web/language.ts';
import { type Messages, messagesIn } from '#web/messages.ts';
import { type ErrorIn, renderErrorPage, requestIdOf } from '#web/pages/error-page.ts';
import type { Site } from '#web/site.ts';
import { type AccountOptions, pathOf } from './page-context.ts';

/** Makes the handler of all errors of a page. `again` returns the path at which the person can start again. */
export function errorHandler(
  options: Pick<AccountOptions, 'site' | 'log'>,
  again: (req: Request) => string,
): ErrorRequestHandler {
  return pageErrors({
    log: options.log,
    failed: 'a page of an account failed',
    answerOwn: (error, req, res) => {
      // The account of this person has just been deleted by an operator, or the session has just ended, so the browser is redirected to the
      // start.
      const isOver = isOrphan(error) || error instanceof SessionGone;
      if (isOver) res.redirect(303, again(req));
      return isOver;
    },
    send: (req, res, error) => sendError(options.site, req, res, error, again(req)),
  });
}

/**
 * Sends the error page with a link to `href`, where the person can start again. The page has no language switch, because that would repeat
 * the failed request.
 */
export function sendError(
  site: Site,
  req: Request,
  res: Response,
  { status, error }: { status: number; error: ErrorIn<Messages['account']['error']> },
  href = pathOf(site, 'profile'),
): void {
  const language = languageOf(req);
  const messages = messagesIn(language).account.error;
  const again = { href, label: messages.again };
  const shown = renderErrorPage({ site, language, error, reference: requestIdOf(res), text: messages[error], again });
  res.status(status).type('html').send(shown);
}
