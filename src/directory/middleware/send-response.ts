// Sends a body in a coding that the client accepts, and decides by the conditions of a request whether a body is needed (RFC 9110 section
// 13).

import type { Request, Response } from 'express';
import { type Representation, serialized } from '#directory/format/serialize.ts';
import { codingFor, compressed } from './compression.ts';
import { wasWritten } from './unread-answers.ts';

export const FHIR_JSON = 'application/fhir+json; charset=utf-8';
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

/** Sends the text of a resource that is already in its representation. */
export async function sendResourceText(req: Request, res: Response, text: string, form: Representation): Promise<void> {
  setCaching(res, form);
  await sendText(req, res, form.format === 'xml' ? FHIR_XML : FHIR_JSON, text);
}

/**
 * Forbids storing a response in XML. A browser keeps one response for each address, and sends its tag even if it wants the other format
 * next time. A 304 needs the same header as a 200 (RFC 9110 section 15.4.5).
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
    // `res.end` sends head and body in one write. A text of ASCII is the same in Latin-1, which Node writes without a conversion.
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
 * Checks by ETag and Last-Modified whether the client already has the response (304). Express compares them with the headers of the
 * request. Before that, two headers that would mislead Express are removed.
 */
export function isFresh(req: Request): boolean {
  const { headers } = req;
  // A value that is no HTTP date counts as absent.
  if (!HTTP_DATE.test(headers['if-modified-since'] ?? '')) delete headers['if-modified-since'];
  // `fetch` adds this header to each conditional request. With it, Express would always send the whole response.
  delete headers['cache-control'];
  return req.fresh;
}
