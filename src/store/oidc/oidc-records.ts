// The table of the OpenID provider's records: codes, tokens, grants, sessions, interactions. Ids are stored as digests and removed from the
// payload, so that a dump of the database holds no usable token, code or session (SEC-16).

import type { Knex } from 'knex';
import { digest } from '#shared/crypto/digest.ts';
import { CHALLENGE_LIFETIME } from '#shared/webauthn/challenges.ts';
import { accountOfRow, accountRow, signInLimit, signInLimitOf } from '#store/accounts/account-row.ts';
import { isSignInValid } from '#store/accounts/end-sessions.ts';
import { type Database, epochSeconds, isPostgres, ROWS_AT_ONCE } from '#store/database/connection.ts';
import type { DataVersion } from '#store/database/data-version.ts';
import { prepare, PLACEHOLDER as X } from '#store/database/prepared.ts';
import type { Row } from '#store/rows.ts';
import { openConditionalWrites, type ReadRecord } from './conditional-writes.ts';
import { type OidcPayload, restoreRecord, restoreSession, sharedPayload, storedColumns } from './oidc-payload.ts';
import { openTokenLookup, type SignInContext } from './token-lookup.ts';

type StoredRow = Pick<Row<'oidc_records'>, 'id' | 'payload' | 'consumed_at'>;

/**
 * SQL for the grant that a client has in a session. The session contains the secret id of the grant, but the grant is stored under the
 * digest of this id (`shared/crypto/digest.ts`). So the query computes the digest. It runs only on PostgreSQL, because SQLite has no
 * function for that.
 */
const GRANT_OF_CLIENT = `(select held.payload from oidc_records as held where held.model = 'Grant' and held.id = translate(rtrim(encode(sha256(
  convert_to(cast(oidc_records.payload as json) #>> array['authorizations', cast(? as text), 'grantId'], 'UTF8')), 'base64'), '='), '+/', '-_')) as held`;

interface SessionRow extends StoredRow {
  expires_at: number | string;
  /** Says which sign-ins of the session's account are valid; `signInLimitOf` parses it. Null if all of them are valid. */
  sign_in_limit: string | null;
}

/** Thrown by `consume` if the record was used before, or is gone. So only one of several callers succeeds. */
export class AlreadyConsumed extends Error {}

/** Thrown by `insertOnce` when a record with this id exists. */
export class AlreadyThere extends Error {}

/** A record that is stored in the same step in which another record is spent (`consume`). */
export interface IssuedRecord {
  model: string;
  id: string;
  payload: OidcPayload;
  expiresIn: number | undefined;
}

export type OidcRecords = ReturnType<typeof openOidcRecords>;

/**
 * Opens the records of a database. One set of prepared statements serves all models.
 * @param version data version of the same database. If it is given, look-ups of tokens are cached until anything is committed.
 */
