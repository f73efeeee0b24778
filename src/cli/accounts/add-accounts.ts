// `accounts add`, `accounts import` and `accounts invite`: add one account, or all accounts of a CSV file, and send invitations. If one
// account of the file has a problem, none is added.

import { readFile } from 'node:fs/promises';
import { CsvError, parse } from 'csv-parse/sync';
import { json } from '#cli/support/output.ts';
import { isSecretHash } from '#shared/crypto/secret-hash.ts';
import { didYouMean } from '#shared/nearest.ts';
import { counted, hygie, printNotice, Refusal, UsageError } from '#shared/operator-messages.ts';
import { present } from '#shared/present.ts';
import { type Account, loginOf, type NewAccount } from '#store/accounts/account-row.ts';
import { EmailTaken, IdOfDeletedAccount } from '#store/accounts/accounts.ts';
import { namesSuffice, readFields, readPasswordHash, readReferences, UUID } from './account-fields.ts';
import { CHANGED_AT_SIGN_IN } from './change-accounts.ts';
import { noteMissing, type References } from './link-accounts.ts';
import type { AddOptions, ImportOptions } from './options.ts';
import type { People } from './people.ts';
import { addressTaken, findAccount } from './show-accounts.ts';

/** Adds the account and prints its UUID. */
export async function addAccount(accounts: People, options: AddOptions): Promise<void> {
  if (!namesSuffice(options)) throw new UsageError('accounts add needs --name, or --given and --family.');
  const problems: string[] = [];
  const account = {
    ...readFields(options, problems),
    emailVerified: options['email-verified'] ?? false,
    practitioners: readReferences(options.practitioner ?? [], 'Practitioner', problems),
    workspaces: readReferences(options.workspace ?? [], 'Organization', problems),
  };
  if (problems.length === 0 && (await accounts.findByEmail(account.email))) problems.push(addressTaken(account.email));
  if (problems.length > 0) throw new Refusal(problems);
  checkPasswordOptions(accounts, options);
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
      printNotice(`${account.email} has no password yet: ${hygie`accounts set-password ${created.id}`}`);
    else if (created.passwordChangeRequired) printNotice(CHANGED_AT_SIGN_IN);
  } catch (error) {
    if (error instanceof EmailTaken) throw new Refusal(addressTaken(account.email));
    throw error;
  }
}

function checkPasswordOptions(accounts: People, options: AddOptions): void {
  if (options['keep-password'] && !options['password-stdin']) {
    throw new UsageError('accounts add takes --keep-password with --password-stdin only.');
  }
  if (!options.invite) return;
  if (options['password-stdin']) throw new UsageError('accounts add takes either --invite or --password-stdin.');
  demandMail(accounts);
}

const COLUMNS = [
  'email',
  'name',
  'given',
  'family',
  'nickname',
  'picture',
  'profile',
  'practitioners',
  'workspaces',
  'emailVerified',
  'id',
  'passwordHash',
] as const;
type Column = (typeof COLUMNS)[number];
/** The non-empty cells of one line, by the name of their column. */
type Cells = Readonly<Partial<Record<Column, string>>>;

interface CsvRecord {
  /** The line of the file on which the record begins. The first line is 1. */
  line: number;
  cells: readonly string[];
}

/** Adds the accounts of a file. With `dry-run`, it only checks the file. */
export async function importFile(accounts: People, options: ImportOptions, file: string): Promise<void> {
  if (options.invite) demandMail(accounts);
  const wanted = await readAccounts(accounts, file);
  if (options['dry-run']) {
    await noteMissingOf(accounts, wanted);
    return printNotice('The file is good; nothing was imported.');
  }
  const { created, invited } = await importAccounts(accounts, wanted, options.invite ?? false);
  await accounts.compareNow(created.map(({ id }) => id));
  process.stdout.write(options.json ? json(created) : created.map(({ id, email }) => `${id}\t${email}\n`).join(''));
  await noteMissingOf(accounts, created);
  printNotice(`Imported: ${created.length}.`);
  if (options.invite) printNotice(invitedText(created, invited));
}

function noteMissingOf(accounts: People, linked: readonly References[]) {
  return noteMissing(accounts, {
    practitioners: linked.flatMap(({ practitioners = [] }) => practitioners),
    workspaces: linked.flatMap(({ workspaces = [] }) => workspaces),
  });
}

