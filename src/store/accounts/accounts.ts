// The table of accounts: the people who can sign in, and their practitioners and workspaces in the directory.

import { emailKey } from '#shared/names.ts';
import { batches, countRows, type Database, epochSeconds, ROWS_AT_ONCE } from '#store/database/connection.ts';
import { prepare, PLACEHOLDER as X } from '#store/database/prepared.ts';
import {
  type Account,
  type AccountChanges,
  type AccountRow,
  accountOf,
  COLUMNS,
  columnsOf,
  lockAccount,
  type NewAccount,
  passwordColumns,
  rowOf,
} from './account-row.ts';
import { deletedAmong } from './delete-account.ts';
import { type EndedSessions, endSessions } from './end-sessions.ts';

/** Thrown when the e-mail address belongs to another account already. */
export class EmailTaken extends Error {
  readonly email: string;
  constructor(email: string) {
    super(`${email} belongs to another account`);
    this.email = email;
  }
}

/** Thrown for the UUID of a deleted account. Applications still know the deleted person by this UUID, so no other account gets it. */
export class IdOfDeletedAccount extends Error {
  readonly id: string;
  constructor(id: string) {
    super(`${id} was the UUID of an account that is deleted: it is never given again`);
    this.id = id;
  }
}

export type Accounts = ReturnType<typeof openAccounts>;

/** Opens the accounts of a database. */
export function openAccounts(database: Database) {
  const byId = prepare<AccountRow>(database, (knex) => knex('accounts').select(COLUMNS).where('id', X));
  const byEmail = prepare<AccountRow>(database, (knex) => knex('accounts').select(COLUMNS).where('email_key', X));

  return {
    /**
     * Creates all accounts or none, in one transaction, and returns them in the given order. Throws `EmailTaken` and `IdOfDeletedAccount`.
     */
    create: async (accounts: readonly NewAccount[]): Promise<Account[]> => {
      const rows = accounts.map(rowOf);
      const given = accounts.flatMap(({ id }) => (id === undefined ? [] : [id]));
      const [deleted] = await deletedAmong(database, given);
      if (deleted !== undefined) throw new IdOfDeletedAccount(deleted);
      try {
        await database.batchInsert('accounts', rows, ROWS_AT_ONCE);
      } catch (error) {
        throw isTaken(error) ? new EmailTaken((await firstTaken(database, rows)) ?? '') : error;
      }
      return rows.map(accountOf);
    },
    find: async (id: string): Promise<Account | undefined> => {
      const row = (await byId(id)).rows[0];
      return row && accountOf(row);
    },
    /** Finds an account by its e-mail address, in upper or lower case. Returns the password's hash too, if there is one. */
    findByEmail: async (email: string): Promise<{ account: Account; passwordHash?: string } | undefined> => {
      const row = (await byEmail(emailKey(email))).rows[0];
      if (!row) return undefined;
      return { account: accountOf(row), ...(row.password_hash !== null && { passwordHash: row.password_hash }) };
    },
    /**
     * Lists at most `limit` accounts that follow the account `after`. Accounts with an e-mail address come first, in the order of the
     * address. Accounts without an address follow, in the order of the id.
     */
    list: async ({
      after,
      limit,
      deletionRequested = false,
    }: {
      after?: Pick<Account, 'id' | 'email'> | undefined;
      limit: number;
      /** Lists only the accounts that people asked to delete. */
      deletionRequested?: boolean;
    }): Promise<Account[]> => {
      const rows = (most: number) => {
        const query = database<AccountRow>('accounts').limit(most);
        return deletionRequested ? query.whereNotNull('deletion_requested_at') : query;
      };
      const found: AccountRow[] =
        after && after.email === undefined
          ? []
          : await rows(limit)
              .where('email_key', '>', emailKey(after?.email ?? ''))
              .orderBy('email_key');
      if (found.length < limit) {
        const id = after?.email === undefined ? (after?.id ?? '') : '';
        const without = rows(limit - found.length).whereNull('email_key');
        found.push(...(await without.where('id', '>', id).orderBy('id')));
      }
      return found.map(accountOf);
    },
    count: (): Promise<number> => countRows(database('accounts')),
    /**
     * Changes the account and sets `updatedAt`. Returns undefined if there is no such account. An account that is disabled loses all
     * sessions and tokens for good. Throws `EmailTaken`.
     */
    update: async (id: string, changes: AccountChanges): Promise<Account | undefined> => {
      const columns = { ...columnsOf(changes), updated_at: epochSeconds() };
      const write = database.transaction(async (transaction) => {
        await transaction('accounts').where({ id }).update(columns);
        if (changes.status === 'disabled') await endSessions(transaction, [id]);
      });
      await refuseTaken(() => changes.email ?? '', write);
      const row = (await byId(id)).rows[0];
      return row && accountOf(row);
    },
    /**
     * Sets a new password and ends all sessions and tokens, except those of the session `keep` (its public identifier). `ofOperator` means
     * that an operator chose the password, so the person must choose another one at the next sign-in. With `before`, the password is set
     * only if `before` is still the stored hash. With `own`, the person makes the change in the session `keep`; throws `SessionGone` if it
     * has ended. Returns the time (in seconds since the epoch) from which sign-ins are valid; undefined if nothing was changed.
     */
    setPassword: (
      id: string,
      passwordHash: string,
      {
        ofOperator = false,
        before,
        keep,
        own,
      }: { ofOperator?: boolean; before?: string; keep?: string | undefined; own?: boolean } = {},
    ): Promise<number | undefined> =>
      database.transaction(async (transaction) => {
        if (own) await lockAccount(transaction, id, keep);
        const present = before === undefined ? { id } : { id, password_hash: before };
        const changed = await transaction('accounts').where(present).update(passwordColumns(passwordHash, ofOperator));
        return changed > 0 ? (await endSessions(transaction, [id], keep)).notBefore : undefined;
      }),
    /** Stores another hash of the same password, unless another password was set meanwhile. */
    renewPasswordHash: async (id: string, before: string, passwordHash: string): Promise<boolean> =>
      (await database('accounts').where({ id, password_hash: before }).update({ password_hash: passwordHash })) > 0,
    /** Ends all sessions of these accounts with all their tokens. `keep` and `onlyFor` are explained in `end-sessions.ts`. */
    endSessions: (ids: readonly string[], keep?: string, onlyFor?: string): Promise<EndedSessions> =>
      database.transaction((transaction) => endSessions(transaction, ids, keep, onlyFor)),
  };
}

