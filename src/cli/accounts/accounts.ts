// `hygie accounts`: an operator adds, links, disables and imports the accounts of people who can sign in.

import { OWN_CLIENT_ID } from '../../config/own-client.ts';
import { withCurrentDatabase } from '../../server/open-database.ts';
import { Refusal, UsageError } from '../../shared/operator-errors.ts';
import { printNotice } from '../../shared/print-notice.ts';
import type { Account, NewAccount } from '../../store/accounts/account-row.ts';
import { EmailTaken } from '../../store/accounts/accounts.ts';
import { type Command, findAction, parseOptions } from '../support/command.ts';
import { openPeople, type People, UNLOCKED } from './account-actions.ts';
import { readEmail, readName, readPicture, readReferences } from './account-fields.ts';
import type { References } from './directory-references.ts';
import { endSessions } from './end-sessions.ts';
import { findAccount, json, list, show } from './find-accounts.ts';
import { importAccounts } from './import-csv.ts';
import { readPasswordHash } from './read-password.ts';
import { removeSecondFactor } from './second-factor.ts';
import { CHANGED_AT_SIGN_IN, setPassword } from './set-password.ts';

const OPTIONS = {
  email: { type: 'string' },
  name: { type: 'string' },
  nickname: { type: 'string' },
  picture: { type: 'string' },
  practitioner: { type: 'string', multiple: true },
  workspace: { type: 'string', multiple: true },
  'current-workspace': { type: 'string' },
  'email-verified': { type: 'boolean' },
  'password-stdin': { type: 'boolean' },
  'keep-password': { type: 'boolean' },
  all: { type: 'boolean' },
  replace: { type: 'boolean' },
  'dry-run': { type: 'boolean' },
  client: { type: 'string' },
  json: { type: 'boolean' },
} as const;

type Options = ReturnType<typeof parseOptions<typeof OPTIONS>>['values'];
type Option = keyof typeof OPTIONS;

interface Action {
  /** Name of its one argument, where it has one; one that may be left out is ''. */
  argument?: string;
  optionalArgument?: string;
  options: readonly Option[];
  /** Those of the options that have to be given. */
  required?: readonly Option[];
  /** Changes nothing. */
  reads?: boolean;
  run(accounts: People, options: Options, argument: string): Promise<void>;
}

const ACTIONS: Readonly<Record<string, Action>> = {
  add: {
    options: [
      'email',
      'name',
      'nickname',
      'picture',
      'practitioner',
      'workspace',
      'email-verified',
      'password-stdin',
      'keep-password',
      'json',
    ],
    required: ['email', 'name'],
    run: add,
  },
  list: { options: ['json'], reads: true, run: (accounts, options) => list(accounts, options) },
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
  unlock: { argument: 'ACCOUNT', options: [], run: unlock },
  'set-password': {
    argument: 'ACCOUNT',
    options: ['password-stdin', 'keep-password'],
    run: (accounts, options, who) => setPassword(accounts, who, options['keep-password'] ?? false),
  },
  'end-sessions': { optionalArgument: 'ACCOUNT', options: ['all'], run: endSessions },
  'remove-second-factor': {
    argument: 'ACCOUNT',
    options: [],
    run: (accounts, _options, who) => removeSecondFactor(accounts, who),
  },
  link: {
    argument: 'ACCOUNT',
    options: ['practitioner', 'workspace', 'current-workspace', 'replace', 'json'],
    run: link,
  },
  withdraw: { argument: 'ACCOUNT', options: ['client'], required: ['client'], run: revokeConsent },
  import: { argument: 'FILE.csv', options: ['dry-run', 'json'], run: importFile },
};

