// What is answered when no route matches, and when a handler fails: a page for people, JSON for programs.

import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';
import type { Settings } from '#config/settings.ts';
import { createProviderPages } from '#openid/sign-in/provider-pages/provider-pages.ts';
import type { Logger } from '#shared/log/log.ts';
import { isTransient, RETRY_AFTER } from '#store/database/transient-errors.ts';
import type { Site } from '#web/site.ts';
import { programAddresses } from './refusals.ts';

type Issuer = Pick<Settings, 'issuer'>;

/** 404 for whatever no other handler answered. */
export function notFound(site: Site, settings: Issuer): RequestHandler {
  const send = errorSender(site, settings);
  return (req, res) => send(req, res, 404, 'not_found', 'nothing is served at this address');
}

/** The last error middleware. */
export function errorHandler(site: Site, settings: Issuer, log: Logger): ErrorRequestHandler {
  const send = errorSender(site, settings);
  // Express knows an error middleware by its four parameters.
  return (err: unknown, req, res, _next) => {
    if (res.headersSent) {
      log.error({ err }, 'a request failed after its answer had begun');
      // The client sees that the answer ends too early.
      res.destroy();
      return;
    }
    const { status = 500 } = (err ?? {}) as { status?: number };
    if (status >= 400 && status < 500) return send(req, res, status, 'invalid_request', 'the request cannot be read');
    log.error({ err }, 'a request failed');
    if (!isTransient(err)) return send(req, res, 500, 'server_error', 'this service failed: its log has the cause');
    res.set('Retry-After', RETRY_AFTER);
    send(req, res, 503, 'temporarily_unavailable', 'the database does not answer at the moment: try again soon');
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
