// The headers of an answer, without those that differ each time.

import type request from 'supertest';

/** What every answer in JSON has. */
export const JSON_HEADERS = {
  'cache-control': 'private, no-cache',
  vary: 'Accept, Accept-Encoding, Authorization, Prefer',
  'x-content-type-options': 'nosniff',
  'access-control-allow-origin': '*',
  'access-control-expose-headers':
    'ETag, Last-Modified, Content-Location, Link, Location, Allow, Retry-After, WWW-Authenticate, Content-Range, X-Request-Id',
  'content-type': 'application/fhir+json; charset=utf-8',
};

export const headersOf = ({ headers }: request.Response) => {
  const { date: _date, connection: _connection, 'content-length': _length, ...others } = headers;
  return others;
};
