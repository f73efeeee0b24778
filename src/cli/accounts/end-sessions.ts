// `accounts end-sessions`: signs one person out everywhere, or everybody.

import { UsageError } from '#shared/operator-errors.ts';
import { printNotice } from '#shared/print-notice.ts';
import type { People } from './account-actions.ts';
import { findAccount } from './find-accounts.ts';

/** Ends the sessions of one account, or of all of them, with all that was given in them; says how many. */
export async function endSessions(accounts: People, { all = false }: { all?: boolean | undefined }, who: string) {
  if (all === (who !== '')) throw new UsageError('accounts end-sessions needs ACCOUNT or --all, and not both.');
  if (!all) {
    const { id, login } = await findAccount(accounts, who);
    const { sessions } = await accounts.change(id, async (changes) => {
      const ended = await changes.endSessions([id]);
      await changes.record('account.sessions-ended', id, { sessions: ended.sessions });
      return ended;
    });
    return report(login, { sessions });
  }
  const total = await accounts.endAllSessions();
  await accounts.change(undefined, ({ record }) => record('account.sessions-ended', undefined, { ...total }));
  report(`${total.accounts} account(s)`, total);
}

// Which applications are told is known to the running service alone: those whose entry has a backchannelLogoutUrl.
function report(whose: string, { sessions }: { sessions: number }): void {
  printNotice(
    `${whose}: ${sessions} session(s) ended with all tokens; the running service tells applications that have a backchannelLogoutUrl.`,
  );
}
