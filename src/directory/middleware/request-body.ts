// Reads the body of a request as bytes, up to a limit. The body is a batch, or the form of a search by POST, which `raw-query.ts` parses
// like a query.

import type { IncomingMessage, ServerResponse } from 'node:http';
import express, { type Request, type RequestHandler, type Response } from 'express';
import { fhirError } from '#directory/errors.ts';
import { LIMITS } from '#directory/limits.ts';
import { hasTooManyParameters, TOO_MANY_PARAMETERS } from '#shared/request-bounds.ts';

/**
 * Makes a function that reads uncompressed bodies. The function resolves to undefined if the request has no body. It rejects with an error
 * of the body parser (413, 415).
 * @param limit maximum bytes
 */
export function bodyReader(limit: number) {
  const read = express.raw({ type: () => true, limit, inflate: false });
  return async (req: IncomingMessage & { body?: unknown }, res: ServerResponse): Promise<Buffer | undefined> => {
    await new Promise<void>((resolve, reject) => {
      read(req, res, (error: unknown) => (error ? reject(error) : resolve()));
    });
    return Buffer.isBuffer(req.body) ? req.body : undefined;
  };
}

const FORM = /^application\/x-www-form-urlencoded\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

const readFormBody = bodyReader(LIMITS.formBytes);

/**
 * Middleware that reads the form. It answers 415 if the content type is not that of a form, or if the charset is not UTF-8. The body parser
 * refuses large bodies (413) and compressed ones (415).
 */
export const searchForm: RequestHandler = async (req, res, next) => {
  await readForm(req, res);
  next();
};

/** The form; each character stands for one byte. Empty if the request has no form, or if the form was not read. */
export function formOf(res: Response): string {
  return (res.locals['form'] as string | undefined) ?? '';
}

/**
 * Reads the form of a search before an error response to the search is sent, because the form may name the format of the response. An error
 * such as 401 comes before `searchForm` has read the form.
 */
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
  const body = await readFormBody(req, res);
  if (body === undefined) return;
  const form = body.toString('latin1').trim();
  if (hasTooManyParameters(form)) throw fhirError(400, 'too-costly', `Too many parameters: ${TOO_MANY_PARAMETERS}.`);
  res.locals['form'] = form;
}
