// Links of mails without the mail: made in the database of a running service, as the sender of mails does.

import { type LinkPurpose, openActionTokens } from '#store/accounts/action-tokens.ts';
import type { Person, Visit } from '#support/person.ts';
import type { RunningService } from '#support/service.ts';
import { until } from '#support/until.ts';

/** The address that a mail would hold. */
export async function linkFor(
  { database, settings, issuer }: Pick<RunningService, 'database' | 'settings' | 'issuer'>,
  purpose: LinkPurpose,
  accountId: string,
  email?: string,
): Promise<string> {
  const made = await openActionTokens(database, settings.lifetimes).mint({ purpose, accountId, email });
  if (!made) throw new Error(`no link for the account ${accountId}`);
  return `${issuer}/account-link/${purpose}/${made.token}`;
}

/** Moves what was asked for a forgotten password to a time that has come: the service lets some seconds pass before it looks at it. */
export async function askedLongAgo({ database }: Pick<RunningService, 'database'>): Promise<void> {
  await database('mail_queue').where({ kind: 'password-reset', account_id: '', attempts: 0 }).update({ due_at: 1 });
}

/** Waits until every mail that was asked for an account has gone: each makes a link of its own, in place of those before. */
export async function mailsGone({ database }: Pick<RunningService, 'database'>, account: string): Promise<void> {
  const mails = () => database('mail_queue').where({ account_id: account });
  await until(async () => {
    const rows: { due_at: unknown }[] = await mails();
    return rows.length > 0 && rows.every(({ due_at }) => due_at === null);
  }, 'the mails have gone');
}

/** Both fields of the form for a new password. */
export const twice = (password: string) => ({ 'new-password': password, 'new-password-again': password });

/** Opens a link and sends a password by its form. */
export async function choosePassword(person: Person, link: string, password: string): Promise<Visit> {
  return person.press(await person.visit(link), 'save-password', twice(password));
}
