// The addresses of pictures. Each account has one, which never changes, and which reveals nothing and cannot be guessed.

import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { Database } from '#store/database/connection.ts';

/** Path of pictures below the issuer. */
export const PICTURE_PATH = '/picture';
/** File name of the picture that everybody had before there were initials. Applications may still have its address. */
export const NOBODY = 'person.svg';

const FILE = /^([0-9a-f]{32})\.svg$/;
const ALGORITHM = 'aes-256-ecb';

export type Pictures = ReturnType<typeof openPictures> extends Promise<infer Opened> ? Opened : never;

/**
 * Reads the key of a migrated database. An account's UUID is exactly one block of AES, and its address is that block encrypted. An invented
 * address decrypts to a UUID that no account has. Equal blocks have equal ciphertexts, as intended here.
 */
export async function openPictures(database: Database) {
  const row = await database('picture_key').first('secret');
  const key = Buffer.from(String(row.secret), 'base64url');
  // One cipher serves all accounts, because blocks do not depend on each other. A cipher for each request to userinfo lowered the rate of
  // requests.
  const cipher = createCipheriv(ALGORITHM, key, null).setAutoPadding(false);
  return {
    /** Returns the path below the issuer. `accountId` is a UUID. */
    pathOf: (accountId: string): string =>
      `${PICTURE_PATH}/${cipher.update(accountId.replaceAll('-', ''), 'hex', 'hex')}.svg`,
    /** Returns the UUID for which `pathOf` makes this file name. There may be no account with this UUID. */
    accountOf: (file: string): string | undefined => {
      const block = FILE.exec(file)?.[1];
      if (block === undefined) return undefined;
      const id = createDecipheriv(ALGORITHM, key, null).setAutoPadding(false).update(block, 'hex', 'hex');
      return id.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
    },
  };
}
