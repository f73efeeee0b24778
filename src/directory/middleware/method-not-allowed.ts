// Owns what is said about methods: 405 with Allow, OPTIONS, and the browser's question before a cross-origin request.
// Does not own which addresses exist (`router.ts`).

import { fault } from './operation-outcome.ts';
import type { Answer } from './send-response.ts';

/** Headers that a page of another origin may send. */
const REQUEST_HEADERS =
  'Authorization, DPoP, Accept, Content-Type, Prefer, If-None-Match, If-Modified-Since, Range, If-Range';

/**
 * The answer to a method that an address does not have: what it has for OPTIONS.
 * @throws Fault 405 for any other
 */
export function otherMethod(method: string, allow: readonly string[]): Answer {
  const allowed = [...allow, 'OPTIONS'].join(', ');
  if (method !== 'OPTIONS')
    throw fault(405, 'not-supported', `${method} is not possible here, the directory is read-only: ${allowed}.`, {
      headers: { Allow: allowed },
    });
  return {
    status: 204,
    headers: {
      Allow: allowed,
      'Access-Control-Allow-Methods': allowed,
      'Access-Control-Allow-Headers': REQUEST_HEADERS,
      'Access-Control-Max-Age': '86400',
    },
  };
}
