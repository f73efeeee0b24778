// The addresses of pictures. The address of an account's picture never changes, reveals nothing, and cannot be guessed.

import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { Database } from '#store/database/connection.ts';

/** Path of pictures below the issuer. */
export const PICTURE_PATH = '/picture';
/**
 * File name of the picture that every account had before there were pictures with initials. Applications may still have its address, so the
 * file is still served.
 */
export const NOBODY = 'person.svg';

const FILE = /^([0-9a-f]{32})\.svg$/;
const ALGORITHM = 'aes-256-ecb';

export type Pictures = ReturnType<typeof openPictures> extends Promise<infer Opened> ? Opened : never;

/**
 * Reads the key of a migrated database. An account's UUID is exactly one block of AES, and the file name of its picture is this block,
 * encrypted. An invented file name decrypts to a UUID that no account has. Equal blocks have equal ciphertexts, as is wanted here, because
 * an address must not change.
 */
export async function openPictures(database: Database) {
  const row = await database('picture_key').first('secret');
  const key = Buffer.from(String(row.secret), 'base64url');
  // One cipher can serve all accounts, because blocks do not depend on each other. Making a cipher for each request to userinfo lowered the
  // rate of requests.
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
