// Conditional requests (RFC 9110 section 13), as Express decides them, with two exceptions.

import type { Request } from 'express';

const TIME = String.raw`\d\d:\d\d:\d\d`;
const GMT = String.raw`[A-Z][a-z]+, \d\d(?: [A-Z][a-z]{2} \d{4}|-[A-Z][a-z]{2}-\d\d) ${TIME} GMT`;
const ASCTIME = String.raw`[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d ${TIME} \d{4}`;
/** RFC 9110 section 5.6.7. */
const HTTP_DATE = new RegExp(`^(?:${GMT}|${ASCTIME})$`);

/** Whether the client holds what would be sent, by the ETag and Last-Modified of the response: 304. */
export function isFresh(req: Request): boolean {
  const { headers } = req;
  // What is no date of HTTP counts as absent.
  if (!HTTP_DATE.test(headers['if-modified-since'] ?? '')) delete headers['if-modified-since'];
  // `fetch` adds it to each conditional request, and Express would then always send everything.
  delete headers['cache-control'];
  return req.fresh;
}
