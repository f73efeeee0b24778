// Answers 404 at unknown addresses, and names the known ones.

import type { RequestHandler } from 'express';
import { fhirError } from '#directory/errors.ts';
import { nearest } from '#shared/nearest.ts';
import { allow } from './method-not-allowed.ts';

interface NotFoundOptions {
  /** First segments of the addresses that are served, `/metadata` aside. */
  known: readonly string[];
  /** Address of the reference page. */
  docs?: string | undefined;
}

/** Middleware behind all routes. */
export function notFound({ known, docs }: NotFoundOptions): RequestHandler {
  const list = `/metadata, /${known.join(', /')}.${docs === undefined ? '' : ` All about them: ${docs}`}`;
  return ({ method, path }, res) => {
    // Without this response to a preflight, a page could not even see that the address is unknown.
    if (method === 'OPTIONS') {
      allow(res, ['GET', 'HEAD']);
      return;
    }
    const first = path.split('/', 2)[1] ?? '';
    const guess = known.includes(first) ? undefined : nearest(first, known);
    const hint = guess ? `: did you mean ${guess}?` : '.';
    throw fhirError(404, 'not-found', `Nothing is served at this address${hint} Known are ${list}`);
  };
}
