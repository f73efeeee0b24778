// Answers if no route matches, or if a handler fails: with a page for people, with JSON for programs. `request-log.ts` logs each answer
// with its level. The cause of a 5xx is logged by `openid/sign-in/page-errors.ts` (pages), `openid/provider/errors/error-log.ts` (provider)
// and `directory/middleware/operation-outcome.ts` (directory).

import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';
import type { Settings } from '#config/settings.ts';
import { createProviderPages } from '#openid/provider/pages.ts';
import { pageErrors } from '#openid/sign-in/page-errors.ts';
import type { Logger } from '#shared/log/log.ts';
import type { Site } from '#web/site.ts';
import { programAddresses } from './refusals.ts';

type Issuer = Pick<Settings, 'issuer'>;

/** Answers 404 to a request that no other handler has answered. */
export function notFound(site: Site, settings: Issuer): RequestHandler {
  const send = errorSender(site, settings);
  return (req, res) => send(req, res, 404, 'not_found', 'nothing is served at this address');
}

/** The last error middleware. */
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
    // The client sees that the answer ends too early.
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
