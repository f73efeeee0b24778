// Owns `accounts import`: a CSV file -> accounts, all of them or none, with every fault and its line.
// Does not own CSV (`csv.ts`) nor the fields (`account-fields.ts`).

import { readFile } from 'node:fs/promises';
import { isSecretHash } from '../../shared/crypto/secret-hash.ts';
import { nearest } from '../../shared/nearest.ts';
import { Refusal } from '../../shared/operator-errors.ts';
import { type Account, type Accounts, EmailTaken, type NewAccount } from '../../store/accounts/accounts.ts';
import { type Faults, readEmail, readName, readPicture, readReferences, UUID } from './account-fields.ts';
import { type CsvRecord, parseCsv } from './csv.ts';

const COLUMNS = [
  'email',
  'name',
  'nickname',
  'picture',
  'practitioners',
  'workspaces',
  'emailVerified',
  'id',
  'passwordHash',
] as const;
type Column = (typeof COLUMNS)[number];
type Cells = Readonly<Record<Column, string>>;

/**
 * Creates all accounts of the file or none; with `dryRun` only checks. Everything is checked before anything is written: a
 * `Refusal` names every fault.
 */
export async function importAccounts(accounts: Accounts, file: string, dryRun: boolean): Promise<Account[]> {
  const { records, fault } = parseCsv(await readText(file));
  const faults: string[] = [];
  if (fault) faults.push(`${file}:${fault.line} ${fault.problem} Close it, or double it inside a cell.`);
  const [head, ...rows] = records;
  if (!head) throw new Refusal(`${file} has no line of column names. Write: email,name`);
  const names = columnNames(head, file, faults);

  const seen = new Map<string, number>();
  const wanted: NewAccount[] = [];
  for (const row of rows) {
    const own: Faults = [];
    if (row.cells.length !== head.cells.length) {
      own.push(`Has ${row.cells.length} cells, the line of column names has ${head.cells.length}.`);
    } else if (names) {
      const account = accountOf(cellsOf(names, row), own);
      for (const key of [account.email.toLowerCase(), ...(account.id ? [account.id] : [])]) {
        const before = seen.get(key);
        if (before === undefined) seen.set(key, row.line);
        else own.push(`"${key}" stands in line ${before} too. Keep one of them.`);
      }
      if (own.length === 0) own.push(...(await takenFaults(accounts, account)));
      wanted.push(account);
    }
    faults.push(...own.map((problem) => `${file}:${row.line} ${problem}`));
  }
  if (rows.length === 0 && faults.length === 0) faults.push(`${file} has no account below its column names.`);
  if (faults.length > 0) throw new Refusal([...faults, `Nothing was imported: ${faults.length} fault(s).`]);
  if (dryRun) return [];
  try {
    return await accounts.create(wanted);
  } catch (error) {
    // Created by somebody else since it was looked up.
    if (error instanceof EmailTaken) throw new Refusal(`${error.message}. Nothing was imported.`);
    throw error;
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

function columnNames(head: CsvRecord, file: string, faults: string[]): Column[] | undefined {
  const before = faults.length;
  const names = head.cells.map((cell) => {
    const found = COLUMNS.find((column) => column.toLowerCase() === cell.trim().replaceAll('_', '').toLowerCase());
    if (!found) {
      const near = nearest(cell.trim(), COLUMNS);
      const remedy = near ? `Did you mean "${near}"?` : `Known columns: ${COLUMNS.join(', ')}.`;
      faults.push(`${file}:${head.line} Unknown column "${cell.trim().slice(0, 40)}". ${remedy}`);
    }
    return found;
  });
  for (const needed of ['email', 'name'] as const) {
    if (!names.includes(needed)) faults.push(`${file}:${head.line} The column "${needed}" is missing. Add it.`);
  }
  const twice = names.find((name, place) => name !== undefined && names.indexOf(name) !== place);
  if (twice) faults.push(`${file}:${head.line} The column "${twice}" stands twice. Keep one.`);
  return faults.length === before ? (names as Column[]) : undefined;
}

function cellsOf(names: readonly Column[], row: CsvRecord): Cells {
  const empty = Object.fromEntries(COLUMNS.map((column) => [column, ''])) as Record<Column, string>;
  for (const [place, name] of names.entries()) empty[name] = row.cells[place]?.trim() ?? '';
  return empty;
}

function accountOf(cells: Cells, faults: Faults): NewAccount {
  const several = (text: string) => text.split(/[\s|]+/).filter(Boolean);
  if (cells.id !== '' && !UUID.test(cells.id)) faults.push('The id is no UUID. Leave it empty for a new one.');
  if (!/^(|true|false|yes|no|1|0)$/i.test(cells.emailVerified)) faults.push('emailVerified is neither true nor false.');
  if (cells.passwordHash !== '' && !isSecretHash(cells.passwordHash)) {
    faults.push(
      'passwordHash is no scrypt hash (its value is not shown). Leave it empty and use `accounts set-password`.',
    );
  }
  return {
    email: readEmail(cells.email, faults),
    name: readName(cells.name, 'name', faults),
    emailVerified: /^(true|yes|1)$/i.test(cells.emailVerified),
    practitioners: readReferences(several(cells.practitioners), 'Practitioner', faults),
    workspaces: readReferences(several(cells.workspaces), 'Organization', faults),
    ...(cells.nickname && { nickname: readName(cells.nickname, 'nickname', faults) }),
    ...(cells.picture && { picture: readPicture(cells.picture, faults) }),
    ...(cells.id && { id: cells.id.toLowerCase() }),
    ...(cells.passwordHash && { passwordHash: cells.passwordHash }),
  };
}

async function takenFaults(accounts: Accounts, account: NewAccount): Promise<string[]> {
  const faults: string[] = [];
  if (await accounts.findByEmail(account.email))
    faults.push(`"${account.email}" has an account already. Remove the line.`);
  if (account.id && (await accounts.find(account.id))) faults.push(`The id ${account.id} is taken. Leave it empty.`);
  return faults;
}
