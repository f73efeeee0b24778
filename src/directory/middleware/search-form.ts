// Owns the body of a search by POST: a small form, kept as bytes.
// Does not own its parsing (`raw-query.ts`).

import type { IncomingMessage, ServerResponse } from 'node:http';
import express from 'express';
import { LIMITS } from '../limits.ts';
import { fault } from './operation-outcome.ts';

const FORM = /^application\/x-www-form-urlencoded\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

const readBody = express.raw({ type: () => true, limit: LIMITS.formBytes, inflate: false });

/**
 * The form of a search by POST, one character for each byte; empty when there is none.
 * @throws Fault 415 for another content type or charset; 413 and 415 of the body parser for size and compression
 */
export async function formOf(req: IncomingMessage, res: ServerResponse): Promise<string> {
  const { headers } = req;
  const empty = headers['transfer-encoding'] === undefined && (headers['content-length'] ?? '0') === '0';
  const type = headers['content-type'];
  if (type === undefined ? !empty : !FORM.test(type))
    throw fault(
      415,
      'not-supported',
      'Search by POST takes Content-Type: application/x-www-form-urlencoded, in UTF-8.',
    );
  const parsed: IncomingMessage & { body?: unknown } = req;
  await new Promise<void>((resolve, reject) => {
    readBody(parsed, res, (error: unknown) => (error ? reject(error) : resolve()));
  });
  return Buffer.isBuffer(parsed.body) ? parsed.body.toString('latin1').trim() : '';
}
