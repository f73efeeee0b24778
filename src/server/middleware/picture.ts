// Serves the pictures that people uploaded: public, as applications and their pages fetch them, at addresses that nobody can guess.

import type { RequestHandler } from 'express';
import type { Pictures } from '../../store/accounts/pictures.ts';

/** A picture never changes; one that was removed is to be gone within a day, from caches too. */
const DAY = 86_400;

/** The picture of the parameter `file`; passed on when there is none. */
export function sendPicture(pictures: Pick<Pictures, 'find'>): RequestHandler<{ file: string }> {
  return async (req, res, next) => {
    const bytes = await pictures.find(req.params.file);
    if (!bytes) return next();
    res.set({
      'cache-control': `public, max-age=${DAY}, immutable`,
      // Nothing but a picture, wherever it is opened; any page may show it.
      'content-security-policy': "default-src 'none'; sandbox",
      'cross-origin-resource-policy': 'cross-origin',
      'content-type': 'image/jpeg',
    });
    res.send(bytes);
  };
}
