// The table of accounts: who can sign in, and which practitioners and workspaces of the directory they are.

import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { type Database, epochSeconds, ROWS_AT_ONCE } from '../database/connection.ts';
import { prepare, PLACEHOLDER as X } from '../database/prepared.ts';

type AccountStatus = 'active' | 'disabled';

export interface Account {
  /** UUID: `sub` and `userInfo.uuid`, stable for ever. */
  id: string;
  email: string;
  emailVerified: boolean;
  name: string;
  nickname?: string;
  /** URL. */
  picture?: string;
  /** Ids of directory practitioners this person is. */
  practitioners: string[];
  /** Ids of directory organizations this person works in, and the one in use. */
  workspaces: string[];
  currentWorkspace?: string;
  status: AccountStatus;
  hasPassword: boolean;
  /** Seconds since the epoch. */
  createdAt: number;
  updatedAt: number;
}

export interface NewAccount {
  /** Given by seeds and imports that must keep it; otherwise a random UUID. */
  id?: string;
  email: string;
  emailVerified?: boolean;
  name: string;
  nickname?: string;
  picture?: string;
  practitioners?: readonly string[];
  workspaces?: readonly string[];
  /** The first of `workspaces` unless given. */
  currentWorkspace?: string;
  passwordHash?: string;
}

type AccountChanges = Partial<
  Pick<Account, 'email' | 'emailVerified' | 'name' | 'nickname' | 'picture' | 'currentWorkspace' | 'status'> & {
    practitioners: readonly string[];
    workspaces: readonly string[];
  }
>;

/** An e-mail address belongs to one account only. */
export class EmailTaken extends Error {
  readonly email: string;
  constructor(email: string) {
    super(`${email} belongs to another account`);
    this.email = email;
  }
}

interface Row {
  id: string;
  email: string;
  email_key: string;
  email_verified: boolean | number;
  name: string;
  nickname: string | null;
  picture: string | null;
  practitioners: string;
  workspaces: string;
  current_workspace: string | null;
  status: AccountStatus;
  password_hash: string | null;
  created_at: number | string;
  updated_at: number | string;
}

// Named rather than `*`: on PostgreSQL a prepared `*` fails for good when a newer version of the service adds a column.
const COLUMNS = [
  'id',
  'email',
  'email_key',
  'email_verified',
  'name',
  'nickname',
  'picture',
  'practitioners',
  'workspaces',
  'current_workspace',
  'status',
  'password_hash',
  'created_at',
  'updated_at',
] as const satisfies readonly (keyof Row)[];

/** An account's row as JSON text within a larger query, where `table` stands for `accounts`; `accountOfRow` reads it. */
export function accountRow(knex: Database, table: string): Knex.Raw {
  const columns = COLUMNS.map((column) => `${table}.${column}`);
  const build = knex.client.config.client === 'pg' ? 'json_build_array' : 'json_array';
  // As text: the driver would parse it.
  return knex.raw(`cast(${build}(${columns.map(() => '??').join(', ')}) as text)`, columns);
}

/** The account that `accountRow` selected. */
export function accountOfRow(text: string): Account {
  const values = JSON.parse(text) as unknown[];
  return accountOf(Object.fromEntries(COLUMNS.map((column, index) => [column, values[index]])) as unknown as Row);
}

const key = (email: string) => email.trim().toLowerCase();

export type Accounts = ReturnType<typeof openAccounts>;

