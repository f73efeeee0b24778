// How an operator removes a lost second factor, and what `accounts show` prints of one.

import { hygie } from '#shared/hygie-command.ts';
import { Refusal } from '#shared/operator-errors.ts';
import { printNotice } from '#shared/print-notice.ts';
import { type People, UNLOCKED } from './account-actions.ts';
import { findAccount } from './find-accounts.ts';

/** Removes the second factor with its recovery codes, and ends all that was signed in with it; refused when there is none. */
export async function removeSecondFactor(accounts: People, who: string): Promise<void> {
  const account = await findAccount(accounts, who);
  const { id, login } = account;
  const unlocked = await accounts.change(id, async (changes) => {
    if (!(await changes.removeSecondFactor(id))) {
      throw new Refusal([
        `${login} has no second factor. Nothing was changed.`,
        `Remedy: to end sessions and tokens, ${hygie(`accounts set-password ${id}`)} (or disable, then enable).`,
      ]);
    }
    await changes.record('second-factor.removed', id);
    return changes.unlock(account);
  });
  printNotice(
    `${login} has no second factor any more; sessions and tokens in use have ended.${unlocked ? UNLOCKED : ''}`,
  );
  printNotice(
    accounts.secondFactorRequired
      ? 'The next sign-in asks for the password, and then sets up another one.'
      : 'The next sign-in asks for the password alone; where an application demands a second factor, another one is set up there.',
  );
  printNotice(`If others may know the password, set a new one: ${hygie(`accounts set-password ${id}`)}`);
}

/** Says that a second factor outlives the password: somebody who knew that one may have set it up. */
export async function noteSecondFactor(accounts: People, accountId: string): Promise<void> {
  const factor = await accounts.secondFactorOf(accountId);
  if (!factor) return;
  const day = new Date(factor.since * 1000).toISOString().slice(0, 10);
  printNotice(`The second factor, set up on ${day}, stays. If that was somebody who knew the password before:`);
  printNotice(`  ${hygie(`accounts remove-second-factor ${accountId}`)}`);
}
