// Sends responses. Every response gets the headers for CORS and caching, and its body is compressed in a way that the client accepts. If
// the client already has the response, it is sent without a body (RFC 9110 section 13). Limits how many bytes a client may leave unread,
// because they stay in memory until the client reads them or its connection ends (SEC-76).

import type { Request, RequestHandler, Response } from 'express';
import { fhirError } from '#directory/errors.ts';
import { type Representation, serialized } from '#directory/format/serialize.ts';
import { limitReached } from '#shared/limits-reached.ts';
import { callerOf, tokenOf } from './authenticate.ts';
import { codingFor, compressed, takesNoCoding } from './compression.ts';

const RESPONSE_HEADERS = {
  'cache-control': 'private, no-cache',
  vary: 'Accept, Accept-Encoding, Authorization, Prefer',
  'x-content-type-options': 'nosniff',
  // Any origin is allowed. This is safe, because a browser never sends a Bearer token by itself.
  'access-control-allow-origin': '*',
  'access-control-expose-headers':
    'ETag, Last-Modified, Content-Location, Link, Location, Allow, Retry-After, WWW-Authenticate, Content-Range, X-Request-Id',
} as const;

const HEADERS = Object.entries(RESPONSE_HEADERS);

/** Middleware that sets the headers that all responses have. It answers 406 if the client accepts no coding that the directory offers. */
export const responseHeaders: RequestHandler = (req, res, next) => {
  for (const [name, value] of HEADERS) res.setHeader(name, value);
  if (takesNoCoding(req.headers['accept-encoding']))
    throw fhirError(406, 'not-supported', 'Answers come as br, gzip or identity: take one of them in Accept-Encoding.');
  next();
};

const FHIR_JSON = 'application/fhir+json; charset=utf-8';
const FHIR_XML = 'application/fhir+xml; charset=utf-8';

/** Sends a resource, which is given as JSON text. Status and other headers must be set before. */
export async function sendResource(
  req: Request,
  res: Response,
  json: string,
  representation: Representation,
): Promise<void> {
  await sendResourceText(req, res, serialized(json, representation), representation);
}

/** Sends the text of a resource that already has the format that the client asked for. */
export async function sendResourceText(req: Request, res: Response, text: string, form: Representation): Promise<void> {
  setCaching(res, form);
  await sendText(req, res, form.format === 'xml' ? FHIR_XML : FHIR_JSON, text);
}

/**
 * Forbids storing a response in XML. A browser stores only one response for each address, and JSON and XML have the same entity tag. With a
 * later request for JSON, the browser would send the tag of the stored XML. It would get a 304, and use the XML. A 304 needs the same
 * header as a 200 (RFC 9110 section 15.4.5), so this is called before both.
 */
export function setCaching(res: Response, { format }: Representation): void {
  if (format === 'xml') res.setHeader('Cache-Control', 'no-store');
}

/** Sends text of any media type. */
export async function sendText(req: Request, res: Response, mediaType: string, text: string): Promise<void> {
  res.setHeader('Content-Type', mediaType);
  const length = Buffer.byteLength(text);
  const coding = codingFor(req.headers['accept-encoding'], length);
  if (coding === 'identity') {
    res.setHeader('Content-Length', length);
    // `res.end` sends head and body in one write. A body that is all ASCII has the same bytes in Latin-1, and Node writes Latin-1 without a
    // conversion.
    res.end(text, length === text.length ? 'latin1' : 'utf8');
    return wasWritten(res);
  }
  const bytes = await compressed(text, coding);
  res.setHeader('Content-Encoding', coding);
  res.send(bytes);
  wasWritten(res);
}

const TIME = String.raw`\d\d:\d\d:\d\d`;
const GMT = String.raw`[A-Z][a-z]+, \d\d(?: [A-Z][a-z]{2} \d{4}|-[A-Z][a-z]{2}-\d\d) ${TIME} GMT`;
const ASCTIME = String.raw`[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d ${TIME} \d{4}`;
/** Matches an HTTP date (RFC 9110 section 5.6.7). */
const HTTP_DATE = new RegExp(`^(?:${GMT}|${ASCTIME})$`);

/**
 * Checks whether the client already has the response, so that 304 is the answer. Express compares ETag and Last-Modified with the headers
 * of the request. Two request headers that would mislead Express are removed first.
 */
export function isFresh(req: Request): boolean {
  const { headers } = req;
  // A value that is no HTTP date is treated as absent.
  if (!HTTP_DATE.test(headers['if-modified-since'] ?? '')) delete headers['if-modified-since'];
  // `fetch` adds Cache-Control to each conditional request. If the header stayed, Express would always send the whole response.
  delete headers['cache-control'];
  return req.fresh;
}

/**
 * Makes the middleware, which comes after `authenticate`. One client may leave at most `most` bytes of responses unread in this process.
 * Above this limit, a connection is closed if the client does not read its response at once. The bytes are counted as soon as a response is
 * written. If they were checked when a request arrives, many requests that arrive together would all be answered.
 */
export function boundUnreadAnswers(most: number): RequestHandler {
  const unread = new Map<string, number>();
  return (req, res, next) => {
    const token = tokenOf(res);
    if (!token) return next();
    const caller = callerOf(token);
    const add = (bytes: number) => {
      const sum = (unread.get(caller) ?? 0) + bytes;
      if (sum > 0) unread.set(caller, sum);
      else unread.delete(caller);
      return sum;
    };
    res.locals['written'] = () => {
      const waiting = res.writableLength;
      if (waiting === 0) return;
      res.once('close', () => add(-waiting));
      if (add(waiting) <= most) return;
      limitReached('unread-answers');
      req.socket.destroy();
    };
    next();
  };
}

/** Counts the bytes of a response that the network did not accept at once. Call it after the whole response has been handed to Node. */
export function wasWritten(res: Response): void {
  (res.locals['written'] as (() => void) | undefined)?.();
}
