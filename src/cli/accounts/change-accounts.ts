// Changes accounts for the command `accounts`: names and pictures, e-mail addresses, permission to sign in, consents, sessions, passwords,
// and lost second factors and passkeys.

import { instant, json } from '#cli/support/output.ts';
import { OWN_CLIENT_ID } from '#config/built-in-clients.ts';
import { emailKey } from '#shared/names.ts';
import { counted, hygie, printNotice, Refusal, UsageError } from '#shared/operator-messages.ts';
import { type Account, type AccountChanges, loginOf } from '#store/accounts/account-row.ts';
import { EmailTaken } from '#store/accounts/accounts.ts';
import { readAddress, readEmail, readName, readPasswordHash } from './account-fields.ts';
import type { EmailOptions, NameOptions } from './options.ts';
import { type People, UNLOCKED } from './people.ts';
import { addressTaken, findAccount } from './show-accounts.ts';

type Changes = Pick<AccountChanges, 'name' | 'given' | 'family' | 'nickname' | 'picture' | 'profile'>;

/**
 * Changes the fields that `options` has. An empty text removes the field. A new given or family name also changes the full name, unless
 * `options` has a full name too.
 */
export async function setName(accounts: People, options: NameOptions, who: string): Promise<void> {
  const { json: asJson, ...wanted } = options;
  if (Object.keys(wanted).length === 0) {
    throw new UsageError('accounts set-name needs --name, --given, --family, --nickname, --picture or --profile.');
  }
  const account = await findAccount(accounts, who);
  const problems: string[] = [];
  const changes = changesOf(wanted, account, problems);
  if (problems.length > 0) throw new Refusal(problems);
  const updated = await accounts.change(account.id, async ({ update, record }) => {
    await record('account.renamed', account.id, { fields: Object.keys(changes) });
    return update(account.id, changes);
  });
  if (!updated) return;
  if (asJson) process.stdout.write(json(updated));
  const picture = wanted.picture !== undefined && `picture ${updated.picture ?? 'of the initials'}`;
  printNotice(`${loginOf(updated)} is now ${shownName(updated, picture)}.`);
}

/** Sets the address (https) of the account's picture. `none` removes the picture, so that pages show the person's initials again. */
export async function setPicture(
  accounts: People,
  { none = false, json: asJson }: { none?: boolean | undefined; json?: boolean | undefined },
  who: string,
  url: string,
): Promise<void> {
  if (none !== (url === '')) throw new UsageError('accounts set-picture needs URL, or --none for the initials.');
  await setName(accounts, { picture: url, ...(asJson && { json: true }) }, who);
}

/**
 * Changes the e-mail address, with which the person signs in from then on. Sessions stay, as when the person changes the address. Links in
 * earlier mails become invalid. With `email-verified`, `address` may be the present address, which is then marked as verified.
 */
export async function setEmail(accounts: People, options: EmailOptions, who: string, address: string): Promise<void> {
  const { 'email-verified': emailVerified = false, json: asJson } = options;
  const { id, login } = await findAccount(accounts, who);
  const problems: string[] = [];
  const email = readEmail(address, problems);
  if (problems.length > 0) throw new Refusal(problems);
  try {
    const updated = await accounts.change(id, async ({ find, update, record }) => {
      // The address is read again, because the person may have changed it meanwhile. The address before this change gets a mail.
      const before = (await find(id))?.email;
      const same = before !== undefined && emailKey(before) === emailKey(email);
      if (same && !emailVerified) {
        throw new Refusal(
          `${before} is the address already. Nothing was changed. To mark it as verified: --email-verified`,
        );
      }
      const updated = await update(id, { email, emailVerified });
      if (same) await record('account.email-verified', id);
      else await record('account.email-changed', id, { ...(before !== undefined && { before }) });
      return updated;
    });
    if (updated && asJson) process.stdout.write(json(updated));
    printNotice(`${login} is now ${email} (${emailVerified ? '' : 'not '}verified).`);
  } catch (error) {
    throw error instanceof EmailTaken ? new Refusal(addressTaken(email)) : error;
  }
}

