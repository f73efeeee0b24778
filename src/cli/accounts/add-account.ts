// `accounts add`: one account, from the options of the command.

import { hygie } from '#shared/hygie-command.ts';
import { Refusal, UsageError } from '#shared/operator-errors.ts';
import { printNotice } from '#shared/print-notice.ts';
import { loginOf } from '#store/accounts/account-row.ts';
import { EmailTaken } from '#store/accounts/accounts.ts';
import type { People } from './account-actions.ts';
import {
  type GivenNames,
  namesSuffice,
  readAddress,
  readEmail,
  readName,
  readNames,
  readReferences,
} from './account-fields.ts';
import { json } from './find-accounts.ts';
import { demandMail, invitationText } from './invite.ts';
import { noteMissing } from './note-missing.ts';
import { readPasswordHash } from './read-password.ts';
import { CHANGED_AT_SIGN_IN } from './set-password.ts';

interface AddOptions extends GivenNames {
  email?: string | undefined;
  nickname?: string | undefined;
  picture?: string | undefined;
  profile?: string | undefined;
  practitioner?: string[] | undefined;
  workspace?: string[] | undefined;
  'email-verified'?: boolean | undefined;
  'password-stdin'?: boolean | undefined;
  'keep-password'?: boolean | undefined;
  invite?: boolean | undefined;
  json?: boolean | undefined;
}

/** Adds the account and prints its UUID. */
export async function addAccount(accounts: People, options: AddOptions): Promise<void> {
  if (!namesSuffice(options)) throw new UsageError('accounts add needs --name, or --given and --family.');
  const problems: string[] = [];
  const account = {
    email: readEmail(options.email ?? '', problems),
    ...readNames(options, problems),
    emailVerified: options['email-verified'] ?? false,
    practitioners: readReferences(options.practitioner ?? [], 'Practitioner', problems),
    workspaces: readReferences(options.workspace ?? [], 'Organization', problems),
    ...(options.nickname !== undefined && { nickname: readName(options.nickname, 'nickname', problems) }),
    ...(options.picture !== undefined && { picture: readAddress(options.picture, 'picture', problems) }),
    ...(options.profile !== undefined && { profile: readAddress(options.profile, 'profile', problems) }),
  };
  if (problems.length === 0 && (await accounts.findByEmail(account.email))) problems.push(taken(account.email));
  if (problems.length > 0) throw new Refusal(problems);
  if (options['keep-password'] && !options['password-stdin']) {
    throw new UsageError('accounts add takes --keep-password with --password-stdin only.');
  }
  if (options.invite) {
    if (options['password-stdin']) throw new UsageError('accounts add takes either --invite or --password-stdin.');
    demandMail(accounts);
  }
  const chosen = { passwordChangeRequired: !options['keep-password'] };
  const password = options['password-stdin'] && { ...chosen, passwordHash: await readPasswordHash(account) };
  try {
    const [created] = await accounts.change(undefined, async (changes) => {
      const added = await changes.create([{ ...account, ...password }]);
      for (const { id, email } of added) await changes.record('account.added', id, { email });
      if (options.invite) await changes.inviteNew(added);
      return added;
    });
    if (!created) return;
    await accounts.compareNow([created.id]);
    process.stdout.write(options.json ? json(created) : `${created.id}\n`);
    await noteMissing(accounts, created);
    if (options.invite) printNotice(invitationText(loginOf(created)));
    else if (!password)
      printNotice(`${account.email} has no password yet: ${hygie(`accounts set-password ${created.id}`)}`);
    else if (created.passwordChangeRequired) printNotice(CHANGED_AT_SIGN_IN);
  } catch (error) {
    if (error instanceof EmailTaken) throw new Refusal(taken(account.email));
    throw error;
  }
}

function taken(email: string): string {
  return `"${email}" has an account already. See: ${hygie(`accounts show ${email}`)}`;
}
