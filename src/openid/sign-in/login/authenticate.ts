// Checks a login and password against the accounts. Every failure takes the same time. The reason of a failure is only for the audit trail
// (SEC-39), in which `login.ts` records it. Later steps of the sign-in check that the password has not changed since.

import { digest } from '#shared/crypto/digest.ts';
import type { SecretHashing } from '#shared/crypto/secret-hash.ts';
import type { QueueKey } from '#shared/fair-queue.ts';
import { loginOf } from '#store/accounts/account-row.ts';
import type { Accounts } from '#store/accounts/accounts.ts';
import { signInTime } from '#store/accounts/end-sessions.ts';

/** The result of checking a right password. */
export interface ProvedPassword {
  accountId: string;
  /** The e-mail address of the account. It always has one, because it was found by its address, or by a link that was mailed to it. */
  email: string;
  /** Digest of the hash of the password. It changes with the password, so later steps of the sign-in compare it. */
  passwordHashDigest: string;
  /**
   * Time of the sign-in, in seconds since 1970 (`signInTime`). When the sessions of the account are ended later, for example by a new
   * password, all sessions and tokens of this sign-in end too.
   */
  signedInAt: number;
  /** True if an operator chose the password. */
  passwordChangeRequired?: boolean;
}

/** The account that signed in, or the reason of the failure. The reason may be recorded in the audit trail, but must not be shown. */
type Authenticated =
  | (ProvedPassword & { refused?: undefined })
  | { accountId?: undefined; refused: 'no-account' }
  /** `disabled` means that the password was right, but the account is not active. */
  | { accountId: string; refused: 'no-password' | 'password' | 'disabled' };

/**
 * Checks a password. The check takes the same time for an unknown account, a wrong password and a disabled account (SEC-39). It waits in
 * the queue of hashes, under `queueKey` (`fair-queue.ts`). If too many checks wait there, throws `TooManyHashes` and does not check the
 * password.
 */
export type Authenticate = (login: string, password: string, queueKey: QueueKey) => Promise<Authenticated>;

/** Checks whether a password that was right is still valid: the account must be active, and the hash of its password must be the same. */
export type StillRight = (accountId: string, passwordHashDigest: string) => Promise<boolean>;

/**
 * Makes the function that checks passwords of active accounts. If the hash of a right password has a lower cost than the service uses now,
 * the function also replaces the hash.
 */
export function createAuthenticate(accounts: Accounts, hashing: SecretHashing): Authenticate {
  return async (login, password, queueKey) => {
    const found = await accounts.findByEmail(login);
    // `verifyPassword` computes a scrypt hash, in a queue. It does so even for unknown accounts and accounts without a password, so that
    // all failures take the same time.
    const hashes = found?.passwordHash === undefined ? [] : [found.passwordHash];
    const matches = await hashing.verifyPassword(password, hashes, queueKey);
    if (!found) return { refused: 'no-account' };
    const { account, passwordHash } = found;
    const accountId = account.id;
    if (passwordHash === undefined) return { refused: 'no-password', accountId };
    if (!matches) return { refused: 'password', accountId };
    if (account.status !== 'active') return { refused: 'disabled', accountId };
    const { passwordChangeRequired } = account;
    const right = { accountId, email: loginOf(account), signedInAt: signInTime(account), passwordChangeRequired };
    if (!hashing.needsRehash(passwordHash)) return { ...right, passwordHashDigest: digest(passwordHash) };
    const renewed = await hashing.hashPassword(password);
    await accounts.renewPasswordHash(accountId, passwordHash, renewed);
    return { ...right, passwordHashDigest: digest(renewed) };
  };
}

/** Makes the function with which later steps of a sign-in check the password again. */
export function createStillRight(accounts: Pick<Accounts, 'find' | 'findByEmail'>): StillRight {
  return async (accountId, passwordHashDigest) => {
    const { email = '' } = (await accounts.find(accountId)) ?? {};
    const found = await accounts.findByEmail(email);
    if (found?.account.id !== accountId || found.account.status !== 'active') return false;
    return found.passwordHash !== undefined && digest(found.passwordHash) === passwordHashDigest;
  };
}
