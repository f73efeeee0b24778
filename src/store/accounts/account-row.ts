// An account, and the row of the table of accounts that holds it.

import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { emailKey } from '#shared/names.ts';
import { present } from '#shared/present.ts';
import { type Database, epochSeconds, isPostgres } from '#store/database/connection.ts';
import { columnsIn, type Row } from '#store/rows.ts';
import { SessionGone, type SignInLimit } from './end-sessions.ts';
import type { LinkChanges } from './links/link-changes.ts';

type AccountStatus = 'active' | 'disabled';

export interface Account extends SignInLimit {
  /** UUID, which never changes. Applications get it as `sub` and `userInfo.uuid`. */
  id: string;
  /**
   * Undefined for a person without an address. Nobody can sign in to such an account yet: it is prepared for signing in through another
   * provider, which the service does not support so far.
   */
  email?: string;
  emailVerified: boolean;
  name: string;
  /** Given names and family name; absent if only the whole name is known. */
  given?: string;
  family?: string;
  nickname?: string;
  /**
   * Address of a picture that an operator gave. If it is absent, applications get a picture with the initials (`pictures.ts`). `profile` is
   * the address of a web page about the person.
   */
  picture?: string;
  profile?: string;
  /** Language of pages after the sign-in and of mails: `fr` or `en`. */
  language?: string;
  /** Ids of this person's own records (Practitioner) in the directory. */
  practitioners: string[];
  /**
   * Ids of the organizations of the directory where this person works. `currentWorkspace` is the organization where the person works at
   * present.
   */
  workspaces: string[];
  currentWorkspace?: string;
  /** Changes that editions of the directory made to the links of the account; absent while all links hold. */
  linkChanges?: LinkChanges;
  status: AccountStatus;
  hasPassword: boolean;
  /** True if an operator chose the password. The person must choose another one at the next sign-in (SEC-66). */
  passwordChangeRequired: boolean;
  /**
   * Time at which the password was set; undefined if the service did not record such times yet. Like the next three times, it is in seconds
   * since the epoch.
   */
  passwordSetAt?: number;
  /** Time at which the person requested the deletion of the account. */
  deletionRequestedAt?: number;
  createdAt: number;
  updatedAt: number;
}

/** Fields that may be unknown. In a change, null removes the field. */
const OPTIONAL = ['given', 'family', 'nickname', 'picture', 'profile', 'language'] as const;
type Optional = (typeof OPTIONAL)[number];

type Given = 'id' | 'email' | 'emailVerified' | 'currentWorkspace' | 'passwordChangeRequired' | Optional;

/**
 * Data of a new account. Seeds and imports give an `id`, because it must stay the same. By default, `id` is a random UUID, and
 * `currentWorkspace` is the first of `workspaces`.
 */
export interface NewAccount extends Pick<Account, 'name'>, Partial<Pick<Account, Given>> {
  practitioners?: readonly string[];
  workspaces?: readonly string[];
  passwordHash?: string;
}

/** Changes of an account. They do not include its links, which are changed by `openAccountLinks`. */
export type AccountChanges = Partial<
  Pick<Account, 'email' | 'emailVerified' | 'name' | 'status'> & Record<Optional, string | null>
>;

/** The columns of the table of accounts from which an account is read. */
export type AccountRow = Omit<Row<'accounts'>, 'linked_as'>;

/** The column with the identities of linked records is left out, because only `account-links.ts` reads it. */
export const COLUMNS = columnsIn('accounts').filter((name) => name !== 'linked_as');

/** Selects an account's row as JSON text within a larger query, in which `table` stands for `accounts`. `accountOfRow` reads it. */
export function accountRow(knex: Database, table: string): Knex.Raw {
  const columns = COLUMNS.map((column) => `${table}.${column}`);
  const build = isPostgres(knex) ? 'json_build_array' : 'json_array';
  // The JSON is cast to text, because PostgreSQL's driver would otherwise parse it. On SQLite it is text anyway.
  return knex.raw(`cast(${build}(${columns.map(() => '??').join(', ')}) as text)`, columns);
}

/**
 * Selects, as JSON text within a larger query, the time (in seconds since the epoch) from which sign-ins of an account are valid, and the
 * session that was kept when all others ended. The result is null if all sign-ins are valid. `id` is the column of the larger query that
 * has the id of the account. `signInLimitOf` reads the text.
 */
export function signInLimit(knex: Database, id: string): Knex.QueryBuilder {
  const build = isPostgres(knex) ? 'json_build_array' : 'json_array';
  return knex('accounts')
    .select(knex.raw(`cast(${build}(sessions_not_before, kept_session) as text)`))
    .where('accounts.id', knex.ref(id))
    .whereNotNull('sessions_not_before');
}

/** Parses the text that `signInLimit` selected. */
export function signInLimitOf(text: string): SignInLimit {
  const [notBefore, kept] = JSON.parse(text) as [number, string | null];
  return { sessionsNotBefore: notBefore, ...(kept !== null && { keptSession: kept }) };
}

