// The actions that links in mails perform on an account (SEC-69). An action is performed in the transaction that uses up its link.

import { emailKey } from '#shared/names.ts';
import { type Database, epochSeconds } from '#store/database/connection.ts';
import { type Account, columnsOf, passwordColumns } from './account-row.ts';
import { refuseTaken } from './accounts.ts';
import type { Action, ActionTokens } from './action-tokens.ts';
import { endSessions } from './end-sessions.ts';

export type LinkActions = ReturnType<typeof openLinkActions>;

/** Opens the actions of links. `tokens` are the tokens of these links. */
export function openLinkActions(tokens: Pick<ActionTokens, 'take'>) {
  return {
    /**
     * Sets a password, and verifies the address that the mail went to. Ends all sessions of the account, with everything that was granted
     * in them. Resolves with the time (in seconds since the epoch) from which sign-ins are valid; undefined if the link is invalid.
     */
    setPassword: (
      purpose: 'invitation' | 'password-reset',
      token: string,
      passwordHash: string,
    ): Promise<{ notBefore: number } | undefined> =>
      tokens.take(purpose, token, async (transaction, action) => {
        await transaction('accounts').where({ id: action.account.id }).update(passwordColumns(passwordHash));
        await verify(transaction, action);
        return endSessions(transaction, [action.account.id]);
      }),
    /** Verifies the address that the mail went to, if it is still the account's. Resolves with undefined if the link is invalid. */
    verifyEmail: (token: string): Promise<Account | undefined> =>
      tokens.take('email-verification', token, async (transaction, action) => {
        await verify(transaction, action);
        return action.account;
      }),
    /**
     * Sets the account's address to that of the mail. `before` is the earlier address, if there was one. Sessions stay, because nobody
     * signs in by the address alone. Throws `EmailTaken`.
     */
    changeEmail: async (
      token: string,
    ): Promise<{ account: Account & { email: string }; before?: string } | undefined> => {
      let wanted = '';
      const change = tokens.take('email-change', token, async (transaction, { account, email }) => {
        wanted = email;
        const columns = columnsOf({ email, emailVerified: true });
        await transaction('accounts')
          .where({ id: account.id })
          .update({ ...columns, updated_at: epochSeconds() });
        return {
          account: { ...account, email, emailVerified: true },
          ...(account.email !== undefined && { before: account.email }),
        };
      });
      return refuseTaken(() => wanted, change);
    },
  };
}

async function verify(transaction: Database, { account, email }: Action): Promise<void> {
  if (account.emailVerified || account.email === undefined || emailKey(email) !== emailKey(account.email)) return;
  await transaction('accounts').where({ id: account.id }).update({ email_verified: true, updated_at: epochSeconds() });
}
