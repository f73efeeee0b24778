// Gives each request an id, or takes the id that a trusted proxy has sent. This file puts the id into a header of the response. Other files
// show it to people and programs: `web/pages/error-page.ts` on an error page, `directory/middleware/operation-outcome.ts` in an
// OperationOutcome, and `errors.ts` in a plain refusal.
//
// Writes one line to the log when the request is answered, or when its client goes away before that. A 5xx has level error; `errors.ts`
// says which file logs its cause.

import { randomInt } from 'node:crypto';
import type { RequestHandler } from 'express';
import { ACCOUNT_CALLBACK, ACCOUNT_PATH, LINK_PATH, TRY_CALLBACK } from '#config/built-in-clients.ts';
import type { Settings } from '#config/settings.ts';
import { demoPaths } from '#demo/paths.ts';
import { REFERENCE } from '#directory/reference/router.ts';
import { PAGES } from '#openid/account/page-context.ts';
import { DISCOVERY, ROUTES, SIGN_IN_PATH } from '#openid/routes.ts';
import { type Logger, logRequest, REQUEST_ID } from '#shared/log/log.ts';
import { type RequestContext, withinContext } from '#shared/request-context.ts';
import { PICTURE_PATH } from '#store/accounts/pictures.ts';
import { OUTBOX_PATH, SANDBOX_PATH } from '#web/site.ts';

/** Paths of responses that nobody looks for in a log: static files, and checks of load balancers every few seconds. */
const ROUTINE = /\.(css|js|svg)$|^\/health\//;
const HEADER = REQUEST_ID.toLowerCase();
/**
 * The form of ids that are accepted from a proxy. It is the form of ids in FHIR (STU3 datatypes, id), because an OperationOutcome has the
 * same id. Other ids are ignored, so that nobody can write arbitrary text into a log or a page.
 */
const ID = /^[A-Za-z\d.-]{8,64}$/;
/** Status if the client left before there was a response, as in the log of nginx. */
export const CLIENT_CLOSED = 499;

/** A request whose response has closed. */
export interface CompletedRequest {
  method: string;
  /** The whole path. It must not be logged (`pathLogger`). */
  path: string;
  /** Status of the response, or `CLIENT_CLOSED`. */
  status: number;
  /** Milliseconds from the beginning of this middleware until the response has closed. */
  ms: number;
}

/**
 * Makes the middleware that logs requests. The line has method, path, status and milliseconds, the number of entries of a batch, and
 * `aborted` if the client did not wait for the end of the response. The query is left out, because it carries codes and states (SEC-17). In
 * the path, everything but the service's own words is replaced by `…` (`pathLogger`). The client's address is left out too; the audit trail
 * has it for events that somebody must answer for. The id is also a header of the response, so that people can quote it.
 * @param measure is called for each request when its response has closed, with the same status as in the log and with the exact time
 */
export function requestLog(
  log: Logger,
  settings: Pick<Settings, 'issuer' | 'directory' | 'proxies'>,
  measure?: (request: CompletedRequest) => void,
): RequestHandler {
  const { proxies } = settings;
  const pathOf = pathLogger(settings);
  // An id consists of a prefix, which is random for each process, and a number that counts up. Ids need not be secret, and random bytes for
  // each id would cost more. There are no capital letters, because people read ids aloud.
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
    const { method, path } = req;
    const routine = ROUTINE.test(path);
    const shown = pathOf(path);
    res.setHeader(REQUEST_ID, requestId);
    // `close` is emitted after a complete response, and also when the connection breaks.
    res.on('close', () => {
      const aborted = !res.writableFinished || undefined;
      const status = aborted && !res.headersSent ? CLIENT_CLOSED : res.statusCode;
      const level = levelOf(status, routine);
      const took = performance.now() - started;
      const ms = Math.round(took * 10) / 10;
      const { span, entries } = context;
      logRequest(log, level, { requestId, span, method, path: shown, status, ms, entries, aborted });
      measure?.({ method, path, status, ms: took });
    });
    withinContext(context, next);
  };
}

function levelOf(status: number, routine: boolean) {
  if (status >= 500) return 'error';
  return routine && status < 400 ? 'debug' : 'info';
}

// Only known words of the service's own addresses are logged, so that the log holds no text from outside (decision 86).

/**
 * Segments of the service's own paths that are not in `PATHS`. The log shows `…` for every segment that is missing both here and in
 * `PATHS`. A test fails if one of the service's own segments is missing.
 */
const WORDS = `
  health live ready metrics assets favicon.ico robots.txt change-password html confirm success
  login language passkey cancel code second-factor continue new-password consent same-account workspace other-account
  forget not-shared new-passkey later shared
  password-reset invitation email-verification email-change
  metadata smart-configuration _search _history $export %24export Practitioner Organization PractitionerRole SearchParameter CodeSystem
  sign-in sign-out steps practitioners organizations towns styles`;

const PATHS = [
  ...Object.values(ROUTES),
  ...DISCOVERY,
  ...Object.values(PAGES),
  ...Object.values(demoPaths),
  ...Object.values(REFERENCE),
  ACCOUNT_CALLBACK,
  ACCOUNT_PATH,
  LINK_PATH,
  OUTBOX_PATH,
  PICTURE_PATH,
  SANDBOX_PATH,
  SIGN_IN_PATH,
  TRY_CALLBACK,
];

const OTHER = '…';
/** Maximum segments of a path that are logged. No address of the service has as many. */
const MOST = 10;

/**
 * Makes a function that shortens paths for the log. Every segment that is not a word of the service's own addresses becomes `…`: ids of
 * people, tokens of links, and whatever a program puts into a path by mistake, such as a secret or a name.
 */
export function pathLogger({ issuer, directory }: Pick<Settings, 'issuer' | 'directory'>): (path: string) => string {
  const bases = [issuer, directory.url].map((url) => new URL(url).pathname);
  const known = new Set([...WORDS.trim().split(/\s+/), ...[...PATHS, ...bases].flatMap((path) => path.split('/'))]);
  return (path) => {
    const segments = path.split('/', MOST + 1);
    return segments.map((segment) => (known.has(segment) ? segment : OTHER)).join('/');
  };
}
