// Measures sign-ins with a password, from the authorization request to the callback, and what they cost in processor time:
// nearly all of it is the hash, by intention. Linux only, where a process's time can be read.

import { readFileSync } from 'node:fs';
import { DEMO_ACCOUNTS, DEMO_PASSWORD } from '#seeds/demo-accounts.ts';
import { PASSWORD_COST } from '#shared/crypto/secret-hash.ts';
import { createPerson } from '#support/person.ts';
import { authorization, FULL_SCOPE } from '#tools/site/access.ts';
import type { Running } from '#tools/site/processes.ts';

/** Clock ticks per second in /proc, on every Linux of today. */
const TICKS = 100;

/** Prints sign-ins per second, and per second of one core's time. */
export async function printPasswordLogins({ address, pid }: Running, seconds: number, parallel: number): Promise<void> {
  const login = { login: DEMO_ACCOUNTS[0]?.email ?? '', password: DEMO_PASSWORD };
  const signIn = () => createPerson(address).signIn(authorization(address, '/authorize', FULL_SCOPE), login);
  await signIn();
  const started = performance.now();
  const before = processorTime(pid);
  let count = 0;
  const person = async () => {
    while (performance.now() < started + seconds * 1000) {
      await signIn();
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: parallel }, person));
  const rate = count / ((performance.now() - started) / 1000);
  const used = processorTime(pid) - before;
  const { log2N, r, p } = PASSWORD_COST;
  process.stdout.write(
    `password sign-ins at scrypt N=2^${log2N} r=${r} p=${p}, ${parallel} people at a time\n` +
      `  ${rate.toFixed(1)}/s in all, ${(count / used).toFixed(1)} per second of one core\n\n`,
  );
}

/** Seconds that all threads of a process have run. */
function processorTime(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  // utime and stime are fields 14 and 15 of proc(5); the first two are cut off above.
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}
