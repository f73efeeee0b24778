// What is read from a request before it is parsed: its query as sent, and its preferences.

import type { IncomingMessage } from 'node:http';
import { fhirError } from '#directory/errors.ts';
import { LIMITS } from '#directory/limits.ts';

/** The query as sent, one character for each byte. Express would lose repeated parameters, and bytes that are not UTF-8. */
export function unboundedQuery({ url = '' }: IncomingMessage): string {
  const at = url.indexOf('?');
  return at < 0 ? '' : url.slice(at + 1);
}

/** The query as sent, unless it is too long. Throws FhirError 414. */
export function rawQuery(req: IncomingMessage): string {
  const query = unboundedQuery(req);
  if (query.length > LIMITS.queryBytes)
    throw fhirError(414, 'too-long', `A query takes ${LIMITS.queryBytes} bytes at most: split the search.`);
  return query;
}

const LENIENT = /(^|[,;])\s*handling\s*=\s*"?lenient\b/i;

/** Whether a client wants what is not understood to be ignored (STU3 search 3.1.1.2). */
export function isLenient({ headers: { prefer } }: IncomingMessage): boolean {
  return prefer !== undefined && LENIENT.test(String(prefer));
}
