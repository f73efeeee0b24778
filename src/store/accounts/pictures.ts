// The addresses of pictures: one for each account, which never changes, and which nobody can guess or read a person from.

import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { Database } from '#store/database/connection.ts';

/** Path of pictures below the issuer. */
export const PICTURE_PATH = '/picture';
/** Where everybody's picture was before there were initials; applications may have kept the address. */
export const NOBODY = 'person.svg';

const FILE = /^([0-9a-f]{32})\.svg$/;
const ALGORITHM = 'aes-256-ecb';

export type Pictures = ReturnType<typeof openPictures> extends Promise<infer Opened> ? Opened : never;

/**
 * Reads the key of a migrated database. An account's UUID is exactly one block of AES: its one address is the block encrypted, and an
 * address that somebody makes up decrypts to a UUID that no account has. Equal blocks have equal ciphertexts, as is wanted here.
 */
export async function openPictures(database: Database) {
  const row = await database('picture_key').first('secret');
  const key = Buffer.from(String(row.secret), 'base64url');
  // One for all: blocks do not depend on each other, and a cipher for each request to userinfo showed in its rate.
  const cipher = createCipheriv(ALGORITHM, key, null).setAutoPadding(false);
  return {
    /** Path below the issuer. `accountId`: a UUID. */
    pathOf: (accountId: string): string =>
      `${PICTURE_PATH}/${cipher.update(accountId.replaceAll('-', ''), 'hex', 'hex')}.svg`,
    /** The UUID for which `pathOf` makes this file name; it need not be that of an account. */
    accountOf: (file: string): string | undefined => {
      const block = FILE.exec(file)?.[1];
      if (block === undefined) return undefined;
      const id = createDecipheriv(ALGORITHM, key, null).setAutoPadding(false).update(block, 'hex', 'hex');
      return id.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
    },
  };
}
