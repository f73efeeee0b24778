// Ends the sessions of everybody, a few accounts in each transaction.

import type { Accounts } from './accounts.ts';

/** Accounts whose sessions end in one transaction. */
const AT_ONCE = 250;

/** Resolves with how many there were. */
export async function endAllSessions(accounts: Pick<Accounts, 'list' | 'endSessions'>) {
  const total = { accounts: 0, sessions: 0 };
  let page = await accounts.list({ limit: AT_ONCE });
  while (page.length > 0) {
    const { sessions } = await accounts.endSessions(page.map(({ id }) => id));
    total.accounts += page.length;
    total.sessions += sessions;
    page = await accounts.list({ after: page.at(-1), limit: AT_ONCE });
  }
  return total;
}