function changesOf(wanted: Omit<NameOptions, 'json'>, account: Account, problems: string[]): Changes {
  const text = (value: string, field: string) => (value.trim() === '' ? null : readName(value, field, problems));
  const address = (value: string, field: string) => (value.trim() === '' ? null : readAddress(value, field, problems));
  const { name, given, family, nickname, picture, profile } = wanted;
  const parts = {
    ...(given !== undefined && { given: text(given, 'given name') }),
    ...(family !== undefined && { family: text(family, 'family name') }),
  };
  const both = { ...account, ...parts };
  const composed = both.given && both.family ? `${both.given} ${both.family}` : undefined;
  const changed = Object.values(parts).some((part) => part !== null);
  return {
    ...parts,
    ...(name !== undefined && { name: readName(name, 'name', problems) }),
    ...(name === undefined && changed && composed !== undefined && { name: composed }),
    ...(nickname !== undefined && { nickname: text(nickname, 'nickname') }),
    ...(picture !== undefined && { picture: address(picture, 'picture') }),
    ...(profile !== undefined && { profile: address(profile, 'profile') }),
  };
}

function shownName({ name, given, family }: Account, picture: string | false): string {
  const parts = [given && `given name ${given}`, family && `family name ${family}`, picture].filter(Boolean);
  return `"${name}"${parts.length > 0 ? ` (${parts.join(', ')})` : ''}`;
}

/**
 * Disables an account, or enables it again. When an account is disabled, `update` (`store/accounts/accounts.ts`) also ends its sessions and
 * tokens.
 */
export async function setStatus(
  accounts: People,
  options: { json?: boolean | undefined },
  who: string,
  status: Account['status'],
): Promise<void> {
  const before = await findAccount(accounts, who);
  const { id, login } = before;
  const { account, unlocked } = await accounts.change(id, async (changes) => {
    const account = await changes.update(id, { status });
    await changes.record(status === 'disabled' ? 'account.disabled' : 'account.enabled', id);
    return { account, unlocked: status === 'active' && (await changes.unlock(before)) };
  });
  if (account && options.json) process.stdout.write(json(account));
  printNotice(`${login} is ${status}.${unlocked ? UNLOCKED : ''}`);
}

/** Ends the pause in which an account cannot sign in after failed attempts. */
export async function unlock(accounts: People, who: string): Promise<void> {
  const account = await findAccount(accounts, who);
  const unlocked = await accounts.change(account.id, (changes) => changes.unlock(account));
  printNotice(
    unlocked
      ? `${account.login} may sign in again at once.`
      : `${account.login} did not have to wait. If a network address has to (limits.addressFailures), only time lets it in again.`,
  );
}

/** Revokes the consent that the person gave to an application. */
export async function revokeConsent(accounts: People, who: string, client: string): Promise<void> {
  const { id, login } = await findAccount(accounts, who);
  if (client === OWN_CLIENT_ID) {
    throw new Refusal(`${client} is the service itself, which needs no consent. See: ${hygie`accounts show ${id}`}`);
  }
  if (!(await accounts.change(id, (changes) => changes.revokeConsent(id, client)))) {
    throw new Refusal(
      `${login} has allowed ${client} nothing: there is no consent to withdraw. See: ${hygie`accounts show ${id}`}`,
    );
  }
  printNotice(`${client} has no access for ${login} any more; the next sign-in there asks for consent.`);
}

/** Deletes the account and all data about the person, except the audit trail. Throws a `Refusal` if `yes` is false. */
export async function deleteAccount(accounts: People, who: string, yes: boolean): Promise<void> {
  const account = await findAccount(accounts, who);
  const { id, login, name, deletionRequestedAt } = account;
  const asked =
    deletionRequestedAt === undefined
      ? 'The person has not asked for it'
      : `The person asked for it on ${instant(deletionRequestedAt)}`;
  if (!yes) {
    throw new Refusal([
      `${login} (${name}) would be deleted for good, with sessions, tokens, consents and all ways to sign in. ${asked}.`,
      `Nothing was changed. To do so: ${hygie`accounts delete ${id} --yes`}`,
    ]);
  }
  await accounts.change(id, async (changes) => {
    await changes.deleteAccount(id);
    await changes.record('account.deleted', id, { requested: deletionRequestedAt !== undefined }, account);
  });
  printNotice(`${login} is deleted; the running service notifies applications that have a backchannelLogoutUrl.`);
  printNotice(`The UUID ${id} is never used again. Its audit records are kept for audit.keep.`);
}

/** Ends the sessions of one account, or of all accounts, with all tokens issued in them. Prints how many sessions ended. */
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
  report(counted(total.accounts, 'account'), total);
}

// Prints the number of ended sessions. It cannot name the applications that are notified, because the running service chooses them later,
// by their backchannelLogoutUrl.
function report(whose: string, { sessions }: { sessions: number }): void {
  printNotice(
    `${whose}: ${counted(sessions, 'session')} ended with all tokens; the running service notifies applications that have a backchannelLogoutUrl.`,
  );
}

