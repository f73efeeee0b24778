// Owns the table of what the OpenID provider keeps: codes, tokens, grants, sessions, interactions.
// Does not own their meaning. Ids are stored as digests, and removed from the payload: a dump of the database
// holds no usable token, code or session (SEC-16).

import { digest } from '../shared/digest.ts';
import { type Database, epochSeconds } from './connection.ts';
import { prepare, PLACEHOLDER as X } from './prepared.ts';

export interface OidcPayload {
  jti?: string;
  uid?: string;
  grantId?: string;
  consumed?: number | true;
  session?: { cookie?: string };
  [claim: string]: unknown;
}

interface Row {
  payload: string;
  consumed_at: number | string | null;
}

/** Thrown by `consume` when the record was used before, or is gone: exactly one caller ever succeeds. */
export class AlreadyConsumed extends Error {}

/** Thrown by `insertOnce` when a record with this id exists. */
export class AlreadyThere extends Error {}

export interface OidcRecords {
  upsert(model: string, id: string, payload: OidcPayload, expiresIn: number | undefined): Promise<void>;
  /** Like `upsert`, but never overwrites. */
  insertOnce(model: string, id: string, payload: OidcPayload, expiresIn: number | undefined): Promise<void>;
  /** The payload with its id restored and `consumed` set when it was used; expired ones are returned as well. */
  find(model: string, id: string): Promise<OidcPayload | undefined>;
  /** By the public identifier of a session. Its secret id cannot be restored: `jti` is the stored digest. */
  findByUid(model: string, uid: string): Promise<OidcPayload | undefined>;
  /** One conditional update. */
  consume(model: string, id: string): Promise<void>;
  destroy(model: string, id: string): Promise<void>;
  destroyByGrant(model: string, grantId: string): Promise<void>;
  /** Deletes what expired more than `grace` seconds ago; returns how many. */
  prune(grace: number): Promise<number>;
}

/** Opens the records of a database. One set of prepared statements serves all models. */
export function openOidcRecords(database: Database): OidcRecords {
  const columns = { model: X, id: X, payload: X, grant_id: X, uid: X, expires_at: X };
  const table = 'oidc_records';
  const insert = prepare(database, (knex) =>
    knex(table).insert(columns).onConflict(['model', 'id']).merge(['payload', 'grant_id', 'uid', 'expires_at']),
  );
  const insertOrNothing = prepare(database, (knex) => knex(table).insert(columns).onConflict(['model', 'id']).ignore());
  const select = prepare<Row>(database, (knex) =>
    knex(table).select('payload', 'consumed_at').where('model', X).where('id', X),
  );
  const selectByUid = prepare<Row & { id: string }>(database, (knex) =>
    knex(table).select('id', 'payload', 'consumed_at').where('model', X).where('uid', X),
  );
  const markConsumed = prepare(database, (knex) =>
    knex(table).update({ consumed_at: X }).where('model', X).where('id', X).whereNull('consumed_at'),
  );
  const remove = prepare(database, (knex) => knex(table).where('model', X).where('id', X).delete());
  const removeByGrant = prepare(database, (knex) => knex(table).where('model', X).where('grant_id', X).delete());

  // The columns are in Knex' own order (sorted by name), hence one place that knows it.
  const row = (model: string, id: string, payload: OidcPayload, expiresIn: number | undefined) => {
    const stored = { ...payload };
    delete stored.jti;
    delete stored.consumed;
    if (stored.session?.cookie) {
      stored.session = { ...stored.session };
      delete stored.session.cookie;
    }
    const expiresAt = expiresIn === undefined ? null : epochSeconds() + expiresIn;
    return [
      expiresAt,
      payload.grantId ?? null,
      digest(id),
      model,
      JSON.stringify(stored),
      payload.uid ?? null,
    ] as const;
  };
  const restore = (found: Row | undefined, jti: string): OidcPayload | undefined => {
    if (!found) return undefined;
    const payload = JSON.parse(found.payload) as OidcPayload;
    payload.jti = jti;
    if (found.consumed_at !== null) payload.consumed = Number(found.consumed_at);
    return payload;
  };

  return {
    upsert: async (model, id, payload, expiresIn) => {
      await insert(...row(model, id, payload, expiresIn));
    },
    insertOnce: async (model, id, payload, expiresIn) => {
      const { changed } = await insertOrNothing(...row(model, id, payload, expiresIn));
      if (changed === 0) throw new AlreadyThere(`${model} exists`);
    },
    find: async (model, id) => restore((await select(model, digest(id))).rows[0], id),
    findByUid: async (model, uid) => {
      const found = (await selectByUid(model, uid)).rows[0];
      return restore(found, found?.id ?? '');
    },
    consume: async (model, id) => {
      const { changed } = await markConsumed(epochSeconds(), model, digest(id));
      if (changed === 0) throw new AlreadyConsumed(`${model} was used before`);
    },
    destroy: async (model, id) => {
      await remove(model, digest(id));
    },
    destroyByGrant: async (model, grantId) => {
      await removeByGrant(model, grantId);
    },
    prune: (grace) =>
      database(table)
        .where('expires_at', '<', epochSeconds() - grace)
        .delete(),
  };
}
