// Checks a login and password against the accounts. Every failure takes the same time, and only the audit trail learns its reason
// (SEC-39; `login.ts` records it).
// Later steps of the sign-in check that the password has not changed since.

import { digest } from '#shared/crypto/digest.ts';
import type { SecretHashing } from '#shared/crypto/secret-hash.ts';
import type { QueueKey } from '#shared/fair-queue.ts';
import { loginOf } from '#store/accounts/account-row.ts';
import type { Accounts } from '#store/accounts/accounts.ts';
import { signInTime } from '#store/accounts/end-sessions.ts';

/** A password that was right. */
export interface ProvedPassword {
  accountId: string;
  /** The address, or the id of an account without an address (`loginOf`). */
  email: string;
  /** Changes with the password. A later step of the sign-in compares it to notice a change. */
  passwordHashDigest: string;
  /**
   * When the sign-in was, in seconds since 1970 (`signInTime`). A later change of the account ends all sessions and tokens of this sign-in.
   */
  signedInAt: number;
  /** True if an operator chose the password. */
  passwordChangeRequired?: boolean;
}

/** The account that signed in, or the reason of the failure. Only the audit trail may record the reason. */
type Authenticated =
  | (ProvedPassword & { refused?: undefined })
  | { accountId?: undefined; refused: 'no-account' }
  /** `disabled` means that the password was right. */
  | { accountId: string; refused: 'no-password' | 'password' | 'disabled' };

/**
 * Checks a password. An unknown account, a wrong password and a disabled account take the same time (SEC-39). The check waits in the queue
 * of hashes, under `queueKey` (`fair-queue.ts`). Throws `TooManyHashes`, without a check, if too many wait there.
 */
export type Authenticate = (login: string, password: string, queueKey: QueueKey) => Promise<Authenticated>;

/** Checks whether a password that was right is still valid: the account is active, and its password has the same hash. */
export type StillRight = (accountId: string, passwordHashDigest: string) => Promise<boolean>;

/** Makes the function that checks passwords of active accounts. It renews a hash of a lower cost than the present one. */
export function createAuthenticate(accounts: Accounts, hashing: SecretHashing): Authenticate {
  return async (login, password, queueKey) => {
    const found = await accounts.findByEmail(login);
    // Unknown accounts, and accounts without a password, cost a hash too. `verifyPassword` compares by scrypt, in a queue.
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

/** Makes the check for later steps of a sign-in. */
export function createStillRight(accounts: Pick<Accounts, 'find' | 'findByEmail'>): StillRight {
  return async (accountId, passwordHashDigest) => {
    const { email = '' } = (await accounts.find(accountId)) ?? {};
    const found = await accounts.findByEmail(email);
    if (found?.account.id !== accountId || found.account.status !== 'active') return false;
    return found.passwordHash !== undefined && digest(found.passwordHash) === passwordHashDigest;
  };
}
