// Gives each request its id, or takes the id of a trusted proxy. Writes one line to the log when the request is answered, or when its client
// goes away before.

import { randomInt } from 'node:crypto';
import type { RequestHandler } from 'express';
import type { Settings } from '#config/settings.ts';
import { type Logger, logRequest, REQUEST_ID } from '#shared/log/log.ts';
import { type RequestContext, withinContext } from '#shared/request-context.ts';
import { pathLogger } from './logged-path.ts';

/** Responses that nobody looks for in a log: static files, and checks of load balancers every few seconds. */
const ROUTINE = /\.(css|js|svg)$|^\/health\//;
const HEADER = REQUEST_ID.toLowerCase();
/**
 * Accepted ids of a proxy: those that FHIR permits (STU3 datatypes, id), because an OperationOutcome has the same id. Other ids are
 * ignored, so that nobody can write arbitrary text into a log or a page.
 */
const ID = /^[A-Za-z\d.-]{8,64}$/;
/** Status in the log if the client left before there was a response. nginx logs the same. */
const CLIENT_CLOSED = 499;

/**
 * The line has method, path, status and milliseconds, and `aborted` if the client did not wait for the end of the response. It leaves out
 * the query, which carries codes and states; text of strangers in the path; and the client's address, which the audit trail has if somebody
 * is accountable (SEC-17). The id is also a header of the response, so that people can quote it.
 */
export function requestLog(log: Logger, settings: Pick<Settings, 'issuer' | 'directory' | 'proxies'>): RequestHandler {
  const { proxies } = settings;
  const pathOf = pathLogger(settings);
  // The prefix is random for the process, and ids count up within it: an id is not secret, and random bytes for each one would cost more.
  // There are no capital letters, because people read ids aloud.
  const process = randomInt(36 ** 8)
    .toString(36)
    .padStart(8, '0');
  let count = 0;
  return (req, res, next) => {
    count += 1;
    const given = proxies > 0 ? req.headers[HEADER] : undefined;
    const requestId = typeof given === 'string' && ID.test(given) ? given : `${process}-${count.toString(36)}`;
    const context: RequestContext = { requestId };
    const started = performance.now();
    const { method } = req;
    const routine = ROUTINE.test(req.path);
    const path = pathOf(req.path);
    res.setHeader(REQUEST_ID, requestId);
    // This event also comes after the end of a response.
    res.on('close', () => {
      const aborted = !res.writableFinished;
      const status = aborted && !res.headersSent ? CLIENT_CLOSED : res.statusCode;
      const level = status >= 500 ? 'error' : status < 400 && routine ? 'debug' : 'info';
      const ms = Math.round((performance.now() - started) * 10) / 10;
      const { span } = context;
      logRequest(log, level, { requestId, span, method, path, status, ms, ...(aborted && { aborted }) });
    });
    withinContext(context, next);
  };
}
