// The tables of authenticator apps, with their encrypted secrets, and of the recovery codes that stand in for any second factor. Each code
// is valid once (SEC-41, RFC 6238 section 5.2). The other kind of second factor is a passkey (`passkeys.ts`).

import { DecryptionError, type Encryption, isEncrypted } from '#shared/crypto/encryption.ts';
import { isRecoveryCode, newRecoveryCodes, recoveryCodeDigest } from '#shared/crypto/recovery-codes.ts';
import { newTotpSecret, stepOfCode } from '#shared/crypto/totp.ts';
import { hygie } from '#shared/operator-messages.ts';
import { lockAccount } from '#store/accounts/account-row.ts';
import { endSessions } from '#store/accounts/end-sessions.ts';
import { countRows, type Database, epochSeconds } from '#store/database/connection.ts';
import { prepare, PLACEHOLDER as X } from '#store/database/prepared.ts';
import { columnsIn, type Row } from '#store/rows.ts';

/** Message of the log when a secret cannot be decrypted (`DecryptionError`). */
export const UNREADABLE_SECRET =
  `the secret of a second factor cannot be decrypted: see ${hygie('keys list')}; ` +
  `set HYGIE_KEY_SECRET_OLD to the secret before and run ${hygie('keys encrypt')}`;

type SecondFactorKind = 'app' | 'passkey';

/** Result of checking a typed code. `used` means that the code is right, but was used before. */
type CodeOutcome = 'code' | 'recovery-code' | 'used' | 'wrong';

export type SecondFactors = ReturnType<typeof openSecondFactors>;

/** Opens the second factors in the main database, encrypted like the keys. `now` returns seconds since the epoch. */
export function openSecondFactors(database: Database, encryption: Encryption, now = epochSeconds) {
  const select = prepare<Row<'second_factors'>>(database, (knex) =>
    knex('second_factors').select(columnsIn('second_factors')).where('account_id', X),
  );
  const selectKinds = prepare<{ kind: SecondFactorKind }>(database, (knex) =>
    knex('second_factors')
      .select(knex.raw("'app' as kind"))
      .where('account_id', X)
      .union(knex('passkeys').select(knex.raw("'passkey' as kind")).where('account_id', X)),
  );
  const take = prepare(database, (knex) =>
    knex('second_factors').update({ last_step: X }).where('account_id', X).where('last_step', '<', X),
  );
  const rowOf = async (accountId: string) => (await select(accountId)).rows[0];
  const secretOf = async (accountId: string, encrypted: string) =>
    Buffer.from(await encryption.decrypt(encrypted, contextOf(accountId)), 'base64url');
  return {
    /**
     * Returns the time at which the authenticator app was set up (in seconds since 1970), and the number of recovery codes left; undefined
     * for an account without an app.
     */
    find: async (accountId: string): Promise<{ since: number; recoveryCodes: number } | undefined> => {
      const row = await rowOf(accountId);
      if (!row) return undefined;
      return { since: Number(row.created_at), recoveryCodes: await countRecoveryCodes(database, accountId) };
    },
    /** Returns the kinds of second factors that an account has. After the password, the person must use one of them. */
    kinds: async (accountId: string): Promise<readonly SecondFactorKind[]> =>
      (await selectKinds(accountId, accountId)).rows.map(({ kind }) => kind),
    countRecoveryCodes: (accountId: string): Promise<number> => countRecoveryCodes(database, accountId),
    /** Accepts a code of the app, or a recovery code. A code is valid once, however many requests try it at the same time. */
    take: async (accountId: string, typed: string): Promise<CodeOutcome> => {
      if (isRecoveryCode(typed)) {
        const key = { account_id: accountId, digest: recoveryCodeDigest(accountId, typed) };
        return (await database('recovery_codes').where(key).delete()) > 0 ? 'recovery-code' : 'wrong';
      }
      const row = await rowOf(accountId);
      const step = row && stepOfCode(await secretOf(accountId, row.secret), digitsOf(typed), now());
      if (step === undefined) return 'wrong';
      return (await take(step, accountId, step)).changed > 0 ? 'code' : 'used';
    },
    /** Makes a new secret, encrypted for this account. The secret is not used before `setUp` has got a code that was made with it. */
    propose: (accountId: string): Promise<string> =>
      encryption.encrypt(newTotpSecret().toString('base64url'), contextOf(accountId)),
    /** Decrypts the secret of a proposal, for the person's app. Throws `DecryptionError`. */
    secretOf,
    /**
     * Sets up an authenticator app with the proposed secret. If the account has no recovery codes yet, makes some and returns them, only
     * this once. An account with a passkey has recovery codes already. Resolves with undefined if the code does not fit the proposal, or if
     * the account has an app by now. With `first`, also resolves with undefined if the account has a passkey.
     *
     * `setUp`, `renewRecoveryCodes` and `remove` end all sessions of the account except the person's own (`keep`, its public identifier).
     * Sign-ins are valid from `notBefore` on.
     */
    setUp: async (
      accountId: string,
      proposal: string,
      typed: string,
      keep?: string | undefined,
      { first = false } = {},
    ): Promise<{ codes: string[]; notBefore: number } | undefined> => {
      const step = stepOfCode(await secretOf(accountId, proposal), digitsOf(typed), now());
      if (step === undefined) return undefined;
      const row = { account_id: accountId, secret: proposal, last_step: step, created_at: now() };
      return database.transaction(async (transaction) => {
        await lockAccount(transaction, accountId, first ? undefined : keep);
        if (first && (await transaction('passkeys').where({ account_id: accountId }).first('id'))) return undefined;
        const added = await transaction('second_factors')
          .insert(row)
          .onConflict('account_id')
          .ignore()
          .returning('account_id');
        if (added.length === 0) return undefined;
        const { notBefore } = await endSessions(transaction, [accountId], keep);
        const had = await countRecoveryCodes(transaction, accountId);
        return { codes: had > 0 ? [] : await replaceRecoveryCodes(transaction, accountId), notBefore };
      });
    },
    /** Makes new recovery codes in place of the earlier ones; undefined if the account has no second factor. */
    renewRecoveryCodes: async (accountId: string, keep?: string | undefined): Promise<string[] | undefined> => {
      if ((await selectKinds(accountId, accountId)).rows.length === 0) return undefined;
      return database.transaction(async (transaction) => {
        await lockAccount(transaction, accountId, keep);
        await endSessions(transaction, [accountId], keep);
        return replaceRecoveryCodes(transaction, accountId);
      });
    },
    /** Removes the app. Returns false if there was none. Recovery codes stay if there is also a passkey. */
    remove: (accountId: string, keep?: string | undefined): Promise<boolean> =>
      database.transaction(async (transaction) => {
        await lockAccount(transaction, accountId, keep);
        if ((await transaction('second_factors').where({ account_id: accountId }).delete()) === 0) return false;
        await dropUselessRecoveryCodes(transaction, accountId);
        await endSessions(transaction, [accountId], keep);
        return true;
      }),
    /** Counts the secrets that are stored in plain text, and lists the accounts with a secret that cannot be decrypted. */
    atRest: async (): Promise<{ plain: number; closed: string[] }> => {
      const rows: Row<'second_factors'>[] = await database('second_factors')
        .select('account_id', 'secret')
        .orderBy('account_id');
      const closed: string[] = [];
      for (const { account_id: id, secret } of rows) {
        const error = await encryption.decrypt(secret, contextOf(id)).then(() => undefined, asDecryptionError);
        if (error) closed.push(id);
      }
      return { plain: rows.filter(({ secret }) => !isEncrypted(secret)).length, closed };
    },
    /** Encrypts every secret with the current key secret. Returns how many secrets were rewritten. Throws `DecryptionError`. */
    encryptAll: async (): Promise<number> => {
      const rows: Row<'second_factors'>[] = await database('second_factors').select('account_id', 'secret');
      const decrypted = await Promise.all(
        rows.map(async ({ account_id: id, secret }) => ({
          id,
          secret,
          text: await encryption.decrypt(secret, contextOf(id)),
        })),
      );
      let rewritten = 0;
      for (const { id, secret, text } of decrypted) {
        if (await encryption.isCurrent(secret, contextOf(id))) continue;
        const encrypted = await encryption.encrypt(text, contextOf(id));
        // If the person has set up another app meanwhile, no row has this secret any more, and nothing is changed.
        rewritten += await database('second_factors').where({ account_id: id, secret }).update({ secret: encrypted });
      }
      return rewritten;
    },
  };
}

