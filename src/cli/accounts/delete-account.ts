// `accounts delete`: deletes an account for good, as a person may have asked for.

import { hygie } from '#shared/hygie-command.ts';
import { Refusal } from '#shared/operator-errors.ts';
import { printNotice } from '#shared/print-notice.ts';
import type { People } from './account-actions.ts';
import { findAccount } from './find-accounts.ts';

/** Deletes it, with all that is known of the person but the audit trail; refused without `yes`. */
export async function deleteAccount(accounts: People, who: string, yes: boolean): Promise<void> {
  const { id, email, login, name, deletionRequestedAt } = await findAccount(accounts, who);
  const asked =
    deletionRequestedAt === undefined
      ? 'The person has not asked for it'
      : `The person asked for it on ${new Date(deletionRequestedAt * 1000).toISOString()}`;
  if (!yes) {
    throw new Refusal([
      `${login} (${name}) would be deleted for good, with sessions, tokens, consents and all ways to sign in. ${asked}.`,
      `Nothing was changed. To do so: ${hygie(`accounts delete ${id} --yes`)}`,
    ]);
  }
  await accounts.change(id, async (changes) => {
    await changes.deleteAccount(id);
    await changes.record('account.deleted', id, { requested: deletionRequestedAt !== undefined }, email);
  });
  printNotice(`${login} is deleted; the running service tells applications that have a backchannelLogoutUrl.`);
  printNotice(
    `The UUID ${id} is never given again. Its records in the audit trail stay for as long as audit.keep says.`,
  );
}
