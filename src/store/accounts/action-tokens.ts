// The tokens of links in mails (SEC-69): each counts once, for some time, for one purpose of one account, and only while the account is
// as it was. The newest of a purpose is the only one.

import { randomBytes } from 'node:crypto';
import { digest } from '#shared/crypto/digest.ts';
import { type Database, epochSeconds, ROWS_AT_ONCE } from '#store/database/connection.ts';
import type { Row } from '#store/rows.ts';
import { type Account, type AccountRow, accountOf, COLUMNS } from './account-row.ts';

/** Purpose -> the setting that says for how long. */
const LIFETIMES = {
  invitation: 'invitation',
  'password-reset': 'passwordReset',
  'email-verification': 'emailVerification',
  'email-change': 'emailChange',
} as const;
export type LinkPurpose = keyof typeof LIFETIMES;

/** Seconds; `lifetimes` of the settings. */
export type LinkLifetimes = Readonly<Record<(typeof LIFETIMES)[LinkPurpose], number>>;

export interface NewLink {
  purpose: LinkPurpose;
  accountId: string;
  /** The address that the mail goes to; the account's own unless given. */
  email?: string | undefined;
  /** What `stateOf` returned when the link was asked for: if the account has changed since, none is made. */
  state?: string | undefined;
}

/** What a token is good for. */
export interface Action {
  account: Account;
  /** The address that the mail went to. */
  email: string;
}

const TABLE = 'action_tokens';
const SELECTED = ['account_id', 'email', 'state'] as const;
type TokenRow = Pick<Row<'action_tokens'>, (typeof SELECTED)[number]>;
const TOKEN_BYTES = 32;
const TOKEN = /^[\w-]{43}$/;

export type ActionTokens = ReturnType<typeof openActionTokens>;

/** Opens the tokens of a database. */
export function openActionTokens(database: Database, lifetimes: LinkLifetimes) {
  const isPostgres = database.client.config.client === 'pg';
  const activeRow = async (within: Database, id: string): Promise<AccountRow | undefined> => {
    const query = within('accounts')
      .select([...COLUMNS])
      .where({ id, status: 'active' });
    // A transaction goes on only once nobody else is changing the account; SQLite has one writer at a time anyway.
    const [row]: AccountRow[] = await (within.isTransaction ? query.forUpdate() : query);
    return row;
  };
  const actionOf = async (within: Database, token: TokenRow | undefined): Promise<Action | undefined> => {
    const row = token && (await activeRow(within, token.account_id));
    const email = token?.email ?? row?.email;
    if (!row || !email || stateOfRow(row) !== token.state) return undefined;
    return { account: accountOf(row), email };
  };
  const live = (within: Database, purpose: LinkPurpose, token: string) =>
    within(TABLE)
      .where({ digest: digest(token), purpose })
      .where('expires_at', '>', epochSeconds());

  return {
    /** Stands for what an account is like, so far as links depend on it; undefined unless it is active. */
    stateOf: async (accountId: string): Promise<string | undefined> => {
      const row = await activeRow(database, accountId);
      return row && stateOfRow(row);
    },
    /**
     * Makes a link's token in place of the one before. It stands in the mail alone: the table keeps its digest. Undefined unless the
     * account is active, and as it was.
     */
    mint: async (link: NewLink): Promise<{ token: string; expiresAt: number } | undefined> => {
      const { purpose, accountId, email } = link;
      const row = await activeRow(database, accountId);
      if (!row) return undefined;
      const state = stateOfRow(row);
      if (link.state !== undefined && link.state !== state) return undefined;
      const token = randomBytes(TOKEN_BYTES).toString('base64url');
      const expiresAt = epochSeconds() + lifetimes[LIFETIMES[purpose]];
      const values = { digest: digest(token), email: email ?? null, state, expires_at: expiresAt };
      await database(TABLE)
        .insert({ account_id: accountId, purpose, ...values })
        .onConflict(['account_id', 'purpose'])
        .merge(values);
      return { token, expiresAt };
    },
    /** What a token is good for, without using it; undefined when it is good for nothing. */
    find: async (purpose: LinkPurpose, token: string): Promise<Action | undefined> => {
      if (!TOKEN.test(token)) return undefined;
      return actionOf(database, await live(database, purpose, token).first<TokenRow>(...SELECTED));
    },
    /**
     * Uses a token: `act` does what it is good for in the transaction that ends it, so that neither happens without the other, and
     * only one of several calls at the same time. Undefined when it is good for nothing; what `act` throws leaves it as it was.
     */
    take: async <Result>(
      purpose: LinkPurpose,
      token: string,
      act: (transaction: Database, action: Action) => Promise<Result>,
    ): Promise<Result | undefined> => {
      if (!TOKEN.test(token)) return undefined;
      return database.transaction(async (transaction) => {
        // The account is locked first, as by a deletion: in the other order, each would wait for what the other holds.
        if (isPostgres) {
          const ofToken = live(transaction, purpose, token).select('account_id');
          await transaction('accounts').select('id').whereIn('id', ofToken).forUpdate();
        }
        const taken: TokenRow[] = await live(transaction, purpose, token)
          .update({ expires_at: 0 })
          .returning([...SELECTED]);
        const action = await actionOf(transaction, taken[0]);
        return action && act(transaction, action);
      });
    },
    /** Ids of the accounts that have a link of the purpose which has not expired. */
    held: (purpose: LinkPurpose): Promise<string[]> =>
      database(TABLE).where({ purpose }).where('expires_at', '>', epochSeconds()).pluck('account_id'),
    /** Deletes so many at most of what expired; returns how many: 0 when that was all. */
    prune: (most = ROWS_AT_ONCE): Promise<number> => {
      const old = database(TABLE).select('digest').where('expires_at', '<=', epochSeconds()).limit(most);
      return database(TABLE).whereIn('digest', old).delete();
    },
  };
}

/** Another one after another address, password or second factor, an end of all sessions, a disabled account. */
function stateOfRow(row: AccountRow): string {
  const { email_key, password_hash, sessions_not_before } = row;
  return digest(JSON.stringify([email_key, password_hash, Number(sessions_not_before ?? 0)]));
}