export const accountsCommand: Command = {
  name: 'accounts',
  summary: 'Adds, lists, links, disables and imports the people who can sign in',
  help: `
Usage: hygie accounts add --email E --name N [--practitioner ID]... [--workspace ID]... [--password-stdin [--keep-password]]
                          [--nickname N] [--picture URL] [--email-verified] [--json]
       hygie accounts list [--json]
       hygie accounts show ACCOUNT [--json]
       hygie accounts disable ACCOUNT        no sign-in any more; sessions and tokens end at once
       hygie accounts enable ACCOUNT
       hygie accounts unlock ACCOUNT         ends the pause after failed sign-ins, wrong codes too; so do
                                             enable and the next two
       hygie accounts set-password ACCOUNT [--keep-password]   the password comes from standard input
       hygie accounts end-sessions ACCOUNT | --all   signs a person, or everybody, out everywhere
       hygie accounts remove-second-factor ACCOUNT   after the phone was lost, with all recovery codes
       hygie accounts link ACCOUNT [--practitioner ID]... [--workspace ID]... [--current-workspace ID] [--replace]
       hygie accounts withdraw ACCOUNT --client ID   takes back what the person allowed an application (clients.yaml)
       hygie accounts import FILE.csv [--dry-run] [--json]

ACCOUNT is the UUID or the e-mail address. ID is an id of the directory: 810000000001 or Practitioner/810000000001.

add        prints the account's UUID. Without --password-stdin the account has no password and cannot sign in yet.
--keep-password
           of add and set-password: without it the person has to choose another password at the first sign-in with the one
           that you set. For accounts of tests and machines alone: whoever set it knows it.
end-sessions
           ends all sessions and tokens, refresh tokens too, and notifies the applications; the password stays good.
withdraw   ends all tokens that the application holds for the person, and asks for consent at the next sign-in.
remove-second-factor
           ends sessions and tokens, too. The next sign-in asks for the password alone; where a second factor is demanded
           (secondFactor in service.yaml and clients.yaml, or by the application) another one is set up there. Whoever
           knows the password can do that: be sure who asks, and set a new one if others may know it.
link       adds to what the account is linked to; --replace puts the given ids in place of those of the same kind.
import     one account per line, all or none: every problem is named with its line. Column names stand in the first line:
           email, name; and as wanted nickname, picture, practitioners, workspaces (several ids: spaces between),
           emailVerified (true or false), id (UUID), passwordHash (as another Hygie stored it). Comma or semicolon, UTF-8.

Passwords are read from standard input, unseen on a terminal, and never stand on the command line:
  printf %s "$PASSWORD" | npm run -s hygie -- accounts add --email e@clinic.example --name "N" --password-stdin`,
  async run(args) {
    const { values, positionals } = parseOptions(args, OPTIONS);
    const [name, argument, ...more] = positionals;
    const action = findAction(ACTIONS, name);
    if (action.argument && argument === undefined) throw new UsageError(`accounts ${name} needs ${action.argument}.`);
    const surplus = action.argument || action.optionalArgument ? more[0] : argument;
    if (surplus !== undefined) throw new UsageError(`accounts ${name} does not take "${surplus}".`);
    const foreign = Object.keys(values).find((option) => !action.options.includes(option as Option));
    if (foreign) throw new UsageError(`accounts ${name} does not take --${foreign}.`);
    const missing = action.required?.filter((option) => values[option] === undefined) ?? [];
    if (missing.length > 0) throw new UsageError(`accounts ${name} needs --${missing.join(' and --')}.`);
    const writes = !action.reads && !values['dry-run'];
    await withCurrentDatabase(
      (database, settings) => action.run(openPeople(database, settings), values, argument ?? ''),
      { writes },
    );
    return 0;
  },
};

async function add(accounts: People, options: Options): Promise<void> {
  const problems: string[] = [];
  const account: NewAccount = {
    email: readEmail(options.email ?? '', problems),
    name: readName(options.name ?? '', 'name', problems),
    emailVerified: options['email-verified'] ?? false,
    practitioners: readReferences(options.practitioner ?? [], 'Practitioner', problems),
    workspaces: readReferences(options.workspace ?? [], 'Organization', problems),
    ...(options.nickname !== undefined && { nickname: readName(options.nickname, 'nickname', problems) }),
    ...(options.picture !== undefined && { picture: readPicture(options.picture, problems) }),
  };
  if (problems.length === 0 && (await accounts.findByEmail(account.email))) problems.push(taken(account.email));
  if (problems.length > 0) throw new Refusal(problems);
  if (options['keep-password'] && !options['password-stdin']) {
    throw new UsageError('accounts add takes --keep-password with --password-stdin only.');
  }
  const chosen = { passwordChangeRequired: !options['keep-password'] };
  const password = options['password-stdin'] && { ...chosen, passwordHash: await readPasswordHash(account) };
  try {
    const [created] = await accounts.create([{ ...account, ...password }]);
    if (!created) return;
    await accounts.record('account.added', created.id, { email: created.email });
    process.stdout.write(options.json ? json(created) : `${created.id}\n`);
    await noteMissing(accounts, created);
    if (!password)
      printNotice(`${created.email} has no password yet: npm run -s hygie -- accounts set-password ${created.id}`);
    else if (created.passwordChangeRequired) printNotice(CHANGED_AT_SIGN_IN);
  } catch (error) {
    if (error instanceof EmailTaken) throw new Refusal(taken(account.email));
    throw error;
  }
}

