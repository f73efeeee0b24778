// The table of pictures: one for each account at most, at a public address that nobody can guess.

import { randomBytes } from 'node:crypto';
import { type Database, epochSeconds } from '../database/connection.ts';
import { prepare, PLACEHOLDER as X } from '../database/prepared.ts';

/** Of a picture that a person uploaded: path below the issuer. `accounts.picture` holds it, or an address that an operator gave. */
export const PICTURE_PATH = '/picture';
const FILE = /^([A-Za-z0-9_-]{43})\.jpg$/;

export type Pictures = ReturnType<typeof openPictures>;

/** Opens the pictures of a database. */
export function openPictures(database: Database) {
  const select = prepare<{ bytes: Buffer }>(database, (knex) => knex('pictures').select('bytes').where('id', X));
  return {
    /** The file of this name, a JPEG, while it is somebody's picture. */
    find: async (file: string): Promise<Buffer | undefined> => {
      const id = FILE.exec(file)?.[1];
      return id === undefined ? undefined : (await select(id)).rows[0]?.bytes;
    },
    /** In place of the one before, whose address then leads nowhere. */
    set: (accountId: string, bytes: Buffer): Promise<void> =>
      database.transaction(async (transaction) => {
        const id = randomBytes(32).toString('base64url');
        const picture = `${PICTURE_PATH}/${id}.jpg`;
        // First the account: two uploads at the same time wait for each other there.
        const changed = await transaction('accounts')
          .where({ id: accountId })
          .update({ picture, updated_at: epochSeconds() });
        if (changed === 0) return;
        await transaction('pictures').insert({ account_id: accountId, id, bytes }).onConflict('account_id').merge();
      }),
    /** Whether there was one, of the person's own or of an operator. */
    remove: (accountId: string): Promise<boolean> =>
      database.transaction(async (transaction) => {
        const changed = await transaction('accounts')
          .where({ id: accountId })
          .whereNotNull('picture')
          .update({ picture: null, updated_at: epochSeconds() });
        await transaction('pictures').where({ account_id: accountId }).delete();
        return changed > 0;
      }),
  };
}
