// Reads a password from standard input, never from the command line.

import { PASSWORD_PROBLEM_TEXTS, passwordProblems } from '#shared/crypto/password-rules.ts';
import { hashSecret } from '#shared/crypto/secret-hash.ts';
import { Refusal } from '#shared/operator-errors.ts';
import type { NewAccount } from '#store/accounts/account-row.ts';

const LARGEST_INPUT = 10_000;

/** Reads one line from standard input (typed unseen on a terminal) and hashes it. A bad password is a `Refusal`. */
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