/** An account of a file. It always has an e-mail address. */
type ReadAccount = NewAccount & { email: string };

/** Reads the accounts of the file, and checks all of them before anything is written. Throws a `Refusal` that names every problem. */
async function readAccounts(accounts: People, file: string): Promise<ReadAccount[]> {
  const [head, ...rows] = readRecords(await readText(file), file);
  const problems: string[] = [];
  if (!head) throw new Refusal(`${file} has no line of column names. Write: email,name`);
  const names = columnNames(head, file, problems);

  const seen = new Map<string, number>();
  const wanted: ReadAccount[] = [];
  for (const row of rows) {
    const own: string[] = [];
    if (row.cells.length !== head.cells.length) {
      own.push(`Has ${row.cells.length} cells, the line of column names has ${head.cells.length}.`);
    } else if (names) {
      const account = accountOf(cellsOf(names, row), own);
      own.push(...repetitions(seen, account, row.line));
      if (own.length === 0) own.push(...(await takenProblems(accounts, account)));
      wanted.push(account);
    }
    problems.push(...own.map((problem) => `${file}:${row.line} ${problem}`));
  }
  if (rows.length === 0 && problems.length === 0) problems.push(`${file} has no account below its column names.`);
  if (problems.length > 0)
    throw new Refusal([...problems, `Nothing was imported: ${counted(problems.length, 'fault')}.`]);
  return wanted;
}

/** Names the e-mail address and the id if an earlier line has them too. `seen` has the line of each address and id. */
function repetitions(seen: Map<string, number>, { email, id }: ReadAccount, line: number): string[] {
  return [email.toLowerCase(), ...(id ? [id] : [])].flatMap((key) => {
    const before = seen.get(key);
    if (before !== undefined) return [`"${key}" stands in line ${before} too. Keep one of them.`];
    seen.set(key, line);
    return [];
  });
}

/**
 * Creates all the wanted accounts in one transaction, or none. With `invite`, each person without a password gets an invitation. Returns
 * the accounts and the number of invitations.
 */
async function importAccounts(accounts: People, wanted: readonly NewAccount[], invite: boolean) {
  try {
    return await accounts.change(undefined, async (changes) => {
      const created = await changes.create(wanted);
      await changes.record('account.imported', undefined, { accounts: created.length });
      const without = invite ? created.filter(({ hasPassword }) => !hasPassword) : [];
      await changes.inviteNew(without);
      return { created, invited: without.length };
    });
  } catch (error) {
    // Somebody has created an account with the same e-mail address since the file was checked, or the file gives an account the UUID of a
    // deleted account. The check of the file looks only at existing accounts.
    if (error instanceof EmailTaken || error instanceof IdOfDeletedAccount) {
      throw new Refusal(`${error.message}. Nothing was imported.`);
    }
    throw error;
  }
}

/** Parses the text into records (RFC 4180; comma or semicolon). The first record holds the column names. Empty lines are skipped. */
function readRecords(text: string, file: string): CsvRecord[] {
  const [head = ''] = text.split('\n', 1);
  const delimiter = head.split(';').length > head.split(',').length ? ';' : ',';
  try {
    const options = {
      delimiter,
      bom: true,
      info: true,
      relaxColumnCount: true,
      relaxQuotes: true,
      skipEmptyLines: true,
    };
    const records = parse(text, options) as unknown as { record: string[]; info: { lines: number } }[];
    // `info.lines` is the line on which the record ends. A quoted cell may hold several lines, so the line on which the record begins is
    // computed from its cells.
    const begin = (cells: string[], end: number) => end + 1 - cells.join('').split('\n').length;
    return records.map(({ record, info }) => ({ line: begin(record, info.lines), cells: record }));
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const remedy = 'Close each quotation mark, and double those inside a cell.';
    throw new Refusal(`${file}:${error['lines']} ${error.message}. ${remedy} Nothing was imported.`);
  }
}

async function readText(file: string): Promise<string> {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(file));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA')
      throw new Refusal(`${file} is not UTF-8 text. Save it as CSV UTF-8.`);
    throw new Refusal(`${file} cannot be read (${code ?? 'unknown error'}).`);
  }
}