/** Throws `EmailTaken` if the write failed because another account has the address. */
export async function refuseTaken<Result>(email: () => string, write: PromiseLike<Result>): Promise<Result> {
  try {
    return await write;
  } catch (error) {
    throw isTaken(error) ? new EmailTaken(email()) : error;
  }
}

// SQLite reports SQLITE_CONSTRAINT_UNIQUE, PostgreSQL 23505. On SQLite, this code can only mean the address: no other column of accounts is
// unique except the primary key, and a repeated primary key has a code of its own.
function isTaken(error: unknown): boolean {
  const { code, constraint } = error as { code?: string; constraint?: string };
  return code === 'SQLITE_CONSTRAINT_UNIQUE' || (code === '23505' && constraint?.includes('email_key') === true);
}

/**
 * Returns the first e-mail address of these rows that belongs to an account already, or is in an earlier row; undefined if there is none.
 */
async function firstTaken(database: Database, rows: readonly AccountRow[]): Promise<string | undefined> {
  const seen = new Set<string>();
  for (const some of batches(rows)) {
    const keys = some.flatMap((row) => row.email_key ?? []);
    const found: { email_key: string }[] = await database('accounts').select('email_key').whereIn('email_key', keys);
    const there = new Set(found.map((row) => row.email_key));
    for (const row of some) {
      if (row.email_key === null || row.email === null) continue;
      if (there.has(row.email_key) || seen.has(row.email_key)) return row.email;
      seen.add(row.email_key);
    }
  }
  return undefined;
}

/** Ends the sessions of all accounts, with a transaction for each page of accounts. Resolves with the numbers of accounts and sessions. */
export async function endAllSessions(accounts: Pick<Accounts, 'list' | 'endSessions'>) {
  const total = { accounts: 0, sessions: 0 };
  for await (const page of accountPages(accounts)) {
    const { sessions } = await accounts.endSessions(page.map(({ id }) => id));
    total.accounts += page.length;
    total.sessions += sessions;
  }
  return total;
}

/** Lists all accounts, in pages. */
export async function* accountPages(
  { list }: Pick<Accounts, 'list'>,
  options: { deletionRequested?: boolean } = {},
): AsyncGenerator<Account[]> {
  let page = await list({ limit: ROWS_AT_ONCE, ...options });
  for (; page.length > 0; page = await list({ after: page.at(-1), limit: ROWS_AT_ONCE, ...options })) yield page;
}