/** Reads the account that `accountRow` selected. */
export function accountOfRow(text: string): Account {
  const values = JSON.parse(text) as unknown[];
  return accountOf(
    Object.fromEntries(COLUMNS.map((column, index) => [column, values[index]])) as unknown as AccountRow,
  );
}

/** Returns the name by which people recognise an account: its address, or its id if it has no address. */
export const loginOf = ({ id, email }: Pick<Account, 'id' | 'email'>): string => email ?? id;

export function rowOf(account: NewAccount): AccountRow {
  const now = epochSeconds();
  const workspaces = account.workspaces ?? [];
  return {
    id: account.id ?? randomUUID(),
    email: account.email?.trim() ?? null,
    email_key: account.email === undefined ? null : emailKey(account.email),
    email_verified: account.emailVerified ?? false,
    name: account.name,
    given: account.given ?? null,
    family: account.family ?? null,
    nickname: account.nickname ?? null,
    picture: account.picture ?? null,
    profile: account.profile ?? null,
    language: account.language ?? null,
    practitioners: JSON.stringify(account.practitioners ?? []),
    workspaces: JSON.stringify(workspaces),
    current_workspace: account.currentWorkspace ?? workspaces[0] ?? null,
    link_changes: null,
    status: 'active',
    password_hash: account.passwordHash ?? null,
    password_change_required: account.passwordChangeRequired ?? false,
    password_set_at: account.passwordHash === undefined ? null : now,
    sessions_not_before: null,
    kept_session: null,
    deletion_requested_at: null,
    created_at: now,
    updated_at: now,
  };
}

export function columnsOf(changes: AccountChanges): Record<string, unknown> {
  const columns: Record<string, unknown> = {};
  if (changes.email !== undefined) {
    columns['email'] = changes.email.trim();
    columns['email_key'] = emailKey(changes.email);
  }
  if (changes.emailVerified !== undefined) columns['email_verified'] = changes.emailVerified;
  for (const name of ['name', 'status', ...OPTIONAL] as const) {
    if (name in changes) columns[name] = changes[name] ?? null;
  }
  return columns;
}

/** Returns the columns for a new password. `ofOperator` sets `passwordChangeRequired`. */
export function passwordColumns(passwordHash: string, ofOperator = false): Partial<AccountRow> {
  return { password_hash: passwordHash, password_change_required: ofOperator, password_set_at: epochSeconds() };
}

function numberOf(column: number | string | null): number | null {
  return column === null ? null : Number(column);
}

export function accountOf(row: AccountRow): Account {
  const { given, family, nickname, picture, profile, language } = row;
  return present({
    id: row.id,
    email: row.email,
    emailVerified: Boolean(row.email_verified),
    name: row.name,
    given,
    family,
    nickname,
    picture,
    profile,
    language,
    practitioners: JSON.parse(row.practitioners) as string[],
    workspaces: JSON.parse(row.workspaces) as string[],
    currentWorkspace: row.current_workspace,
    linkChanges: row.link_changes === null ? null : (JSON.parse(row.link_changes) as LinkChanges),
    status: row.status as AccountStatus,
    hasPassword: row.password_hash !== null,
    passwordChangeRequired: Boolean(row.password_change_required),
    passwordSetAt: numberOf(row.password_set_at),
    sessionsNotBefore: numberOf(row.sessions_not_before),
    keptSession: row.kept_session,
    deletionRequestedAt: numberOf(row.deletion_requested_at),
    createdAt: Number(row.created_at),
    updatedAt: Number(row.updated_at),
  });
}

/**
 * Locks the account. Call it first in a transaction that changes rows that depend on the account. Otherwise two transactions could block
 * each other (deadlock): one has locked these rows and waits for the account, while the other deletes the account and waits for the rows.
 * Resolves with undefined if there is no such account.
 * @param own public identifier of the session in which the person makes the change. Throws `SessionGone` if the session has ended: the
 * request may have begun before (SEC-55).
 */
export async function lockAccount(
  transaction: Database,
  id: string,
  own?: string,
): Promise<Pick<Row<'accounts'>, 'password_hash' | 'sessions_not_before'> | undefined> {
  const account = transaction('accounts').where({ id });
  // SQLite has one writer at a time. If a transaction began with a read, and another process wrote before the first write of the
  // transaction, that write would fail. So this transaction begins with a write.
  if (!isPostgres(transaction)) await account.clone().update({ id });
  const locked = await account.forUpdate().first('password_hash', 'sessions_not_before');
  const session = transaction('oidc_records')
    .whereRaw("model = 'Session'")
    .where({ uid: own ?? '', account_id: id });
  if (own !== undefined && !(await session.first('id'))) throw new SessionGone('the session has ended meanwhile');
  return locked;
}
