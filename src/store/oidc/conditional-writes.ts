// Writes of records that parallel requests have read whole, and that may have ended meanwhile: they change a record only as it was
// read, or only if it is still there. None of them brings back what was ended (SEC-55).

import { digest } from '#shared/crypto/digest.ts';
import type { Database } from '#store/database/connection.ts';
import { prepare, PLACEHOLDER as X } from '#store/database/prepared.ts';
import { type OidcPayload, storedColumns } from './oidc-payload.ts';

/** A record as it was read: what a write is compared with. */
export interface ReadRecord {
  /** The stored digest. */
  id: string;
  /** The stored JSON, to the letter. */
  payload: string;
}

export interface ConditionalWrites {
  /** A record to be replaced; undefined when it is gone. */
  read(model: string, id: string): Promise<ReadRecord | undefined>;
  /**
   * Replaces a record as it was read, its id included: `newId` is the secret id, or undefined for the one it has. False, and
   * nothing done, when it was changed or ended since.
   */
  replace(
    model: string,
    read: ReadRecord,
    newId: string | undefined,
    payload: OidcPayload,
    expiresIn: number | undefined,
  ): Promise<boolean>;
  /** Overwrites a record that is there; false, and nothing done, when it is gone. */
  update(model: string, id: string, payload: OidcPayload, expiresIn: number | undefined): Promise<boolean>;
}

/** Opens these writes for a database. Compared is the payload, not a revision: older releases on the same database count none. */
export function openConditionalWrites(database: Database): ConditionalWrites {
  const table = 'oidc_records';
  const select = prepare<ReadRecord>(database, (knex) =>
    knex(table).select('id', 'payload').where('model', X).where('id', X),
  );
  const columns = { account_id: X, expires_at: X, grant_id: X, id: X, payload: X, uid: X };
  const replaceAsRead = prepare(database, (knex) =>
    knex(table).update(columns).where('model', X).where('id', X).where('payload', X),
  );
  const { id: _id, ...withoutId } = columns;
  const updateExisting = prepare(database, (knex) => knex(table).update(withoutId).where('model', X).where('id', X));
  return {
    read: async (model, id) => (await select(model, digest(id))).rows[0],
    replace: async (model, read, newId, content, expiresIn) => {
      const { account, expiresAt, grant, payload, uid } = storedColumns(content, expiresIn);
      const id = newId === undefined ? read.id : digest(newId);
      const { changed } = await replaceAsRead(
        account,
        expiresAt,
        grant,
        id,
        payload,
        uid,
        model,
        read.id,
        read.payload,
      );
      return changed > 0;
    },
    update: async (model, id, content, expiresIn) => {
      const { account, expiresAt, grant, payload, uid } = storedColumns(content, expiresIn);
      return (await updateExisting(account, expiresAt, grant, payload, uid, model, digest(id))).changed > 0;
    },
  };
}
