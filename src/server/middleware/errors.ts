// Answers if no route matches, or if a handler fails: people get a page, and programs get JSON. Also makes the refusals that middleware
// sends before any route has seen the request (`refusals`). `request-log.ts` logs each answer with its level. The cause of a 5xx is logged
// by `openid/sign-in/errors.ts` (pages), `openid/provider/errors/error-responses.ts` (provider) and
// `directory/middleware/operation-outcome.ts` (directory).

import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';
import type { Settings } from '#config/settings.ts';
import { sendOutcome } from '#directory/middleware/operation-outcome.ts';
import { createProviderPages } from '#openid/provider/pages.ts';
import { isForPrograms, nothingHere } from '#openid/routes.ts';
import { pageErrors } from '#openid/sign-in/errors.ts';
import { basePath, isBelow } from '#shared/base-path.ts';
import type { Logger } from '#shared/log/log.ts';
import { currentRequestId } from '#shared/request-context.ts';
import type { Site } from '#web/site.ts';

type Issuer = Pick<Settings, 'issuer'>;

/** Answers 404 to a request that no other handler has answered. */
export function notFound(site: Site, settings: Issuer): RequestHandler {
  const send = errorSender(site, settings);
  return (req, res) => send(req, res, 404, 'not_found', nothingHere(settings.issuer));
}

/** Makes the last error middleware, which answers errors that nothing before it has answered. */
export function errorHandler(site: Site, settings: Issuer, log: Logger): ErrorRequestHandler {
  const send = errorSender(site, settings);
  const answer = pageErrors({
    log,
    failed: 'a request failed',
    send: (req, res, { status }) => {
      if (status < 500) send(req, res, status, 'invalid_request', 'the request cannot be read');
      else if (status === 500) send(req, res, status, 'server_error', 'this service failed: its log has the cause');
      else
        send(req, res, status, 'temporarily_unavailable', 'the database does not answer at the moment: try again soon');
    },
  });
  return (err, req, res, next) => {
    if (!res.headersSent) return answer(err, req, res, next);
    log.error({ err }, 'a request failed after its answer had begun');
    // The connection is closed, so that the client sees that the answer is incomplete.
    res.destroy();
  };
}

function errorSender(site: Site, settings: Issuer) {
  const pages = createProviderPages(site);
  const isProgramAddress = programAddresses(settings);
  return (req: Request, res: Response, status: number, error: string, description: string): void => {
    res.status(status).set('Cache-Control', 'no-store');
    if (!isProgramAddress(req.path) && req.accepts('json', 'html') === 'html')
      res.type('html').send(pages.error({ req, res }, { error }));
    else res.json({ error, error_description: description });
  };
}

type Refuse = (req: Request, res: Response, status: 400 | 421, text: string, french?: string) => void;

/**
 * Makes a function that refuses requests: with an OperationOutcome below the directory, with JSON at the OAuth and OpenID endpoints of
 * programs, and with text everywhere else. Only people read the text, so a sentence in French can stand before it.
 */
export function refusals({ issuer, directory }: Pick<Settings, 'issuer' | 'directory'>): Refuse {
  const fhir = basePath(directory.url);
  const isProgramAddress = programAddresses({ issuer });
  return (req, res, status, text, french) => {
    const { path } = req;
    res.status(status).set('Cache-Control', 'no-store');
    if (isBelow(path, fhir)) {
      void sendOutcome(req, res, [{ severity: 'error', code: 'not-supported', diagnostics: text }]);
    } else if (isProgramAddress(path)) {
      // RFC 6749 section 5.2 allows neither line breaks nor quotation marks in `error_description`.
      res.json({ error: 'invalid_request', error_description: text.replaceAll('\n', ' ').replace(/["\\]/g, "'") });
    } else
      res
        .type('text/plain')
        .send(`${french === undefined ? '' : `${french}\n\n`}${text}\nRequest: ${currentRequestId()}\n`);
  };
}

/**
 * Makes a function that recognises the paths of endpoints for programs: those of the OpenID provider below the issuer (`isForPrograms`),
 * and the discovery documents at the root of the host (RFC 8414).
 */
export function programAddresses({ issuer }: Pick<Settings, 'issuer'>): (path: string) => boolean {
  const base = basePath(issuer);
  return (path) =>
    path.startsWith('/.well-known/') || (path.startsWith(base) && isForPrograms(path.slice(base.length)));
}
