// `accounts set-password`: an operator sets a password, which the person replaces at the next sign-in.

import { printNotice } from '#shared/print-notice.ts';
import { type People, UNLOCKED } from './account-actions.ts';
import { findAccount } from './find-accounts.ts';
import { readPasswordHash } from './read-password.ts';
import { noteSecondFactor } from './second-factor.ts';

/** What an operator is told of a password that they chose. */
export const CHANGED_AT_SIGN_IN =
  'Another password has to be chosen at the first sign-in with it; accounts of tests and machines: --keep-password.';

/** Sets it, which ends all sessions and tokens. `keep`: the person may go on with it. */
export async function setPassword(accounts: People, who: string, keep: boolean): Promise<void> {
  const account = await findAccount(accounts, who);
  const hash = await readPasswordHash(account);
  const unlocked = await accounts.change(account.id, async (changes) => {
    await changes.setPassword(account.id, hash, { ofOperator: !keep });
    await changes.record('account.password-set', account.id);
    return changes.unlock(account);
  });
  printNotice(`${account.login} has a new password; sessions and tokens in use have ended.${unlocked ? UNLOCKED : ''}`);
  if (!keep) printNotice(CHANGED_AT_SIGN_IN);
  await noteSecondFactor(accounts, account.id);
}
