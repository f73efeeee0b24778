// Refuses addresses with more parameters than any request has use for, before anything reads them (SEC-44).

import type { RequestHandler } from 'express';
import type { Settings } from '#config/settings.ts';
import { hasTooManyParameters, TOO_MANY_PARAMETERS } from '#shared/parameter-count.ts';
import { refusals } from './refusals.ts';

/** Middleware: 400 for a query beyond the most. Forms are counted where they are read. */
export function fewParameters(settings: Pick<Settings, 'issuer' | 'directory'>): RequestHandler {
  const refuse = refusals(settings);
  return (req, res, next) =>
    hasTooManyParameters(req.url.slice(req.url.indexOf('?') + 1))
      ? refuse(req, res, 400, `Bad Request: ${TOO_MANY_PARAMETERS}.`)
      : next();
}
