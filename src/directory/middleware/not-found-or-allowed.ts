// Answers requests that no other route answers. An unknown address gets 404 with a list of the known addresses, an unsupported method gets
// 405, and OPTIONS (with a browser's CORS preflight) gets the methods of the address.

import type { RequestHandler, Response } from 'express';
import { type FhirError, fhirError } from '#directory/errors.ts';
import { nearest } from '#shared/nearest.ts';

interface NotFoundOptions {
  /** The first segments of all addresses except `/metadata`. */
  known: readonly string[];
  /** Address of the reference page. */
  docs?: string | undefined;
}

/** Makes the refusal of an unknown path. The path begins with `/`. */
export function unknownAddress({ known, docs }: NotFoundOptions): (path: string) => FhirError {
  const list = `/metadata, /${known.join(', /')}.${docs === undefined ? '' : ` All about them: ${docs}`}`;
  return (path) => {
    const [, first = '', , last = ''] = path.split('/');
    const guess = known.includes(first) ? undefined : nearest(first, known);
    // HAPI's and other clients can search a compartment, such as Practitioner/ID/PractitionerRole.
    const isCompartment = [first, last].every((type) => known.includes(type) && !type.startsWith('$'));
    const search = isCompartment
      ? `: compartments are not served, but a search for ${last} can name the ${first}.`
      : '.';
    const hint = guess ? `: did you mean ${guess}?` : search;
    return fhirError(404, 'not-found', `Nothing is served at this address${hint} Known are ${list}`);
  };
}

/** Makes the middleware that comes after all routes. */
export function notFound(refusal: (path: string) => FhirError): RequestHandler {
  return ({ method, path }, res) => {
    // A preflight is answered even at an unknown address, because the script of a page could not see the 404 without it.
    if (method !== 'OPTIONS') throw refusal(path);
    allow(res, ['GET', 'HEAD']);
  };
}

/**
 * Headers that a page of another origin may send. The directory reads some of them. Libraries add the others: for tracing (W3C Trace
 * Context), for caching (`Cache-Control`, `Pragma`), or to mark requests of XMLHttpRequest (`X-Requested-With`). The star allows the
 * headers that monitoring tools add. In browsers since 2022, it means all headers except Authorization (W3C Fetch, CORS protocol).
 */
const REQUEST_HEADERS =
  'Authorization, DPoP, Accept, Content-Type, Prefer, If-None-Match, If-Modified-Since, Range, If-Range, ' +
  'traceparent, tracestate, baggage, Cache-Control, Pragma, X-Requested-With, *';

/**
 * Comes after the other handlers of a route. It answers OPTIONS, and refuses any other method with 405. Both responses name the methods of
 * the route.
 */
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

/** Answers OPTIONS with the methods of the address. */
function allow(res: Response, methods: readonly string[]): void {
  const allowed = allowedMethods(methods);
  res.status(204).set({
    Allow: allowed,
    'Access-Control-Allow-Methods': allowed,
    'Access-Control-Allow-Headers': REQUEST_HEADERS,
    // The answer to a preflight may be kept for one day. Chromium keeps it for at most two hours.
    'Access-Control-Max-Age': '86400',
  });
  res.end();
}

function allowedMethods(methods: readonly string[]): string {
  return [...methods, 'OPTIONS'].join(', ');
}
