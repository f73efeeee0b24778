// The table of passkeys: public keys with which people sign in, with names that they choose (SEC-70).

import { randomUUID } from 'node:crypto';
import { lockAccount } from '#store/accounts/account-row.ts';
import { endSessions, isSignInValid } from '#store/accounts/end-sessions.ts';
import { countRows, type Database, epochSeconds } from '#store/database/connection.ts';
import { prepare, PLACEHOLDER as X } from '#store/database/prepared.ts';
import { columnsIn, type Row } from '#store/rows.ts';
import { countRecoveryCodes, dropUselessRecoveryCodes, replaceRecoveryCodes } from './second-factors.ts';

/**
 * Maximum passkeys of one account. A person has fewer devices. There has to be a limit, because pages of the account must name each
 * passkey.
 */
export const MOST_PASSKEYS = 20;

export interface NewPasskey {
  /** The id that the authenticator has given to the passkey, in base64url. */
  credentialId: string;
  /** The id by which authenticators know the account, in base64url. */
  userHandle: string;
  /** The public key in COSE, as base64url. */
  publicKey: string;
  counter: number;
  transports: readonly string[];
  /** True if the passkey is copied to the person's other devices; false if it stays on one device. */
  synced: boolean;
  /** Model of the authenticator, as the authenticator itself reports it. */
  aaguid: string;
  name: string;
}

export interface Passkey extends NewPasskey {
  id: string;
  accountId: string;
  /** Seconds since the epoch. */
  createdAt: number;
  lastUsedAt?: number;
}

/** `taken` means that some account has the passkey already. Nobody is told which account. */
type Added =
  | { refused: 'taken' | 'too-many' | 'ended' }
  | {
      refused?: undefined;
      passkey: Passkey;
      codes?: string[];
      /** Time (in seconds since the epoch) from which sign-ins are valid. */
      notBefore: number;
    };

const COLUMNS = columnsIn('passkeys');

export type Passkeys = ReturnType<typeof openPasskeys>;

