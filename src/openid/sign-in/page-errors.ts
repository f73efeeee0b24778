// The error middleware of all pages. Maps an error to its meaning, its status and its line in the log. Each kind of page shows the error in
// its own way.

import type { ErrorRequestHandler, Request, Response } from 'express';
import { DecryptionError } from '#shared/crypto/encryption.ts';
import { UNREADABLE_SECRET } from '#store/accounts/factors/second-factors.ts';
import { isTransient, RETRY_SECONDS } from '#store/database/transient-errors.ts';
import { CrossSiteForm } from '#web/forms/csrf.ts';
import { UnusableForm } from '#web/forms/form.ts';
import { requestIdOf } from '#web/pages/error-page.ts';

interface PageError {
  status: number;
  error: 'foreign_form' | 'unusable_form' | 'server_error';
  /** English text for integrators. */
  description?: string;
}

interface PageErrorsOptions {
  log: { error(fields: object, message: string): void };
  /** The log message for a failed page. */
  failed: string;
  /** Answers errors that only these pages throw. Returns false for all other errors. */
  answerOwn?(error: unknown, req: Request, res: Response): boolean | Promise<boolean>;
  send(req: Request, res: Response, error: PageError): void;
}

/** Answers the errors that a page throws. If the response has begun, the next error middleware gets the error. */
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
