// `accounts invite`, and the option --invite of `add` and `import`: people get a link by which they choose their password.

import { hygie } from '#shared/hygie-command.ts';
import { Refusal } from '#shared/operator-errors.ts';
import { printNotice } from '#shared/print-notice.ts';
import type { Account } from '#store/accounts/account-row.ts';
import type { People } from './account-actions.ts';
import { findAccount } from './find-accounts.ts';

/** Throws a `Refusal` where no mail can be sent: to be called before anything is written. */
export function demandMail(accounts: People): void {
  if (accounts.sendsMail) return;
  throw new Refusal([
    'No invitation can be sent: service.yaml names no mail server.',
    `Remedy: set mail there and try it with ${hygie('mail test --to YOUR-ADDRESS')}, or set passwords with --password-stdin.`,
  ]);
}

/** Sends an invitation, also again. */
export async function invite(accounts: People, who: string): Promise<void> {
  demandMail(accounts);
  const account = await findAccount(accounts, who);
  if (account.status === 'disabled') {
    throw new Refusal(`${account.login} is disabled. See: ${hygie(`accounts enable ${account.id}`)}`);
  }
  if (account.hasPassword) {
    const remedy = 'Who has forgotten it asks for a new one on the sign-in page.';
    throw new Refusal(`${account.login} has a password already. ${remedy}`);
  }
  if (!(await accounts.change(account.id, (changes) => changes.invite(account)))) {
    throw new Refusal(`${account.login} was sent ten invitations within a day. Try again tomorrow.`);
  }
  printNotice(invitationText(account.login));
}

/** Says how many of those who were imported were invited, and how many were left out. */
export function invitedText(created: readonly Account[], invited: number): string {
  const left = created.length - invited;
  return `Invited: ${invited}; the service sends the mails.${left > 0 ? ` Not invited, because they have a password: ${left}.` : ''}`;
}

/** What is said once an invitation is in the queue. */
export function invitationText(email: string): string {
  return `An invitation to ${email} is in the queue: the service sends it as soon as it runs.`;
}
