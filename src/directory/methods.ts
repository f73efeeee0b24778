// Owns what is said about methods: 405 with Allow, OPTIONS, and the browser's question before a cross-origin request.
// Does not own which routes exist (`router.ts`).

import type { RequestHandler } from 'express';
import { fault } from './outcome.ts';
import { sendEmpty } from './reply.ts';

/** Headers that a page of another origin may send. */
const REQUEST_HEADERS = 'Authorization, Accept, Content-Type, Prefer, If-None-Match, If-Modified-Since';

/** Stands behind the handlers of a path: answers OPTIONS and refuses every other method with 405. */
export function otherMethods(allow: readonly string[]): RequestHandler {
  const allowed = [...allow, 'OPTIONS'].join(', ');
  const preflight = {
    Allow: allowed,
    'Access-Control-Allow-Methods': allowed,
    'Access-Control-Allow-Headers': REQUEST_HEADERS,
    'Access-Control-Max-Age': '86400',
  };
  return (req, res) => {
    if (req.method === 'OPTIONS') {
      sendEmpty(res, 204, preflight);
      return;
    }
    const headers = { Allow: allowed };
    throw fault(405, 'not-supported', `${req.method} is not possible here, the directory is read-only: ${allowed}.`, {
      headers,
    });
  };
}