function columnNames(head: CsvRecord, file: string, problems: string[]): Column[] | undefined {
  const before = problems.length;
  const names = head.cells.map((cell) => {
    const found = COLUMNS.find((column) => column.toLowerCase() === cell.trim().replaceAll('_', '').toLowerCase());
    if (!found) {
      const remedy = didYouMean(cell.trim(), COLUMNS, `Known columns: ${COLUMNS.join(', ')}.`);
      problems.push(`${file}:${head.line} Unknown column "${cell.trim().slice(0, 40)}". ${remedy}`);
    }
    return found;
  });
  if (!names.includes('email')) problems.push(`${file}:${head.line} The column "email" is missing. Add it.`);
  if (!names.includes('name') && !(names.includes('given') && names.includes('family'))) {
    problems.push(`${file}:${head.line} The column "name" is missing. Add it, or "given" and "family".`);
  }
  const twice = names.find((name, index) => name !== undefined && names.indexOf(name) !== index);
  if (twice) problems.push(`${file}:${head.line} The column "${twice}" stands twice. Keep one.`);
  return problems.length === before ? (names as Column[]) : undefined;
}

function cellsOf(names: readonly Column[], row: CsvRecord): Cells {
  return present(Object.fromEntries(names.map((name, index) => [name, row.cells[index]?.trim() || undefined])));
}

function accountOf(cells: Cells, problems: string[]): ReadAccount {
  const { id, emailVerified = 'false', passwordHash, practitioners = '', workspaces = '', ...fields } = cells;
  const several = (text: string) => text.split(/[\s|]+/).filter(Boolean);
  if (id !== undefined && !UUID.test(id)) problems.push('The id is no UUID. Leave it empty for a new one.');
  if (!/^(true|false|yes|no|1|0)$/i.test(emailVerified)) problems.push('emailVerified is neither true nor false.');
  if (passwordHash !== undefined && !isSecretHash(passwordHash)) {
    problems.push(
      `passwordHash is no scrypt hash (its value is not shown). Leave it empty, and then: ${hygie('accounts set-password EMAIL')}`,
    );
  }
  if (!namesSuffice(fields)) problems.push('The name is empty. Write name, or given and family.');
  return {
    ...readFields(fields, problems),
    emailVerified: /^(true|yes|1)$/i.test(emailVerified),
    practitioners: readReferences(several(practitioners), 'Practitioner', problems),
    workspaces: readReferences(several(workspaces), 'Organization', problems),
    ...present({ id: id?.toLowerCase(), passwordHash }),
  };
}

async function takenProblems(accounts: People, account: ReadAccount): Promise<string[]> {
  const problems: string[] = [];
  if (await accounts.findByEmail(account.email))
    problems.push(`"${account.email}" has an account already. Remove the line.`);
  if (account.id && (await accounts.find(account.id))) problems.push(`The id ${account.id} is taken. Leave it empty.`);
  return problems;
}

/** Throws a `Refusal` if the service is not configured to send mails. Commands call it before they write anything. */
function demandMail(accounts: People): void {
  if (accounts.sendsMail) return;
  throw new Refusal([
    'No invitation can be sent: service.yaml names no mail server.',
    `Remedy: set mail there and try it with ${hygie('mail test --to YOUR-ADDRESS')}, or set passwords with --password-stdin.`,
  ]);
}

/** Sends an invitation, even if one was sent before. */
export async function invite(accounts: People, who: string): Promise<void> {
  demandMail(accounts);
  const account = await findAccount(accounts, who);
  if (account.status === 'disabled') {
    throw new Refusal(`${account.login} is disabled. See: ${hygie`accounts enable ${account.id}`}`);
  }
  if (account.hasPassword) {
    const remedy = 'A person who has forgotten it can ask for a new one on the sign-in page.';
    throw new Refusal(`${account.login} has a password already. ${remedy}`);
  }
  if (!(await accounts.change(account.id, (changes) => changes.invite(account)))) {
    throw new Refusal(`${account.login} was sent ten invitations within a day. Try again tomorrow.`);
  }
  printNotice(invitationText(account.login));
}

/** Says how many of the imported accounts were invited, and how many were not, because they have a password. */
function invitedText(created: readonly Account[], invited: number): string {
  const left = created.length - invited;
  return `Invited: ${invited}; the service sends the mails.${left > 0 ? ` Not invited, because they have a password: ${left}.` : ''}`;
}

/** Text to print once an invitation is in the queue. */
function invitationText(email: string): string {
  return `An invitation to ${email} is in the queue: the service sends it as soon as it runs.`;
}