/** Warning that is printed after an operator has chosen a password for somebody. */
export const CHANGED_AT_SIGN_IN =
  'The person has to choose another password at the first sign-in. For accounts of tests and machines: --keep-password.';

/** Sets the password. Ends all sessions and tokens. Without `keep`, the person must choose another password at the next sign-in. */
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
  await noteWhatStays(accounts, account.id);
}

/**
 * Removes the authenticator app and the recovery codes. If the account has a passkey, the recovery codes stay, because they can also
 * replace a lost passkey. Ends all sessions and tokens of the account. Throws a `Refusal` if the account has no authenticator app.
 */
export async function removeSecondFactor(accounts: People, who: string): Promise<void> {
  const account = await findAccount(accounts, who);
  const { id, login } = account;
  const hasPasskey = (await accounts.passkeysOf(id)).length > 0;
  const what = hasPasskey ? 'authenticator app' : 'second factor';
  const unlocked = await accounts.change(id, async (changes) => {
    if (!(await changes.removeSecondFactor(id))) {
      throw new Refusal([
        `${login} has no ${what}. Nothing was changed.`,
        hasPasskey
          ? `Remedy: for a lost passkey, ${hygie`accounts remove-passkeys ${id}`}`
          : `Remedy: to end sessions and tokens, ${hygie`accounts end-sessions ${id}`}`,
      ]);
    }
    await changes.record('second-factor.removed', id);
    return changes.unlock(account);
  });
  printNotice(`${login} has no ${what} any more; sessions and tokens in use have ended.${unlocked ? UNLOCKED : ''}`);
  printNotice(
    hasPasskey
      ? `The account has a passkey: after the password, the next sign-in asks for it or for a recovery code. If it is lost, too: ${hygie`accounts remove-passkeys ${id}`}`
      : nextSignIn(accounts),
  );
  printNotice(`If others may know the password, set a new one: ${hygie`accounts set-password ${id}`}`);
}

function nextSignIn({ secondFactorRequired }: Pick<People, 'secondFactorRequired'>): string {
  return secondFactorRequired
    ? 'The next sign-in asks for the password, and then sets up another one.'
    : 'The next sign-in asks only for the password; if an application demands a second factor, the person sets up another one there.';
}

/** Warns that the account keeps its second factor and passkeys: anybody with the former password may have set them up. */
async function noteWhatStays(accounts: People, accountId: string): Promise<void> {
  const factor = await accounts.secondFactorOf(accountId);
  if (factor) {
    const day = instant(factor.since).slice(0, 10);
    printNotice(
      `The second factor, set up on ${day}, stays. If somebody else who knew the password may have set it up:`,
    );
    printNotice(`  ${hygie`accounts remove-second-factor ${accountId}`}`);
  }
  const { length } = await accounts.passkeysOf(accountId);
  if (length === 0) return;
  printNotice(
    `${length === 1 ? '1 passkey stays and signs' : `${length} passkeys stay and sign`} in without the password. If one may be somebody else's:`,
  );
  printNotice(`  ${hygie`accounts passkeys ${accountId}`}`);
  printNotice(`  ${hygie`accounts remove-passkeys ${accountId}`}`);
}

/**
 * Removes the passkey with the id `passkey`, or all passkeys if the id is undefined. Ends all sessions and tokens of the account. Throws a
 * `Refusal` if there is no passkey to remove.
 */
export async function removePasskeys(accounts: People, who: string, passkey: string | undefined): Promise<void> {
  const account = await findAccount(accounts, who);
  const { id, login, hasPassword } = account;
  const { removed, unlocked } = await accounts.change(id, async (changes) => {
    const removed = await changes.removePasskeys(id, passkey);
    if (removed === 0) {
      const what = passkey === undefined ? 'no passkey' : `no passkey "${passkey}"`;
      throw new Refusal(`${login} has ${what}. Nothing was changed. See: ${hygie`accounts passkeys ${id}`}`);
    }
    await changes.record('passkey.removed', id, { passkeys: removed, ...(passkey !== undefined && { passkey }) });
    return { removed, unlocked: await changes.unlock(account) };
  });
  printNotice(
    `${login}: ${counted(removed, 'passkey')} removed; sessions and tokens in use have ended.${unlocked ? UNLOCKED : ''}`,
  );
  if (hasPassword || (await accounts.passkeysOf(id)).length > 0) return;
  printNotice(`The account has no password and cannot sign in: ${hygie`accounts set-password ${id}`}`);
}
