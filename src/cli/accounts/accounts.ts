// The command `accounts`: an operator adds, links, disables, deletes and imports the accounts of people who can sign in.

import { type Command, findAction, parseOptions } from '#cli/support/command.ts';
import { OWN_CLIENT_ID } from '#config/own-client.ts';
import { withCurrentDatabase } from '#server/open-database.ts';
import { hygie } from '#shared/hygie-command.ts';
import { Refusal, UsageError } from '#shared/operator-errors.ts';
import { printNotice } from '#shared/print-notice.ts';
import type { Account } from '#store/accounts/account-row.ts';
import { openPeople, type People, UNLOCKED } from './account-actions.ts';
import { addAccount } from './add-account.ts';
import { deleteAccount } from './delete-account.ts';
import { endSessions } from './end-sessions.ts';
import { findAccount, json, list, show } from './find-accounts.ts';
import { ACTION_HELP, HELP } from './help.ts';
import { importAccounts, readAccounts } from './import-csv.ts';
import { demandMail, invite, invitedText } from './invite.ts';
import { linkAccount, unlinkAccount } from './link-account.ts';
import { listSessions } from './list-sessions.ts';
import { listUnlinked } from './list-unlinked.ts';
import { noteMissing } from './note-missing.ts';
import { listPasskeys, removePasskeys } from './passkeys.ts';
import { removeSecondFactor } from './second-factor.ts';
import { setName, setPicture } from './set-name.ts';
import { setPassword } from './set-password.ts';

const OPTIONS = {
  email: { type: 'string' },
  name: { type: 'string' },
  given: { type: 'string' },
  family: { type: 'string' },
  nickname: { type: 'string' },
  picture: { type: 'string' },
  none: { type: 'boolean' },
  profile: { type: 'string' },
  practitioner: { type: 'string', multiple: true },
  workspace: { type: 'string', multiple: true },
  'current-workspace': { type: 'string' },
  'email-verified': { type: 'boolean' },
  'password-stdin': { type: 'boolean' },
  'keep-password': { type: 'boolean' },
  invite: { type: 'boolean' },
  all: { type: 'boolean' },
  replace: { type: 'boolean' },
  unlinked: { type: 'boolean' },
  'deletion-requested': { type: 'boolean' },
  yes: { type: 'boolean' },
  'dry-run': { type: 'boolean' },
  client: { type: 'string' },
  passkey: { type: 'string' },
  json: { type: 'boolean' },
} as const;

type Options = ReturnType<typeof parseOptions<typeof OPTIONS>>['values'];
type Option = keyof typeof OPTIONS;

interface Action {
  /** Name of its first argument, where it has one. */
  argument?: string;
  /** The last one, which may be left out: '' then. */
  optionalArgument?: string;
  options: readonly Option[];
  /** Those of the options that have to be given. */
  required?: readonly Option[];
  /** Changes nothing. */
  reads?: boolean;
  /** With it, an operator may begin: the database is made. */
  creates?: boolean;
  run(accounts: People, options: Options, argument: string, last: string): Promise<void>;
}

/** What each action takes. */
export const ACTIONS: Readonly<Record<string, Action>> = {
  add: {
    options: [
      'email',
      'name',
      'given',
      'family',
      'nickname',
      'picture',
      'profile',
      'practitioner',
      'workspace',
      'email-verified',
      'password-stdin',
      'keep-password',
      'invite',
      'json',
    ],
    required: ['email'],
    creates: true,
    run: addAccount,
  },
  list: {
    options: ['unlinked', 'deletion-requested', 'json'],
    reads: true,
    run: (accounts, options) => (options.unlinked ? listUnlinked : list)(accounts, options),
  },
  show: { argument: 'ACCOUNT', options: ['json'], reads: true, run: show },
  disable: {
    argument: 'ACCOUNT',
    options: ['json'],
    run: (accounts, options, who) => setStatus(accounts, options, who, 'disabled'),
  },
  enable: {
    argument: 'ACCOUNT',
    options: ['json'],
    run: (accounts, options, who) => setStatus(accounts, options, who, 'active'),
  },
  delete: {
    argument: 'ACCOUNT',
    options: ['yes'],
    run: (accounts, options, who) => deleteAccount(accounts, who, options.yes ?? false),
  },
  'set-name': {
    argument: 'ACCOUNT',
    options: ['name', 'given', 'family', 'nickname', 'picture', 'profile', 'json'],
    run: setName,
  },
  'set-picture': {
    argument: 'ACCOUNT',
    optionalArgument: 'URL',
    options: ['none', 'json'],
    run: setPicture,
  },
  unlock: { argument: 'ACCOUNT', options: [], run: unlock },
  'set-password': {
    argument: 'ACCOUNT',
    options: ['password-stdin', 'keep-password'],
    run: (accounts, options, who) => setPassword(accounts, who, options['keep-password'] ?? false),
  },
  sessions: { argument: 'ACCOUNT', options: ['json'], reads: true, run: listSessions },
  invite: { argument: 'ACCOUNT', options: [], run: (accounts, _options, who) => invite(accounts, who) },
  'end-sessions': { optionalArgument: 'ACCOUNT', options: ['all'], run: endSessions },
  'remove-second-factor': {
    argument: 'ACCOUNT',
    options: [],
    run: (accounts, _options, who) => removeSecondFactor(accounts, who),
  },
  passkeys: { argument: 'ACCOUNT', options: ['json'], reads: true, run: listPasskeys },
  'remove-passkeys': {
    argument: 'ACCOUNT',
    options: ['passkey'],
    run: (accounts, options, who) => removePasskeys(accounts, who, options.passkey),
  },
  link: {
    argument: 'ACCOUNT',
    options: ['practitioner', 'workspace', 'current-workspace', 'replace', 'json'],
    run: linkAccount,
  },
  unlink: { argument: 'ACCOUNT', options: ['practitioner', 'workspace', 'json'], run: unlinkAccount },
  withdraw: { argument: 'ACCOUNT', options: ['client'], required: ['client'], run: revokeConsent },
  import: { argument: 'FILE.csv', options: ['invite', 'dry-run', 'json'], creates: true, run: importFile },
};

