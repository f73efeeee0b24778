// Reads the fields of an account from what an operator writes in options and CSV files. A password is read from standard input only.

import { PASSWORD_PROBLEM_TEXTS, passwordProblems } from '#shared/crypto/password-rules.ts';
import { hashSecret } from '#shared/crypto/secret-hash.ts';
import { hasInvisible, isEmailAddress, LONGEST_NAME, type NameProblem, nameProblem, tidyName } from '#shared/names.ts';
import { Refusal } from '#shared/operator-messages.ts';
import { present } from '#shared/present.ts';
import type { NewAccount } from '#store/accounts/account-row.ts';

// Pattern of a FHIR id.
const FHIR_ID = /^[A-Za-z0-9.-]{1,64}$/;
export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

/**
 * Reads an e-mail address, without the spaces around it. Adds each problem to `problems` as one sentence that also says how to correct the
 * address.
 */
export function readEmail(text: string, problems: string[]): string {
  const email = text.trim();
  if (hasInvisible(email)) problems.push(`The e-mail address ${NAME_PROBLEMS.invisible}`);
  else if (!isEmailAddress(email)) problems.push(`"${shown(email)}" is no e-mail address. Write name@host.example.`);
  return email;
}

export function readName(text: string, field: string, problems: string[]): string {
  const name = tidyName(text);
  const problem = nameProblem(name);
  if (problem) problems.push(`The ${field} ${NAME_PROBLEMS[problem]}`);
  return name;
}

const NAME_PROBLEMS: Readonly<Record<NameProblem, string>> = {
  empty: 'is empty. Write at least one letter.',
  'too-long': `has more than ${LONGEST_NAME} characters. Shorten it.`,
  invisible: 'holds a control character, or another one that cannot be seen. Remove it.',
};

/** The fields of a new account, as an operator gives them. */
type GivenFields = {
  readonly [Field in 'email' | 'name' | 'given' | 'family' | 'nickname' | 'picture' | 'profile']?: string | undefined;
};

/** Checks that there is a full name, or a given and a family name. */
export function namesSuffice({ name, given, family }: GivenFields): boolean {
  return name !== undefined || (given !== undefined && family !== undefined);
}

/** Reads the fields of a new account. If the full name is missing, it is composed of the given and the family name. */
export function readFields(fields: GivenFields, problems: string[]) {
  const read = (field: keyof GivenFields, title: string, reader = readName) =>
    fields[field] === undefined ? undefined : reader(fields[field], title, problems);
  const email = readEmail(fields.email ?? '', problems);
  const [given, family] = [read('given', 'given name'), read('family', 'family name')];
  const name = read('name', 'name') ?? [given, family].filter(Boolean).join(' ');
  const nickname = read('nickname', 'nickname');
  const picture = read('picture', 'picture', readAddress);
  return present({ email, name, given, family, nickname, picture, profile: read('profile', 'profile', readAddress) });
}

/** Reads an https address. `field` names the field in messages. */
export function readAddress(text: string, field: string, problems: string[]): string {
  const url = URL.parse(text.trim());
  if (url?.protocol === 'https:' && url.username === '' && url.href.length <= 2000) return url.href;
  problems.push(`The ${field} "${shown(text)}" is no https address. Write https://...`);
  return text;
}

/** Reads ids of directory records, with or without `Practitioner/` or `Organization/` before them. */
export function readReferences(
  texts: readonly string[],
  type: 'Practitioner' | 'Organization',
  problems: string[],
): string[] {
  const ids = texts.map((text) => {
    const id = text.trim().replace(new RegExp(`^${type}/`), '');
    if (!FHIR_ID.test(id)) problems.push(`"${shown(text)}" is no id of a ${type}. Write ID or ${type}/ID.`);
    return id;
  });
  return [...new Set(ids)];
}

function shown(text: string): string {
  return text.slice(0, 80).replace(/\p{Cc}/gu, '?');
}

const LARGEST_INPUT = 10_000;

/**
 * Reads a password from standard input (one line) and returns its hash. On a terminal, the typed characters are not shown. Throws a
 * `Refusal` if the password breaks the rules for passwords.
 */
export async function readPasswordHash(owner: Pick<NewAccount, 'email' | 'name'>): Promise<string> {
  const password = process.stdin.isTTY ? await typedUnseen() : await piped();
  const problems = await passwordProblems(password, owner);
  if (problems.length > 0) throw new Refusal(problems.map((problem) => PASSWORD_PROBLEM_TEXTS[problem]));
  return hashSecret(password);
}

async function piped(): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > LARGEST_INPUT) throw new Refusal('Standard input holds more than a password. Give one line.');
  }
  const text = Buffer.concat(chunks).toString('utf8');
  const password = text.replace(/\r?\n$/, '');
  if (/[\r\n]/.test(password)) throw new Refusal('Standard input holds more than one line. Give one line.');
  return password;
}

function typedUnseen(): Promise<string> {
  process.stderr.write('Password (not shown): ');
  process.stdin.setRawMode(true);
  process.stdin.setEncoding('utf8');
  return new Promise((resolve, reject) => {
    let typed = '';
    const end = (settle: () => void) => {
      process.stdin.setRawMode(false);
      process.stdin.pause();
      process.stdin.off('data', read);
      process.stderr.write('\n');
      settle();
    };
    const read = (keys: string) => {
      for (const key of keys) {
        if (key === '\r' || key === '\n') return end(() => resolve(typed));
        if (key === '\u0003') return end(() => reject(new Refusal('Interrupted: nothing was changed.')));
        typed = key === '\u007f' || key === '\b' ? typed.slice(0, -1) : typed + key;
      }
    };
    process.stdin.on('data', read);
  });
}
