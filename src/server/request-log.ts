// Owns the reference of each request and its line in the log. Does not own the log itself (`src/shared/log/log.ts`).

import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Logger, logRequest, withinRequest } from '../shared/log/log.ts';

/** Style sheets, scripts and pictures of the pages: nobody looks for them in a log. */
const FILES = /\.(css|js|svg)$/;

/**
 * Gives each request a reference, and writes one line when it is answered: method, path, status, milliseconds.
 * The query is left out: it carries codes and states (SEC-17). `work` is told the reference.
 */
export function requestLog(log: Logger) {
  // Random for the process, counted within it: a reference is no secret, and randomness for each one costs.
  const process = randomBytes(6).toString('base64url');
  let count = 0;
  return (req: IncomingMessage, res: ServerResponse, work: (requestId: string) => void): void => {
    count += 1;
    const id = `${process}-${count.toString(36)}`;
    const started = performance.now();
    const path = pathOf(req.url ?? '');
    res.on('finish', () => {
      const status = res.statusCode;
      const level = status >= 500 ? 'error' : status < 400 && FILES.test(path) ? 'debug' : 'info';
      const ms = Math.round((performance.now() - started) * 10) / 10;
      logRequest(log, level, { requestId: id, method: req.method ?? '', path, status, ms });
    });
    withinRequest(id, () => work(id));
  };
}

// The uid of an interaction is bound to a cookie, but it is nobody's business either.
const BEFORE_UID = /\/(?:interaction|authorize)\//;

function pathOf(url: string): string {
  const end = url.indexOf('?');
  const path = end < 0 ? url : url.slice(0, end);
  return BEFORE_UID.test(path) ? path.replace(/^(.*\/interaction\/|\/authorize\/)[^/]+/, '$1…') : path;
}
