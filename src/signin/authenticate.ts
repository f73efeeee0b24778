// Owns the check of a login and password against the accounts: one answer, in one time, for every failure (SEC-39).
// Does not own throttling (`throttle.ts`) nor the hash (`src/shared/secret-hash.ts`).

import { hashSecret, needsRehash, verifySecret } from '../shared/secret-hash.ts';
import type { Accounts } from '../store/accounts.ts';
import type { Authenticate } from './dialogue.ts';

/** Checks passwords of active accounts; a hash made at a lower cost than today's is renewed on the way. */
export function createAuthenticate(accounts: Accounts): Authenticate {
  return async (login, password) => {
    const found = await accounts.findByEmail(login);
    const { account, passwordHash } = found ?? {};
    // Unknown accounts cost a hash as well, and so do those without a password.
    const matches = await verifySecret(password, passwordHash === undefined ? [] : [passwordHash]);
    if (!matches || account?.status !== 'active' || passwordHash === undefined) return undefined;
    if (needsRehash(passwordHash)) await accounts.setPasswordHash(account.id, await hashSecret(password));
    return { accountId: account.id };
  };
}
