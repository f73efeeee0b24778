// Reads a form with a file (multipart/form-data) into memory, within narrow bounds; nothing is written to the disk.

import type { RequestHandler } from 'express';
import multer, { MulterError } from 'multer';
import { UnusableForm } from '../../web/form.ts';

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

/**
 * Parses the form: `req.file` and `req.body`. A file that is too large is left out, and `res.locals.tooLarge` set; whatever else is wrong
 * is an `UnusableForm` (SEC-44). To be used behind the sign-in alone: it holds what strangers send in memory.
 */
export const parseUpload: RequestHandler = (req, res, next) => {
  parse(req, res, (error: unknown) => {
    if (error instanceof MulterError && error.code === 'LIMIT_FILE_SIZE') {
      res.locals['tooLarge'] = true;
      return next();
    }
    next(error === undefined || error === null ? undefined : new UnusableForm(400, 'the form cannot be read'));
  });
};
