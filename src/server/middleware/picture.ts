// Serves the pictures with people's initials. The pictures are public, because applications and their pages fetch them. But nobody can
// guess the address of a picture.

import type { RequestHandler } from 'express';
import { digest } from '#shared/crypto/digest.ts';
import type { Accounts } from '#store/accounts/accounts.ts';
import { NOBODY, PICTURE_PATH, type Pictures } from '#store/accounts/pictures.ts';
import { initialsPicture } from '#web/initials.ts';

/**
 * Seconds for which caches keep a picture. The time is short, because the address stays when the name changes, and because the picture of a
 * deleted account must soon disappear from caches too (decision 97).
 */
const KEPT = 3600;

/** The route for `sendPicture`. */
export const PICTURE = `${PICTURE_PATH}/:file`;

interface Stores {
  pictures: Pick<Pictures, 'accountOf'>;
  accounts: Pick<Accounts, 'find'>;
}

/** Sends the picture at the requested path. If there is no such picture, passes the request on to the next handler. */
export function sendPicture({ pictures, accounts }: Stores): RequestHandler<{ file: string }> {
  const nameOf = async (file: string) => {
    const id = pictures.accountOf(file);
    return id === undefined ? undefined : (await accounts.find(id))?.name;
  };
  return async (req, res, next) => {
    const { file } = req.params;
    const name = file === NOBODY ? '' : await nameOf(file);
    if (name === undefined) return next();
    const picture = initialsPicture(name, Number.parseInt(file.slice(0, 8), 16) || 0).toString();
    res.set({
      'cache-control': `public, max-age=${KEPT}`,
      // Because of the policy, a picture that is opened by itself can load and run nothing. Any page may show the picture (`cross-origin`).
      'content-security-policy': "default-src 'none'; sandbox",
      'cross-origin-resource-policy': 'cross-origin',
      'content-type': 'image/svg+xml; charset=utf-8',
      etag: `"${digest(picture)}"`,
    });
    // If the client has this picture already, Express answers 304.
    res.send(picture);
  };
}
