// Reads a form with a file (multipart/form-data) into memory, within narrow bounds; nothing is written to the disk.

import type { RequestHandler } from 'express';
import multer, { MulterError } from 'multer';
import type { Account } from '../../store/accounts/account-row.ts';
import { UnusableForm } from '../../web/forms/form.ts';

/** Megabytes that a picture may have, as the page says. */
export const LARGEST_PICTURE = 5;

/** Name of the field with the file. */
export const FILE_FIELD = 'picture';

const parse = multer({
  storage: multer.memoryStorage(),
  limits: {
    ...{ fileSize: LARGEST_PICTURE * 1_000_000, files: 1, fields: 4, parts: 5 },
    ...{ fieldNameSize: 40, fieldSize: 400, headerPairs: 20 },
  },
}).single(FILE_FIELD);

/** Forms that are read at a time, of one account and in all: each may hold 5 MB for as long as a browser takes to send it. */
const AT_ONCE = { account: 2, all: 20 };
const reading = new Map<string, number>();

/**
 * Parses the form: `req.file` and `req.body`. A file that is too large is left out, and `res.locals.tooLarge` set; `res.locals.tooMany`
 * where too many others are being sent, and nothing of it is read; whatever else is wrong is an `UnusableForm` (SEC-44). To be used behind
 * the sign-in alone: it holds what is sent in memory.
 */
export const parseUpload: RequestHandler = (req, res, next) => {
  const { id } = res.locals['account'] as Account;
  const ofAccount = reading.get(id) ?? 0;
  const ofAll = [...reading.values()].reduce((sum, count) => sum + count, 0);
  if (ofAccount >= AT_ONCE.account || ofAll >= AT_ONCE.all) {
    res.locals['tooMany'] = true;
    return next();
  }
  reading.set(id, ofAccount + 1);
  // After the answer, too: until then the file is in memory.
  res.once('close', () => {
    const left = (reading.get(id) ?? 1) - 1;
    if (left > 0) reading.set(id, left);
    else reading.delete(id);
  });
  parse(req, res, (error: unknown) => {
    if (error instanceof MulterError && error.code === 'LIMIT_FILE_SIZE') {
      res.locals['tooLarge'] = true;
      return next();
    }
    next(error === undefined || error === null ? undefined : new UnusableForm(400, 'the form cannot be read'));
  });
};