async function setStatus(accounts: People, options: Options, who: string, status: Account['status']): Promise<void> {
  const { id, email } = await findAccount(accounts, who);
  const account = await accounts.update(id, { status });
  await accounts.record(status === 'disabled' ? 'account.disabled' : 'account.enabled', id);
  const unlocked = status === 'active' && (await accounts.unlock({ id, email }));
  if (account && options.json) process.stdout.write(json(account));
  printNotice(`${email} is ${status}.${unlocked ? UNLOCKED : ''}`);
}

async function unlock(accounts: People, _options: Options, who: string): Promise<void> {
  const account = await findAccount(accounts, who);
  const unlocked = await accounts.unlock(account);
  printNotice(
    unlocked
      ? `${account.email} may sign in again at once.`
      : `${account.email} did not have to wait. A network address that does (limits.addressFailures) is let in again by time alone.`,
  );
}

async function link(accounts: People, options: Options, who: string): Promise<void> {
  const { practitioner, workspace, replace = false } = options;
  const current = options['current-workspace'];
  if (!practitioner && !workspace && current === undefined) {
    throw new UsageError('accounts link needs --practitioner, --workspace or --current-workspace.');
  }
  const problems: string[] = [];
  const account = await findAccount(accounts, who);
  const merged = (before: string[], given: string[] | undefined, type: 'Practitioner' | 'Organization') => {
    if (!given) return before;
    const ids = readReferences(given, type, problems);
    return replace ? ids : [...new Set([...before, ...ids])];
  };
  const practitioners = merged(account.practitioners, practitioner, 'Practitioner');
  const workspaces = merged(account.workspaces, workspace, 'Organization');
  const wanted =
    current === undefined ? account.currentWorkspace : readReferences([current], 'Organization', problems)[0];
  const belongs = wanted !== undefined && workspaces.includes(wanted);
  if (current !== undefined && !belongs && problems.length === 0) {
    problems.push(`Organization/${wanted} is none of the account's workspaces. Add it with --workspace.`);
  }
  if (problems.length > 0) throw new Refusal(problems);
  const currentWorkspace = belongs ? wanted : workspaces[0];
  const updated = await accounts.update(account.id, {
    practitioners,
    workspaces,
    ...(currentWorkspace !== undefined && { currentWorkspace }),
  });
  await accounts.record('account.linked', account.id, {
    practitioners,
    workspaces,
    ...(currentWorkspace !== undefined && { currentWorkspace }),
  });
  if (updated && options.json) process.stdout.write(json(updated));
  await noteMissing(accounts, {
    practitioners: added(practitioners, account.practitioners),
    workspaces: added(workspaces, account.workspaces),
  });
  printNotice(`${account.email}: ${practitioners.length} practitioner(s), ${workspaces.length} workspace(s).`);
}

async function revokeConsent(accounts: People, options: Options, who: string): Promise<void> {
  const { id, email } = await findAccount(accounts, who);
  const client = options.client ?? '';
  if (client === OWN_CLIENT_ID) {
    throw new Refusal(
      `${client} is the service itself, which nobody has to allow anything. See: npm run -s hygie -- accounts show ${id}`,
    );
  }
  if (!(await accounts.revokeConsent(id, client))) {
    throw new Refusal(
      `${email} has allowed ${client} nothing that could be taken back. See: npm run -s hygie -- accounts show ${id}`,
    );
  }
  printNotice(`${client} holds nothing of ${email} any more; the next sign-in there asks for consent.`);
}

async function importFile(accounts: People, options: Options, file: string): Promise<void> {
  const created = await importAccounts(accounts, file, options['dry-run'] ?? false);
  if (options['dry-run']) return printNotice('The file is good; nothing was imported.');
  await accounts.record('account.imported', undefined, { accounts: created.length });
  process.stdout.write(options.json ? json(created) : created.map(({ id, email }) => `${id}\t${email}\n`).join(''));
  await noteMissing(accounts, {
    practitioners: created.flatMap(({ practitioners }) => practitioners),
    workspaces: created.flatMap(({ workspaces }) => workspaces),
  });
  printNotice(`Imported: ${created.length}.`);
}

function added(after: readonly string[], before: readonly string[]): string[] {
  return after.filter((id) => !before.includes(id));
}

const NAMED = 10;

// Not refused: the edition that holds them may be on its way.
async function noteMissing(accounts: People, references: References): Promise<void> {
  const missing = await accounts.missingInDirectory(references);
  for (const reference of missing.slice(0, NAMED)) printNotice(`Note: the directory has no ${reference}`);
  if (missing.length > NAMED) printNotice(`Note: nor ${missing.length - NAMED} others that were given`);
}

function taken(email: string): string {
  return `"${email}" has an account already. See: npm run -s hygie -- accounts show ${email}`;
}
