// Owns the body of a search by POST: a small form, kept as bytes.
// Does not own its parsing (`raw-query.ts`).

import express, { type Request, type RequestHandler } from 'express';
import { LIMITS } from './limits.ts';
import { fault } from './outcome.ts';

const FORM = /^application\/x-www-form-urlencoded\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

const readBody = express.raw({ type: () => true, limit: LIMITS.formBytes, inflate: false });

/**
 * Reads the form of a search by POST.
 * @throws Fault 415 for another content type or charset; 413 and 415 of the body parser for size and compression
 */
export const formParser: RequestHandler = (req, res, next) => {
  const type = req.headers['content-type'];
  const empty = req.headers['transfer-encoding'] === undefined && (req.headers['content-length'] ?? '0') === '0';
  if (type === undefined ? !empty : !FORM.test(type))
    throw fault(
      415,
      'not-supported',
      'Search by POST takes Content-Type: application/x-www-form-urlencoded, in UTF-8.',
    );
  readBody(req, res, next);
};

/** The form with the parameters of the address added (STU3 http 2.20.0.7), one character for each byte. */
export function formOf(req: Request, query: string): string {
  const form = Buffer.isBuffer(req.body) ? req.body.toString('latin1').trim() : '';
  return [form, query].filter(Boolean).join('&');
}
