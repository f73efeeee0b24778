// Checks a login and password against the accounts. Every failure takes the same time, and its reason is for the audit trail alone
// (SEC-39). A later step of the sign-in checks that the password has not changed since.

import { digest } from '#shared/crypto/digest.ts';
import type { SecretHashing } from '#shared/crypto/secret-hashing.ts';
import type { QueueKey } from '#shared/fair-queue.ts';
import { loginOf } from '#store/accounts/account-row.ts';
import type { Accounts } from '#store/accounts/accounts.ts';
import { signInTime } from '#store/accounts/sign-in-validity.ts';

/** A password that was right. */
export interface ProvedPassword {
  accountId: string;
  /** The address, or the id of an account without one (`loginOf`). */
  email: string;
  /** Changes with the password, so that a later step of the sign-in notices a change. */
  passwordHashDigest: string;
  /** When the sign-in was, in seconds since 1970 (`signInTime`). A later change of the account ends whatever comes of this sign-in. */
  signedInAt: number;
  /** True if an operator chose the password. */
  passwordChangeRequired?: boolean;
}

/** The account that signed in, or the reason of the failure, which only the audit trail may record. */
type Authenticated =
  | (ProvedPassword & { refused?: undefined })
  | { accountId?: undefined; refused: 'no-account' }
  /** `disabled` means that the password was right. */
  | { accountId: string; refused: 'no-password' | 'password' | 'disabled' };

/**
 * Refuses an unknown account, a wrong password and a disabled account in the same time (SEC-39). The check waits in the
 * queue of hashes, under `queueKey` (`fair-queue.ts`). Throws `TooManyHashes` if too many wait and the password was not checked.
 */
export type Authenticate = (login: string, password: string, queueKey: QueueKey) => Promise<Authenticated>;

/** Checks whether a right password still is right: the account is active, and its password has the same hash. */
export type StillRight = (accountId: string, passwordHashDigest: string) => Promise<boolean>;

/** Checks passwords of active accounts. A hash of a lower cost than today's is renewed. */
export function createAuthenticate(accounts: Accounts, hashing: SecretHashing): Authenticate {
  return async (login, password, queueKey) => {
    const found = await accounts.findByEmail(login);
    // Unknown accounts cost a hash as well, and so do those without a password.
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

/** Checks whether a password that was right some time ago still is, for the second step of a sign-in. */
export function createStillRight(accounts: Pick<Accounts, 'find' | 'findByEmail'>): StillRight {
  return async (accountId, passwordHashDigest) => {
    const { email = '' } = (await accounts.find(accountId)) ?? {};
    const found = await accounts.findByEmail(email);
    if (found?.account.id !== accountId || found.account.status !== 'active') return false;
    return found.passwordHash !== undefined && digest(found.passwordHash) === passwordHashDigest;
  };
}
