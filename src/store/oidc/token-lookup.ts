// Fetches a token with its session, grant and account in one query, so that all of them are read at the same instant.

import type { Knex } from 'knex';
import { LRUCache } from 'lru-cache';
import { digest } from '#shared/crypto/digest.ts';
import { entriesAtMost } from '#shared/entries-at-most.ts';
import { type Account, accountOfRow, accountRow } from '#store/accounts/account-row.ts';
import { type Database, isPostgres } from '#store/database/connection.ts';
import { cacheUntilCommit, type DataVersion } from '#store/database/data-version.ts';
import { prepare, PLACEHOLDER as X } from '#store/database/prepared.ts';
import { type OidcPayload, type StoredSession, sharedPayload } from './oidc-payload.ts';

/** Models of records that a client may present as authorization. Each token value is random, so it cannot belong to two models. */
export const TOKEN_MODELS = ['AccessToken', 'RefreshToken', 'AuthorizationCode', 'ClientCredentials'] as const;
type TokenModel = (typeof TOKEN_MODELS)[number];

/** Facts that decide whether a token may be used. Times are seconds since the epoch. */
export interface TokenContext {
  model: TokenModel;
  /** 0 for a record that never expires. */
  expiresAt: number;
  consumedAt: number | null;
  /** The payload of the token, without its id. It must not be changed. */
  token: Readonly<OidcPayload>;
  /** The session in which the token was issued. `content` is the parsed payload of the session. Undefined if the session is gone. */
  session?: StoredSession & { content: Readonly<OidcPayload> };
  /** Undefined if the grant is gone. */
  grant?: { content: Readonly<OidcPayload>; expiresAt: number };
  /** Undefined if the account is gone, or if the token belongs to no person. */
  account?: Account;
}

/** The records that belong to a sign-in. `token` is only needed for the id of the grant in it. */
export type SignInContext = Pick<TokenContext, 'token' | 'session' | 'account'> & {
  grant?: Pick<NonNullable<TokenContext['grant']>, 'content'>;
};

export interface TokenLookup {
  /**
   * Finds a token of any model with the records on which its validity depends, as they are now; undefined if there is no such token. If
   * nothing was committed since the token was last read (`DataVersion`), the result comes from memory and is returned directly, without a
   * promise. A commit by the caller itself in the same turn of the event loop need not be in the result.
   */
  findTokenContext(token: string): Readonly<TokenContext> | Promise<Readonly<TokenContext> | undefined>;
  /**
   * Finds a token like `findTokenContext`, but without the cache, which would be useless for a code or a refresh token: each is presented
   * only once.
   */
  findSingleUse(token: string): Promise<Readonly<TokenContext> | undefined>;
}

/**
 * Opens the look-up of tokens by their value.
 * @param version data version of the same database. If it is given, results are cached until anything is committed.
 */
export function openTokenLookup(database: Database, version?: Pick<DataVersion, 'current'>): TokenLookup {
  const select = prepare<TokenRow>(database, query);
  // The keys of these caches are the tokens themselves, not their digests, because computing a digest for each request would cost more than
  // the look-up. The tokens are only in memory, where the signing keys are, too.
  const parsed = new LRUCache<string, { row: TokenRow; context: TokenContext }>(entriesAtMost(MOST_PARSED));
  const find = async (token: string) => {
    const [row] = (await select(digest(token))).rows;
    if (!row) return undefined;
    const known = parsed.get(token);
    if (known && isSame(known.row, row)) return known.context;
    const context = contextOf(row);
    parsed.set(token, { row, context });
    return context;
  };
  return {
    findTokenContext: cacheUntilCommit(version, find),
    findSingleUse: async (token) => {
      const [row] = (await select(digest(token))).rows;
      return row && contextOf(row);
    },
  };
}

/**
 * For at most this number of tokens, the last row is kept together with its parsed form. PostgreSQL is asked at each use of a token, but
 * nearly always answers with the same row, which then need not be parsed again.
 */
const MOST_PARSED = 1000;

function isSame(one: TokenRow, other: TokenRow): boolean {
  return (Object.keys(one) as (keyof TokenRow)[]).every((column) => one[column] === other[column]);
}

interface TokenRow {
  model: TokenModel;
  payload: string;
  expires_at: number | string | null;
  consumed_at: number | string | null;
  session_id: string | null;
  session_payload: string | null;
  session_expires_at: number | string | null;
  grant_payload: string | null;
  grant_expires_at: number | string | null;
  account: string | null;
}

function query(knex: Database) {
  const account = knex('accounts as account').where('account.id', knex.ref('token.account_id'));
  const models = TOKEN_MODELS.map((model) => `'${model}'`).join(', ');
  const token = knex('oidc_records as token')
    .whereRaw(`token.model in (${models})`)
    .where('token.id', X)
    .select('token.model', 'token.payload', 'token.expires_at', 'token.consumed_at')
    .select(account.select(accountRow(knex, 'account')).as('account'));
  return isPostgres(knex) ? withJoins(token) : withSubqueries(knex, token);
}

const SESSION = ['id', 'payload', 'expires_at'] as const;
const GRANT = ['payload', 'expires_at'] as const;

// Joins the tables with lateral joins. With subqueries, PostgreSQL would look up the session three times and the grant twice, which is half
// of its work for a request. The limit in each lateral join makes PostgreSQL look up single rows. Otherwise, a plan that was made for a
// small table would read all grants of a large one.
function withJoins(token: Knex.QueryBuilder) {
  const one = (model: string, columns: readonly string[], key: string) =>
    `left join lateral (select ${columns} from oidc_records where model = '${model}' and ${key} limit 1) as "${model.toLowerCase()}" on true`;
  return token
    .joinRaw(one('Session', SESSION, 'uid = token.uid'))
    .joinRaw(one('Grant', GRANT, 'id = token.grant_id'))
    .select(SESSION.map((column) => `session.${column} as session_${column}`))
    .select(GRANT.map((column) => `grant.${column} as grant_${column}`));
}

// Uses subqueries, because SQLite compiles a join with bound values anew at each use.
function withSubqueries(knex: Database, token: Knex.QueryBuilder) {
  const session = knex('oidc_records as session')
    .whereRaw("session.model = 'Session'")
    .where('session.uid', knex.ref('token.uid'));
  const grant = knex('oidc_records as grant')
    .whereRaw("??.?? = 'Grant'", ['grant', 'model'])
    .where('grant.id', knex.ref('token.grant_id'));
  return token
    .select(SESSION.map((column) => session.clone().select(`session.${column}`).as(`session_${column}`)))
    .select(GRANT.map((column) => grant.clone().select(`grant.${column}`).as(`grant_${column}`)));
}

function contextOf(row: TokenRow): TokenContext {
  const { model, payload, session_id, session_payload, grant_payload, account } = row;
  return {
    model,
    expiresAt: Number(row.expires_at ?? 0),
    consumedAt: row.consumed_at === null ? null : Number(row.consumed_at),
    token: sharedPayload(payload),
    ...(session_id !== null &&
      session_payload !== null && {
        session: {
          id: session_id,
          payload: session_payload,
          content: sharedPayload(session_payload),
          expiresAt: Number(row.session_expires_at ?? 0),
        },
      }),
    ...(grant_payload !== null && {
      grant: { content: sharedPayload(grant_payload), expiresAt: Number(row.grant_expires_at ?? 0) },
    }),
    ...(account !== null && { account: accountOfRow(account) }),
  };
}
