// Checks a login and password against the accounts, in the same time for every failure, whose reason is for the audit trail
// alone (SEC-39); and whether a password that was right still is.

import type { Authenticate, StillRight } from '#openid/sign-in/interaction-types.ts';
import { digest } from '#shared/crypto/digest.ts';
import type { SecretHashing } from '#shared/crypto/secret-hashing.ts';
import { loginOf } from '#store/accounts/account-row.ts';
import type { Accounts } from '#store/accounts/accounts.ts';
import { signInTime } from '#store/accounts/sign-in-validity.ts';

/** Checks passwords of active accounts; a hash made at a lower cost than today's is renewed. */
export function createAuthenticate(accounts: Accounts, hashing: SecretHashing): Authenticate {
  return async (login, password, place) => {
    const found = await accounts.findByEmail(login);
    // Unknown accounts cost a hash as well, and so do those without a password.
    const hashes = found?.passwordHash === undefined ? [] : [found.passwordHash];
    const matches = await hashing.verifyPassword(password, hashes, place);
    if (!found) return { refused: 'no-account' };
    const { account, passwordHash } = found;
    const accountId = account.id;
    if (passwordHash === undefined) return { refused: 'no-password', accountId };
    if (!matches) return { refused: 'password', accountId };
    if (account.status !== 'active') return { refused: 'disabled', accountId };
    const { passwordChangeRequired } = account;
    const right = { accountId, email: loginOf(account), signedInAt: signInTime(account), passwordChangeRequired };
    if (!hashing.needsRehash(passwordHash)) return { ...right, mark: digest(passwordHash) };
    const renewed = await hashing.hashPassword(password);
    await accounts.renewPasswordHash(accountId, passwordHash, renewed);
    return { ...right, mark: digest(renewed) };
  };
}

/** Checks whether a password that was right some time ago still is, for the second step of a sign-in. */
export function createStillRight(accounts: Pick<Accounts, 'find' | 'findByEmail'>): StillRight {
  return async (accountId, mark) => {
    const { email = '' } = (await accounts.find(accountId)) ?? {};
    const found = await accounts.findByEmail(email);
    if (found?.account.id !== accountId || found.account.status !== 'active') return false;
    return found.passwordHash !== undefined && digest(found.passwordHash) === mark;
  };
}
