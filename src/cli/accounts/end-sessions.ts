// `accounts end-sessions`: signs one person out everywhere, or everybody.

import { UsageError } from '../../shared/operator-errors.ts';
import { printNotice } from '../../shared/print-notice.ts';
import { endAllSessions } from '../../store/accounts/end-all-sessions.ts';
import type { People } from './account-actions.ts';
import { findAccount } from './find-accounts.ts';

/** Ends the sessions of one account, or of all of them, with all that was given in them; says how many. */
export async function endSessions(accounts: People, { all = false }: { all?: boolean | undefined }, who: string) {
  if (all === (who !== '')) throw new UsageError('accounts end-sessions needs ACCOUNT or --all, and not both.');
  if (!all) {
    const { id, email } = await findAccount(accounts, who);
    const ended = await accounts.endSessions([id]);
    await accounts.record('account.sessions-ended', id, { sessions: ended.sessions });
    return report(email, ended);
  }
  const total = await endAllSessions(accounts);
  await accounts.record('account.sessions-ended', undefined, { accounts: total.accounts, sessions: total.sessions });
  report(`${total.accounts} account(s)`, total);
}

// Which applications are told is known to the running service alone: those whose entry has a backchannelLogoutUrl.
function report(whose: string, { sessions }: { sessions: number }): void {
  printNotice(
    `${whose}: ${sessions} session(s) ended with all tokens; the running service tells applications that have a backchannelLogoutUrl.`,
  );
}