/** Opens the accounts of a database. */
export function openAccounts(database: Database) {
  const byId = prepare<Row>(database, (knex) => knex('accounts').select(COLUMNS).where('id', X));
  const byEmail = prepare<Row>(database, (knex) => knex('accounts').select(COLUMNS).where('email_key', X));

  return {
    /** All or none, in one transaction; returned in the order given. Throws `EmailTaken`. */
    create: async (accounts: readonly NewAccount[]): Promise<Account[]> => {
      const rows = accounts.map(rowOf);
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
    /** By e-mail, case aside, with the password's hash where there is one. */
    findByEmail: async (email: string): Promise<{ account: Account; passwordHash?: string } | undefined> => {
      const row = (await byEmail(key(email))).rows[0];
      if (!row) return undefined;
      return { account: accountOf(row), ...(row.password_hash !== null && { passwordHash: row.password_hash }) };
    },
    /** In the order of their e-mail addresses, after the given one. */
    list: async ({ after = '', limit }: { after?: string; limit: number }): Promise<Account[]> => {
      const rows = await database<Row>('accounts')
        .where('email_key', '>', key(after))
        .orderBy('email_key')
        .limit(limit);
      return rows.map(accountOf);
    },
    count: async (): Promise<number> => Number((await database('accounts').count({ n: '*' }).first())?.['n'] ?? 0),
    /** Sets `updatedAt`; throws `EmailTaken`; undefined when there is no such account. */
    update: async (id: string, changes: AccountChanges): Promise<Account | undefined> => {
      const columns = { ...columnsOf(changes), updated_at: epochSeconds() };
      await refuseTaken(changes.email ?? '', database('accounts').where({ id }).update(columns));
      const row = (await byId(id)).rows[0];
      return row && accountOf(row);
    },
    setPasswordHash: async (id: string, passwordHash: string): Promise<void> => {
      await database('accounts').where({ id }).update({ password_hash: passwordHash });
    },
  };
}

async function refuseTaken(email: string, write: PromiseLike<unknown>): Promise<void> {
  try {
    await write;
  } catch (error) {
    throw isTaken(error) ? new EmailTaken(email) : error;
  }
}

// SQLite says SQLITE_CONSTRAINT_UNIQUE, PostgreSQL 23505; the primary key is a random UUID or a seed's own.
function isTaken(error: unknown): boolean {
  const { code, constraint } = error as { code?: string; constraint?: string };
  return code === 'SQLITE_CONSTRAINT_UNIQUE' || (code === '23505' && constraint?.includes('email_key') === true);
}

/** The e-mail address of the first row that has an account already, or stands among the rows twice. */
async function firstTaken(database: Database, rows: readonly Row[]): Promise<string | undefined> {
  const seen = new Set<string>();
  for (let start = 0; start < rows.length; start += ROWS_AT_ONCE) {
    const some = rows.slice(start, start + ROWS_AT_ONCE);
    const keys = some.map((row) => row.email_key);
    const found: { email_key: string }[] = await database('accounts').select('email_key').whereIn('email_key', keys);
    const there = new Set(found.map((row) => row.email_key));
    for (const row of some) {
      if (there.has(row.email_key) || seen.has(row.email_key)) return row.email;
      seen.add(row.email_key);
    }
  }
  return undefined;
}

function rowOf(account: NewAccount): Row {
  const now = epochSeconds();
  const workspaces = account.workspaces ?? [];
  return {
    id: account.id ?? randomUUID(),
    email: account.email.trim(),
    email_key: key(account.email),
    email_verified: account.emailVerified ?? false,
    name: account.name,
    nickname: account.nickname ?? null,
    picture: account.picture ?? null,
    practitioners: JSON.stringify(account.practitioners ?? []),
    workspaces: JSON.stringify(workspaces),
    current_workspace: account.currentWorkspace ?? workspaces[0] ?? null,
    status: 'active',
    password_hash: account.passwordHash ?? null,
    created_at: now,
    updated_at: now,
  };
}

function columnsOf(changes: AccountChanges): Record<string, unknown> {
  const columns: Record<string, unknown> = {};
  if (changes.email !== undefined) {
    columns['email'] = changes.email.trim();
    columns['email_key'] = key(changes.email);
  }
  if (changes.emailVerified !== undefined) columns['email_verified'] = changes.emailVerified;
  if (changes.practitioners) columns['practitioners'] = JSON.stringify(changes.practitioners);
  if (changes.workspaces) columns['workspaces'] = JSON.stringify(changes.workspaces);
  if ('currentWorkspace' in changes) columns['current_workspace'] = changes.currentWorkspace ?? null;
  for (const name of ['name', 'nickname', 'picture', 'status'] as const) {
    if (name in changes) columns[name] = changes[name] ?? null;
  }
  return columns;
}

function accountOf(row: Row): Account {
  return {
    id: row.id,
    email: row.email,
    emailVerified: Boolean(row.email_verified),
    name: row.name,
    ...(row.nickname !== null && { nickname: row.nickname }),
    ...(row.picture !== null && { picture: row.picture }),
    practitioners: JSON.parse(row.practitioners) as string[],
    workspaces: JSON.parse(row.workspaces) as string[],
    ...(row.current_workspace !== null && { currentWorkspace: row.current_workspace }),
    status: row.status,
    hasPassword: row.password_hash !== null,
    createdAt: Number(row.created_at),
    updatedAt: Number(row.updated_at),
  };
}
