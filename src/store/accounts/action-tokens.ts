// The tokens of links in mails (SEC-69). A token is valid once, for some time, for one purpose of one account, and only while the account
// is unchanged. A newer token of the same purpose replaces it. `config/service/service-schema.ts` has the lifetimes.

import { randomBytes } from 'node:crypto';
import { digest } from '#shared/crypto/digest.ts';
import { type Database, epochSeconds, isPostgres, ROWS_AT_ONCE } from '#store/database/connection.ts';
import type { Row } from '#store/rows.ts';
import { type Account, type AccountRow, accountOf, COLUMNS } from './account-row.ts';

/** For each purpose of a link, the member of `lifetimes` with its lifetime. */
const LIFETIMES = {
  invitation: 'invitation',
  'password-reset': 'passwordReset',
  'email-verification': 'emailVerification',
  'email-change': 'emailChange',
} as const;
export type LinkPurpose = keyof typeof LIFETIMES;

/** Lifetimes in seconds (`lifetimes` of the settings). */
type LinkLifetimes = Readonly<Record<(typeof LIFETIMES)[LinkPurpose], number>>;

interface NewLink {
  purpose: LinkPurpose;
  accountId: string;
  /** Address of the mail. By default, that of the account. */
  email?: string | undefined;
  /** Result of `stateOf` when the link was requested. If the account's state is another one by now, no token is made. */
  state?: string | undefined;
}

/** The action that a token allows. */
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
  const activeRow = async (within: Database, id: string): Promise<AccountRow | undefined> => {
    const query = within('accounts')
      .select([...COLUMNS])
      .where({ id, status: 'active' });
    // On PostgreSQL, a transaction waits here until nobody else is changing the account. SQLite has only one writer at a time anyway.
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
    /**
     * Returns a mark of the account's state. Links stay valid only as long as the mark is the same. Undefined if the account is missing or
     * not active.
     */
    stateOf: async (accountId: string): Promise<string | undefined> => {
      const row = await activeRow(database, accountId);
      return row && stateOfRow(row);
    },
    /**
     * Makes the token of a link in place of an earlier one. Only the mail has the token itself: the table keeps its digest. Resolves with
     * undefined if the account is not active, or no longer has the state `state`.
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
    /** Returns the action of a token without using the token; undefined for an invalid token. */
    find: async (purpose: LinkPurpose, token: string): Promise<Action | undefined> => {
      if (!TOKEN.test(token)) return undefined;
      return actionOf(database, await live(database, purpose, token).first<TokenRow>(...SELECTED));
    },
    /**
     * Uses up a token. `act` performs the token's action in the same transaction, so that neither happens without the other. Of several
     * simultaneous calls, only one succeeds. Resolves with undefined for an invalid token. If `act` throws, the token stays valid.
     */
    take: async <Result>(
      purpose: LinkPurpose,
      token: string,
      act: (transaction: Database, action: Action) => Promise<Result>,
    ): Promise<Result | undefined> => {
      if (!TOKEN.test(token)) return undefined;
      return database.transaction(async (transaction) => {
        // The account is locked before the token, as when an account is deleted. In the other order, a deletion and this transaction could
        // block each other.
        if (isPostgres(database)) {
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
    /** Returns the ids of the accounts with a link of this purpose that has not expired. */
    held: (purpose: LinkPurpose): Promise<string[]> =>
      database(TABLE).where({ purpose }).where('expires_at', '>', epochSeconds()).pluck('account_id'),
    /** Deletes at most `most` expired rows. Returns their number; 0 means that none is left. */
    prune: (most = ROWS_AT_ONCE): Promise<number> => {
      const old = database(TABLE).select('digest').where('expires_at', '<=', epochSeconds()).limit(most);
      return database(TABLE).whereIn('digest', old).delete();
    },
  };
}

/**
 * Returns the mark of an account's state. The mark changes with the address, with the password, and with everything that ends all sessions:
 * another second factor, or the disabling of the account.
 */
function stateOfRow(row: AccountRow): string {
  const { email_key, password_hash, sessions_not_before } = row;
  return digest(JSON.stringify([email_key, password_hash, Number(sessions_not_before ?? 0)]));
}
