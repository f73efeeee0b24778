// Reads the form of a search by POST as bytes. `raw-query.ts` parses it like a query.

import type { IncomingMessage } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';
import { fhirError } from '#directory/errors.ts';
import { LIMITS } from '#directory/limits.ts';
import { hasTooManyParameters, TOO_MANY_PARAMETERS } from '#shared/parameter-count.ts';
import { bodyReader } from './request-body.ts';

const FORM = /^application\/x-www-form-urlencoded\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

const readBody = bodyReader(LIMITS.formBytes);

/**
 * Middleware that reads the form. Answers 415 to another content type or charset; the body parser adds 413 and 415 for size and
 * compression.
 */
export const searchForm: RequestHandler = async (req, res, next) => {
  await readForm(req, res);
  next();
};

/** The form, one character for each byte. It is empty if there is none or it was not read. */
export function formOf(res: Response): string {
  return (res.locals['form'] as string | undefined) ?? '';
}

/** Reads the form after an error that came before `searchForm`, such as 401, because it may name the format of the response. */
export async function readFormOfError(req: Request, res: Response): Promise<void> {
  if (req.method !== 'POST' || res.locals['form'] !== undefined || !/\/_search\/?$/.test(req.path)) return;
  await readForm(req, res).catch(() => {});
}

async function readForm(req: IncomingMessage, res: Response): Promise<void> {
  res.locals['form'] = '';
  const { headers } = req;
  const empty = headers['transfer-encoding'] === undefined && (headers['content-length'] ?? '0') === '0';
  const type = headers['content-type'];
  if (type === undefined ? !empty : !FORM.test(type))
    throw fhirError(
      415,
      'not-supported',
      'Search by POST takes Content-Type: application/x-www-form-urlencoded, in UTF-8.',
    );
  const body = await readBody(req, res);
  if (body === undefined) return;
  const form = body.toString('latin1').trim();
  if (hasTooManyParameters(form)) throw fhirError(400, 'too-costly', `Too many parameters: ${TOO_MANY_PARAMETERS}.`);
  res.locals['form'] = form;
}