/**
 * The context to which a secret's encryption is bound. It names the account, so that the secret is useless in the row of another account.
 */
function contextOf(accountId: string): string {
  return `second factor ${accountId}`;
}

function asDecryptionError(error: unknown): DecryptionError {
  if (error instanceof DecryptionError) return error;
  throw error;
}

/** Removes the blank between the two groups in which apps show a code. */
function digitsOf(typed: string): string {
  return typed.replace(/\s/g, '');
}

/** Makes new recovery codes in place of the earlier ones. They are returned only this once, because the table keeps their digests. */
export async function replaceRecoveryCodes(transaction: Database, accountId: string): Promise<string[]> {
  const codes = newRecoveryCodes();
  await transaction('recovery_codes').where({ account_id: accountId }).delete();
  const rows = codes.map((code) => ({ account_id: accountId, digest: recoveryCodeDigest(accountId, code) }));
  await transaction('recovery_codes').insert(rows);
  return codes;
}

/** Counts the remaining codes. */
export function countRecoveryCodes(database: Database, accountId: string): Promise<number> {
  return countRows(database('recovery_codes').where({ account_id: accountId }));
}

/**
 * Deletes the recovery codes if the account has no second factor any more that they could replace. Call it after a second factor was
 * removed.
 */
export async function dropUselessRecoveryCodes(transaction: Database, accountId: string): Promise<void> {
  const others = await Promise.all(
    ['second_factors', 'passkeys'].map((table) =>
      transaction(table).where({ account_id: accountId }).first('account_id'),
    ),
  );
  if (others.every((row) => row === undefined))
    await transaction('recovery_codes').where({ account_id: accountId }).delete();
}
