// Answers 404 at unknown addresses, and names the known ones.

import type { RequestHandler } from 'express';
import { type FhirError, fhirError } from '#directory/errors.ts';
import { nearest } from '#shared/nearest.ts';
import { allow } from './method-not-allowed.ts';

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
