// Headers that every response of the directory has, for CORS and caching.

import type { RequestHandler } from 'express';
import { fhirError } from '#directory/errors.ts';
import { takesNoCoding } from './compression.ts';

const RESPONSE_HEADERS = {
  'cache-control': 'private, no-cache',
  vary: 'Accept, Accept-Encoding, Authorization, Prefer',
  'x-content-type-options': 'nosniff',
  // Any origin is allowed, because a browser never sends a Bearer token by itself.
  'access-control-allow-origin': '*',
  'access-control-expose-headers':
    'ETag, Last-Modified, Content-Location, Link, Location, Allow, Retry-After, WWW-Authenticate, Content-Range, X-Request-Id',
} as const;

const HEADERS = Object.entries(RESPONSE_HEADERS);

/** Middleware that sets the headers. It answers 406 if the client accepts no coding that is available. */
export const responseHeaders: RequestHandler = (req, res, next) => {
  for (const [name, value] of HEADERS) res.setHeader(name, value);
  if (takesNoCoding(req.headers['accept-encoding']))
    throw fhirError(406, 'not-supported', 'Answers come as br, gzip or identity: take one of them in Accept-Encoding.');
  next();
};
