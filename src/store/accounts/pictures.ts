// The addresses of pictures. Each account has one, which never changes, and which reveals nothing and cannot be guessed.

import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { Database } from '#store/database/connection.ts';

/** Path of pictures below the issuer. */
export const PICTURE_PATH = '/picture';
/** Address of everybody's picture before there were initials. Applications may have kept it. */
export const NOBODY = 'person.svg';

const FILE = /^([0-9a-f]{32})\.svg$/;
const ALGORITHM = 'aes-256-ecb';

export type Pictures = ReturnType<typeof openPictures> extends Promise<infer Opened> ? Opened : never;

/**
 * Reads the key of a migrated database. An account's UUID is exactly one block of AES. Its address is that block encrypted, and an invented
 * address decrypts to a UUID that no account has. Equal blocks have equal ciphertexts, as intended here.
 */
export async function openPictures(database: Database) {
  const row = await database('picture_key').first('secret');
  const key = Buffer.from(String(row.secret), 'base64url');
  // One cipher serves all, because blocks do not depend on each other. A cipher for each request to userinfo lowered its rate.
  const cipher = createCipheriv(ALGORITHM, key, null).setAutoPadding(false);
  return {
    /** Path below the issuer. `accountId` is a UUID. */
    pathOf: (accountId: string): string =>
      `${PICTURE_PATH}/${cipher.update(accountId.replaceAll('-', ''), 'hex', 'hex')}.svg`,
    /** The UUID for which `pathOf` makes this file name. It need not belong to an account. */
    accountOf: (file: string): string | undefined => {
      const block = FILE.exec(file)?.[1];
      if (block === undefined) return undefined;
      const id = createDecipheriv(ALGORITHM, key, null).setAutoPadding(false).update(block, 'hex', 'hex');
      return id.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
    },
  };
}
