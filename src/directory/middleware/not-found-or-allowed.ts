// Answers what no route serves: 404 at unknown addresses, and names the known ones; 405 to methods that a route lacks; OPTIONS everywhere, a browser's
// preflight (CORS) among them.

import type { RequestHandler, Response } from 'express';
import { type FhirError, fhirError } from '#directory/errors.ts';
import { nearest } from '#shared/nearest.ts';

interface NotFoundOptions {
  /** First segments of the addresses that are served, `/metadata` aside. */
  known: readonly string[];
  /** Address of the reference page. */
  docs?: string | undefined;
}

/** Makes the refusal of a path, which begins with `/`. */
export function unknownAddress({ known, docs }: NotFoundOptions): (path: string) => FhirError {
  const list = `/metadata, /${known.join(', /')}.${docs === undefined ? '' : ` All about them: ${docs}`}`;
  return (path) => {
    const first = path.split('/', 2)[1] ?? '';
    const guess = known.includes(first) ? undefined : nearest(first, known);
    const hint = guess ? `: did you mean ${guess}?` : '.';
    return fhirError(404, 'not-found', `Nothing is served at this address${hint} Known are ${list}`);
  };
}

/** Middleware behind all routes. */
export function notFound(refusal: (path: string) => FhirError): RequestHandler {
  return ({ method, path }, res) => {
    // Without this response to a preflight, a page could not even see that the address is unknown.
    if (method !== 'OPTIONS') throw refusal(path);
    allow(res, ['GET', 'HEAD']);
  };
}

/**
 * Headers that a page of another origin may send. Besides those that the directory reads, these are headers that libraries add (W3C Trace
 * Context, caching of `fetch`, wrappers of XMLHttpRequest). The star covers what monitoring adds: in browsers since 2022 it stands for
 * all headers but Authorization (W3C Fetch, CORS protocol).
 */
const REQUEST_HEADERS =
  'Authorization, DPoP, Accept, Content-Type, Prefer, If-None-Match, If-Modified-Since, Range, If-Range, ' +
  'traceparent, tracestate, baggage, Cache-Control, Pragma, X-Requested-With, *';

/** Handler after the others of a route. The response names the methods of that route. */
export const methodNotAllowed: RequestHandler = ({ method, route }, res) => {
  const methods = Object.keys(route.methods).flatMap((name) => {
    if (name === 'get') return ['GET', 'HEAD'];
    return name === '_all' || name === 'options' ? [] : name.toUpperCase();
  });
  if (method === 'OPTIONS') {
    allow(res, methods);
    return;
  }
  const allowed = allowedMethods(methods);
  throw fhirError(405, 'not-supported', `${method} is not possible here, the directory is read-only: ${allowed}.`, {
    headers: { Allow: allowed },
  });
};

/** Answers OPTIONS. */
export function allow(res: Response, methods: readonly string[]): void {
  const allowed = allowedMethods(methods);
  res.status(204).set({
    Allow: allowed,
    'Access-Control-Allow-Methods': allowed,
    'Access-Control-Allow-Headers': REQUEST_HEADERS,
    // A day, although Chromium uses two hours at most.
    'Access-Control-Max-Age': '86400',
  });
  res.end();
}

function allowedMethods(methods: readonly string[]): string {
  return [...methods, 'OPTIONS'].join(', ');
}