export const accountsCommand: Command = {
  name: 'accounts',
  summary: 'Adds, lists, links, disables, deletes and imports the people who can sign in',
  help: HELP,
  actionHelp: ACTION_HELP,
  async run(args) {
    const { values, positionals } = parseOptions(args, OPTIONS);
    const [name, ...given] = positionals;
    const action = findAction(ACTIONS, name);
    const [argument = ''] = given;
    if (action.argument && given.length === 0) throw new UsageError(`accounts ${name} needs ${action.argument}.`);
    const taken = [action.argument, action.optionalArgument].filter((one) => one !== undefined).length;
    const surplus = given[taken];
    if (surplus !== undefined) throw new UsageError(`accounts ${name} does not take "${surplus}".`);
    const foreign = Object.keys(values).find((option) => !action.options.includes(option as Option));
    if (foreign) throw new UsageError(`accounts ${name} does not take --${foreign}.`);
    const missing = action.required?.filter((option) => values[option] === undefined) ?? [];
    if (missing.length > 0) throw new UsageError(`accounts ${name} needs --${missing.join(' and --')}.`);
    const dryRun = values['dry-run'] ?? false;
    const { reads = false, creates = false } = action;
    await withCurrentDatabase(
      (database, settings) => action.run(openPeople(database, settings), values, argument, given[1] ?? ''),
      { writes: !reads && !dryRun, creates, dryRun },
    );
    return 0;
  },
};

async function setStatus(accounts: People, options: Options, who: string, status: Account['status']): Promise<void> {
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

async function unlock(accounts: People, _options: Options, who: string): Promise<void> {
  const account = await findAccount(accounts, who);
  const unlocked = await accounts.change(account.id, (changes) => changes.unlock(account));
  printNotice(
    unlocked
      ? `${account.login} may sign in again at once.`
      : `${account.login} did not have to wait. A network address that does (limits.addressFailures) is let in again by time alone.`,
  );
}

async function revokeConsent(accounts: People, options: Options, who: string): Promise<void> {
  const { id, login } = await findAccount(accounts, who);
  const client = options.client ?? '';
  if (client === OWN_CLIENT_ID) {
    throw new Refusal(
      `${client} is the service itself, which nobody has to allow anything. See: ${hygie(`accounts show ${id}`)}`,
    );
  }
  if (!(await accounts.change(id, (changes) => changes.revokeConsent(id, client)))) {
    throw new Refusal(
      `${login} has allowed ${client} nothing that could be taken back. See: ${hygie(`accounts show ${id}`)}`,
    );
  }
  printNotice(`${client} holds nothing of ${login} any more; the next sign-in there asks for consent.`);
}

async function importFile(accounts: People, options: Options, file: string): Promise<void> {
  if (options.invite) demandMail(accounts);
  const wanted = await readAccounts(accounts, file);
  if (options['dry-run']) return printNotice('The file is good; nothing was imported.');
  const { created, invited } = await importAccounts(accounts, wanted, options.invite ?? false);
  await accounts.compareNow(created.map(({ id }) => id));
  process.stdout.write(options.json ? json(created) : created.map(({ id, email }) => `${id}\t${email}\n`).join(''));
  await noteMissing(accounts, {
    practitioners: created.flatMap(({ practitioners }) => practitioners),
    workspaces: created.flatMap(({ workspaces }) => workspaces),
  });
  printNotice(`Imported: ${created.length}.`);
  if (options.invite) printNotice(invitedText(created, invited));
}