/** Opens the passkeys in the main database. `now` returns seconds since the epoch. */
export function openPasskeys(database: Database, now = epochSeconds) {
  const select = prepare<Row<'passkeys'>>(database, (knex) =>
    knex('passkeys').select(COLUMNS).where('credential_id', X),
  );
  const selectOf = prepare<Row<'passkeys'>>(database, (knex) =>
    knex('passkeys').select(COLUMNS).where('account_id', X).orderBy('created_at').orderBy('id'),
  );
  // WebAuthn section 7.2 step 22: a counter that has not grown shows that the signature comes from a copy of the passkey. Such a signature
  // is refused. If both counters are 0, the authenticator has no counter.
  const use = prepare(database, (knex) =>
    knex('passkeys')
      .update({ counter: X, last_used_at: X })
      .where('id', X)
      .whereRaw('(counter < ? or (counter = 0 and cast(? as bigint) = 0))', [X, X]),
  );

  return {
    /** Lists the passkeys of an account, in the order in which they were added. */
    list: async (accountId: string): Promise<Passkey[]> => (await selectOf(accountId)).rows.map(passkeyOf),
    find: async (credentialId: string): Promise<Passkey | undefined> => {
      const row = (await select(credentialId)).rows[0];
      return row && passkeyOf(row);
    },
    /**
     * Adds a passkey, and ends all sessions of the account except the person's own (`keep`, its public identifier). An account without
     * recovery codes gets some, which are returned only this once. `signedInAt` is the time of a sign-in that has no session yet, in
     * seconds since the epoch. Returns `ended` if this sign-in is invalid by now: another passkey may have been added, and then a password
     * alone is not enough.
     */
    add: (accountId: string, passkey: NewPasskey, keep: string | undefined, signedInAt?: number): Promise<Added> =>
      database.transaction(async (transaction): Promise<Added> => {
        const account = await lockAccount(transaction, accountId, signedInAt === undefined ? keep : undefined);
        const sessionsNotBefore = Number(account?.sessions_not_before ?? 0);
        if (signedInAt !== undefined && !isSignInValid({ sessionsNotBefore }, signedInAt, undefined))
          return { refused: 'ended' };
        const others = await countRows(transaction('passkeys').where({ account_id: accountId }));
        if (others >= MOST_PASSKEYS) return { refused: 'too-many' };
        const row = rowOf(accountId, passkey, now());
        const added = await transaction('passkeys').insert(row).onConflict('credential_id').ignore().returning('id');
        if (added.length === 0) return { refused: 'taken' };
        const { notBefore } = await endSessions(transaction, [accountId], keep);
        const made = { passkey: passkeyOf(row), notBefore };
        if ((await countRecoveryCodes(transaction, accountId)) > 0) return made;
        return { ...made, codes: await replaceRecoveryCodes(transaction, accountId) };
      }),
    /** Accepts a signature with this counter. Returns false if the counter has not grown, or if the passkey was removed meanwhile. */
    use: async (id: string, counter: number): Promise<boolean> =>
      (await use(counter, now(), id, counter, counter)).changed > 0,
    /** Renames a passkey. Returns false if the account does not have it. */
    rename: async (accountId: string, id: string, name: string): Promise<boolean> =>
      (await database('passkeys').where({ id, account_id: accountId }).update({ name })) > 0,
    /**
     * Removes a passkey, and ends all sessions except `keep`, like `add`. Returns `last` and keeps the passkey if the account has neither
     * another passkey nor a password.
     */
    remove: (accountId: string, id: string, keep: string | undefined): Promise<Passkey | 'gone' | 'last'> =>
      database.transaction(async (transaction) => {
        // Without the lock, two simultaneous calls could remove the last two passkeys, because each would find the passkey that the other
        // removes.
        const account = await lockAccount(transaction, accountId, keep);
        const all: Row<'passkeys'>[] = await transaction('passkeys').select(COLUMNS).where({ account_id: accountId });
        const found = all.find((row) => row.id === id);
        if (!found) return 'gone';
        if (all.length === 1 && account?.password_hash === null) return 'last';
        await transaction('passkeys').where({ id }).delete();
        await dropUselessRecoveryCodes(transaction, accountId);
        await endSessions(transaction, [accountId], keep);
        return passkeyOf(found);
      }),
    /**
     * Removes passkeys that a person has lost: the one with this id, or all of the account if there is no id. Even the last passkey is
     * removed. Ends all sessions. Returns the number of removed passkeys.
     */
    removeLost: (accountId: string, id?: string): Promise<number> =>
      database.transaction(async (transaction) => {
        await lockAccount(transaction, accountId);
        const which = { account_id: accountId, ...(id !== undefined && { id }) };
        const removed = await transaction('passkeys').where(which).delete();
        if (removed === 0) return 0;
        await dropUselessRecoveryCodes(transaction, accountId);
        await endSessions(transaction, [accountId]);
        return removed;
      }),
  };
}

function rowOf(accountId: string, passkey: NewPasskey, at: number): Row<'passkeys'> {
  return {
    id: randomUUID(),
    account_id: accountId,
    credential_id: passkey.credentialId,
    user_handle: passkey.userHandle,
    public_key: passkey.publicKey,
    counter: passkey.counter,
    transports: JSON.stringify(passkey.transports),
    synced: passkey.synced,
    aaguid: passkey.aaguid,
    name: passkey.name,
    created_at: at,
    last_used_at: null,
  };
}

function passkeyOf(row: Row<'passkeys'>): Passkey {
  return {
    id: row.id,
    accountId: row.account_id,
    credentialId: row.credential_id,
    userHandle: row.user_handle,
    publicKey: row.public_key,
    counter: Number(row.counter),
    transports: JSON.parse(row.transports) as string[],
    synced: Boolean(row.synced),
    aaguid: row.aaguid,
    name: row.name,
    createdAt: Number(row.created_at),
    ...(row.last_used_at !== null && { lastUsedAt: Number(row.last_used_at) }),
  };
}
