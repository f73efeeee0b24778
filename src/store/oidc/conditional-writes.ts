// Writes records that a request has read before, and that simultaneous requests may have changed or ended meanwhile. `replace` changes a
// record only if it is still as it was read, `update` only if it still exists. So neither brings back an ended record (SEC-55).

import { digest } from '#shared/crypto/digest.ts';
import type { Database } from '#store/database/connection.ts';
import { prepare, PLACEHOLDER as X } from '#store/database/prepared.ts';
import { type OidcPayload, storedColumns } from './oidc-payload.ts';

/** A record as it was read. A write compares it with the stored record. */
export interface ReadRecord {
  /** The digest under which the record is stored. */
  id: string;
  /** The stored JSON, character by character. */
  payload: string;
}

/**
 * Opens the conditional writes of a database. They compare the stored payload with the payload that was read. A revision number would be
 * shorter to compare, but older releases on the same database would not maintain it.
 */
export function openConditionalWrites(database: Database) {
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
    /** Reads a record that is to be replaced; undefined if the record is gone. */
    read: async (model: string, id: string): Promise<ReadRecord | undefined> =>
      (await select(model, digest(id))).rows[0],
    /**
     * Replaces a record that is still as it was read. `newId` is its new secret id; if `newId` is undefined, the id stays. Returns false,
     * and does nothing, if the record was changed or ended since it was read.
     */
    replace: async (
      model: string,
      read: ReadRecord,
      newId: string | undefined,
      content: OidcPayload,
      expiresIn: number | undefined,
    ): Promise<boolean> => {
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
    /** Overwrites an existing record. Returns false, and does nothing, if the record is gone. */
    update: async (
      model: string,
      id: string,
      content: OidcPayload,
      expiresIn: number | undefined,
    ): Promise<boolean> => {
      const { account, expiresAt, grant, payload, uid } = storedColumns(content, expiresIn);
      return (await updateExisting(account, expiresAt, grant, payload, uid, model, digest(id))).changed > 0;
    },
  };
}
