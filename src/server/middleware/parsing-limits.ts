// Limits the work that a request causes in the libraries that parse it: the number of query parameters, and the length of preferences such
// as Accept.

import type { RequestHandler } from 'express';
import type { Settings } from '#config/settings.ts';
import { hasTooManyParameters, TOO_MANY_PARAMETERS } from '#shared/request-bounds.ts';
import { refusals } from './errors.ts';

const PREFERENCES = ['accept', 'accept-language', 'accept-encoding', 'accept-charset'] as const;
/** Maximum characters of a preference. Browsers send fewer than 200. */
const LONGEST_PREFERENCE = 2048;

/**
 * Answers 400 to an address with more parameters than any request needs (SEC-44). Parameters of forms are counted where the form is read.
 */
export function fewParameters(settings: Pick<Settings, 'issuer' | 'directory'>): RequestHandler {
  const refuse = refusals(settings);
  return (req, res, next) =>
    hasTooManyParameters(req.url.slice(req.url.indexOf('?') + 1))
      ? refuse(req, res, 400, `Bad Request: ${TOO_MANY_PARAMETERS}.`)
      : next();
}

/**
 * Removes preferences that are too long (RFC 9110 section 12.1 lets a server disregard them). The library that reads Accept takes time that
 * grows with the square of the header's length: 40 ms for 23 kB.
 */
export const withoutLongPreferences: RequestHandler = ({ headers }, _res, next) => {
  for (const name of PREFERENCES) if ((headers[name]?.length ?? 0) > LONGEST_PREFERENCE) delete headers[name];
  next();
};