export function openOidcRecords(database: Database, version?: Pick<DataVersion, 'current'>) {
  const columns = { account_id: X, expires_at: X, grant_id: X, id: X, model: X, payload: X, uid: X };
  const table = 'oidc_records';
  const insert = prepare(database, (knex) =>
    knex(table)
      .insert(columns)
      .onConflict(['model', 'id'])
      .merge(['account_id', 'expires_at', 'grant_id', 'payload', 'uid']),
  );
  const insertOrNothing = prepare(database, (knex) => knex(table).insert(columns).onConflict(['model', 'id']).ignore());
  const select = prepare<Omit<StoredRow, 'id'>>(database, (knex) =>
    knex(table).select('payload', 'consumed_at').where('model', X).where('id', X),
  );
  // The model is part of the statement's text, because SQLite does not use the index of sessions if the model is a bound value.
  const isSession = "model = 'Session'";
  const session = (knex: Database) =>
    knex(table)
      .select(
        'id',
        'payload',
        'consumed_at',
        'expires_at',
        signInLimit(knex, `${table}.account_id`).as('sign_in_limit'),
      )
      .whereRaw(isSession);
  const selectSession = prepare<SessionRow>(database, (knex) => session(knex).where('uid', X));
  const selectSessionById = prepare<SessionRow>(database, (knex) => session(knex).where('id', X));
  const selectSignedIn = prepare<SessionRow & { account: string | null; held?: string | null }>(database, (knex) => {
    const account = knex('accounts').where('accounts.id', knex.ref(`${table}.account_id`));
    const found = session(knex).select(account.select(accountRow(knex, 'accounts')).as('account'));
    return (isPostgres(knex) ? found.select(knex.raw(GRANT_OF_CLIENT, [X])) : found).where('id', X);
  });
  const spending = (knex: Database) =>
    knex(table).update({ consumed_at: X, successor: X }).where('model', X).where('id', X).whereNull('consumed_at');
  // Spends a record and stores `issued` new ones: by one statement on PostgreSQL, and on SQLite by several statements in one transaction,
  // each of which runs only if the one before has changed a row (`prepare`).
  const spend = [0, 1, 2].map((issued) =>
    prepare(database, (knex) => {
      if (issued === 0 || !isPostgres(knex))
        return [spending(knex), ...Array(issued).fill(knex(table).insert(columns))];
      const names = Object.keys(columns);
      const insertion = `insert into ${table} (${names}) select ${names.map(() => '?')} from used returning 1`;
      const further = issued === 2 ? `, further as (${insertion})` : '';
      const values = Array(issued * names.length).fill(X);
      return knex.raw(`with used as (? returning 1)${further} ${insertion}`, [spending(knex), ...values]);
    }),
  );
  const selectUse = prepare<{ consumed_at: number | string; successor: string | null }>(database, (knex) =>
    knex(table).select('consumed_at', 'successor').where('model', X).where('id', X).whereNotNull('consumed_at'),
  );
  const remove = prepare(database, (knex) => knex(table).where('model', X).where('id', X).delete());
  const removeByGrant = prepare(database, (knex) => knex(table).where('model', X).where('grant_id', X).delete());
  // The deletion is written in SQL, because Knex does not support `returning` for a deletion on SQLite.
  const removal = `delete from ${table} where ${isSession} and uid = ?`;
  const removeSession = prepare<{ id: string; payload: string }>(database, (knex) =>
    knex.raw(`${removal} returning id, payload`, [X]),
  );
  const removeSessionOf = prepare<{ id: string; payload: string }>(database, (knex) =>
    knex.raw(`${removal} and account_id = ? returning id, payload`, [X, X]),
  );
  // Returns the values of a row in the order in which Knex puts its columns: sorted by name.
  const row = (model: string, id: string, content: OidcPayload, expiresIn: number | undefined) => {
    const { account, expiresAt, grant, payload, uid } = storedColumns(content, expiresIn);
    return [account, expiresAt, grant, digest(id), model, payload, uid] as const;
  };
  const some = (most: number, where: (query: Knex.QueryBuilder) => Knex.QueryBuilder) =>
    database(table).whereIn(['model', 'id'], where(database(table).select('model', 'id').limit(most)));
  return {
    upsert: async (model: string, id: string, payload: OidcPayload, expiresIn: number | undefined): Promise<void> => {
      await insert(...row(model, id, payload, expiresIn));
    },
    /** Stores a record like `upsert`, but never overwrites one: throws `AlreadyThere` if a record with this id exists. */
    insertOnce: async (
      model: string,
      id: string,
      payload: OidcPayload,
      expiresIn: number | undefined,
    ): Promise<void> => {
      const { changed } = await insertOrNothing(...row(model, id, payload, expiresIn));
      if (changed === 0) throw new AlreadyThere(`${model} exists`);
    },
    /**
     * Returns the payload with its id, and with `consumed` if the record was used. Expired records are returned as well; oidc-provider,
     * `openid/tokens/introspection.ts` and `openid/sessions/session-storage.ts` refuse them.
     */
    find: async (model: string, id: string): Promise<OidcPayload | undefined> => {
      const found =
        model === 'Session' ? lasting(await selectSessionById(digest(id))) : (await select(model, digest(id))).rows[0];
      return found && restoreRecord(found.payload, id, found.consumed_at);
    },
    /**
     * Finds a session by its public identifier, for the codes and tokens issued in it. In the result, `jti` is the stored digest, because
     * the secret id cannot be restored. `exp` is the time at which the row expires, and not the end of the session. So oidc-provider still
     * accepts the tokens of a session that has idled out: only a sign-out ends them.
     */
    findSession: async (uid: string): Promise<OidcPayload | undefined> => {
      const found = lasting(await selectSession(uid));
      return found && restoreSession({ ...found, expiresAt: Number(found.expires_at) });
    },
    /**
     * Finds a session by its public identifier, to tell whether a person is signed in. Unlike `findSession`, it returns undefined also if
     * the session has idled out, or has reached its absolute end.
     */
    findLiveSession: async (uid: string): Promise<OidcPayload | undefined> => {
      const found = lasting(await selectSession(uid));
      const session = found && restoreRecord(found.payload, found.id, null);
      return session && Number(session['exp']) > epochSeconds() ? session : undefined;
    },
    /**
     * Lists the sessions in which an account is signed in, with the payloads that `findLiveSession` returns. The oldest sign-in comes
     * first.
     */
    liveSessionsOf: async (accountId: string): Promise<OidcPayload[]> => {
      // The text of this condition must be the same as in the index `oidc_records_account`; otherwise SQLite does not use the index.
      const query = session(database).whereRaw("model in ('Grant', 'Session')").where({ account_id: accountId });
      const rows = (await query.orderBy('id')) as SessionRow[];
      return rows
        .flatMap((row) => (lasting({ rows: [row] }) ? [restoreRecord(row.payload, row.id, null)] : []))
        .filter(({ exp }) => Number(exp) > epochSeconds())
        .sort((one, other) => Number(one['loginTs']) - Number(other['loginTs']));
    },
    /**
     * Reads a session that is to be replaced, by its secret id or its public identifier. Returns undefined if the session is gone, or if
     * its sign-in is no longer valid.
     */
    readSession: async (by: { id: string } | { uid: string }): Promise<ReadRecord | undefined> =>
      lasting(await ('id' in by ? selectSessionById(digest(by.id)) : selectSession(by.uid))),
    /**
     * Reads the session of an authorization request by its secret id, under the same conditions as `readSession`. The same query reads the
     * session's account and, on PostgreSQL, the grant of the client in this session.
     */
    readSignedIn: async (
      id: string,
      clientId: string,
    ): Promise<{ read: ReadRecord; context: SignInContext } | undefined> => {
      const { rows } = await selectSignedIn(
        ...(isPostgres(database) ? [clientId.replaceAll('\0', '')] : []),
        digest(id),
      );
      const read = lasting({ rows });
      const { account = null, held = null } = rows[0] ?? {};
      if (!read) return undefined;
      const { authorizations } = JSON.parse(read.payload) as { authorizations?: Record<string, { grantId?: string }> };
      const { grantId } = authorizations?.[clientId] ?? {};
      const grant = held !== null && { grant: { content: sharedPayload(held) } };
      const token = grantId === undefined ? {} : { grantId };
      return { read, context: { token, ...grant, ...(account !== null && { account: accountOfRow(account) }) } };
    },
    /**
     * Marks a record as used, if it was not used before. In the same step, stores `successor` and at most two new records (`issued`).
     * Either all of this is stored, or nothing. `successor` is the result of the use, which a second caller can find; it is encrypted, so
     * that the database alone does not reveal it.
     */
    consume: async (
      model: string,
      id: string,
      successor?: string,
      issued: readonly IssuedRecord[] = [],
    ): Promise<void> => {
      const rows = issued.flatMap((one) => row(one.model, one.id, one.payload, one.expiresIn));
      const { changed } =
        (await spend[issued.length]?.(epochSeconds(), successor ?? null, model, digest(id), ...rows)) ?? {};
      if (changed === 0) throw new AlreadyConsumed(`${model} was used before`);
    },
    /**
     * Returns the second at which a record was used, and the result of the use if that is still kept. Returns undefined if the record was
     * not used, or is gone.
     */
    findUse: async (model: string, id: string): Promise<{ consumedAt: number; successor?: string } | undefined> => {
      const use = (await selectUse(model, digest(id))).rows[0];
      if (!use) return undefined;
      return { consumedAt: Number(use.consumed_at), ...(use.successor !== null && { successor: use.successor }) };
    },
    /**
     * Deletes the results of at most `most` records that were used more than `age` seconds ago. Returns the number of these records; 0
     * means that none is left.
     */
    forgetSuccessors: (age: number, most = ROWS_AT_ONCE): Promise<number> =>
      some(most, (query) => query.whereNotNull('successor').where('consumed_at', '<', epochSeconds() - age)).update({
        successor: null,
      }),
    /** Deletes a record. Returns true if the record existed. Of several simultaneous callers, only one gets true. */
    destroy: async (model: string, id: string): Promise<boolean> => (await remove(model, digest(id))).changed > 0,
    /**
     * Ends a session. Returns its last payload; undefined if the session was gone. If `account` is given, the session is ended only if it
     * belongs to this account, which the same statement checks.
     */
    destroySession: async (uid: string, account?: string): Promise<OidcPayload | undefined> => {
      const { rows } = await (account === undefined ? removeSession(uid) : removeSessionOf(uid, account));
      const removed = rows[0];
      return removed && restoreRecord(removed.payload, removed.id, null);
    },
    destroyByGrant: async (model: string, grantId: string): Promise<void> => {
      await removeByGrant(model, digest(grantId));
    },
    ...openTokenLookup(database, version),
    ...openConditionalWrites(database),
    /** Revokes all grants of an account to one client. The sessions of the account stay. Returns the number of revoked grants. */
    endGrantsTo: async (accountId: string, clientId: string): Promise<number> => {
      const grants: { id: string; payload: string }[] = await database(table)
        .select('id', 'payload')
        .where({ model: 'Grant', account_id: accountId });
      const ids = grants.filter(({ payload }) => (JSON.parse(payload) as OidcPayload)['clientId'] === clientId);
      // Grants are deleted first, because their codes and tokens are invalid without them.
      for (const { id } of ids) await database(table).where({ model: 'Grant', id }).delete();
      for (const { id } of ids) await database(table).where({ grant_id: id }).delete();
      return ids.length;
    },
    /**
     * Deletes at most `most` records that expired more than `grace` seconds ago. Returns the number of deleted records; 0 means that none
     * is left.
     */
    prune: (grace: number, most = ROWS_AT_ONCE): Promise<number> =>
      some(most, (query) => query.where('expires_at', '<', epochSeconds() - grace).orderBy('expires_at')).delete(),
  };
}

/** Returns the session in the result of a query; undefined if there is none, or if its sign-in is no longer valid. */
function lasting({ rows: [row] }: { rows: readonly SessionRow[] }): SessionRow | undefined {
  if (!row || row.sign_in_limit === null) return row;
  const { loginTs, uid } = JSON.parse(row.payload) as { loginTs?: number; uid?: string };
  return isSignInValid(signInLimitOf(row.sign_in_limit), loginTs, uid) ? row : undefined;
}

const MODEL = 'PasskeyChallenge';

/** Returns true at the first use of a challenge. Of several simultaneous requests, even at two instances, only one gets true. */
export function isFirstUse(records: Pick<OidcRecords, 'insertOnce'>, challenge: string): Promise<boolean> {
  const expiresIn = CHALLENGE_LIFETIME + 60;
  const seen = { kind: MODEL, exp: epochSeconds() + expiresIn };
  return isInserted(records.insertOnce(MODEL, challenge, seen, expiresIn));
}

/** Resolves with false if a record with this id exists already. */
export async function isInserted(insertion: ReturnType<OidcRecords['insertOnce']>): Promise<boolean> {
  try {
    await insertion;
    return true;
  } catch (error) {
    if (error instanceof AlreadyThere) return false;
    throw error;
  }
}
