// `npm run bench`: the sign-in half, identifier searches and public documents beside a reference; sign-ins with a password; pauses.
//
// Neither side is spared anything: the service writes its log and its security headers, and runs with the memory of `npm start`; the
// reference answers the same claims. The load, PostgreSQL and V8's collecting threads share the cores with both, so the ratios
// hold for a machine on which nothing else runs.

import { PASSWORD_COST } from '#shared/crypto/secret-hash.ts';
import { ENGINES, type Engine } from '#support/databases.ts';
import { signIn } from '#tools/site/access.ts';
import { type Compared, printCompared } from '#tools/site/load.ts';
import { optionsOf } from '#tools/site/options.ts';
import { processorSeconds } from '#tools/site/proc.ts';
import type { Running } from '#tools/site/processes.ts';
import { printPauses } from './pauses/pauses.ts';
import { compareDocuments, compareIdentifierSearch, compareOpenid, PARALLEL, withServers } from './sign-in/compare.ts';

const { seconds, rounds, engine, only, fsync, production, awake } = optionsOf(
  `npm run bench [-- OPTIONS]
Compares the service with a bare oidc-provider and a bare Express route, side by side in one run, on SQLite and on PostgreSQL. Prints
rates and ratios; judges nothing.`,
  {
    seconds: [4, 'length of each measurement'],
    rounds: [5, 'rounds of each comparison'],
    engine: ['', 'sqlite or postgresql alone'],
    fsync: [false, 'PostgreSQL waits for the disk at each commit'],
    production: [false, 'the service runs as in production, behind a proxy that costs nothing'],
    awake: [false, 'the load spins while it waits, except in the rows password and pauses; it needs a core of its own'],
    only: ['', 'rows whose name contains this: refresh, search, password, discovery, pauses ...'],
  },
);
const CHOICES = { seconds, rounds, parallel: PARALLEL, awake };
const wanted = (row: string) => row.includes(only);
const report = (one: Compared) => printCompared(one, CHOICES);

for (const one of ENGINES) if (engine === '' || engine === one) await bench(one);

async function bench(on: Engine): Promise<void> {
  await withServers(on, { fsync, production }, async (servers) => {
    await compareOpenid(servers, CHOICES, wanted, report);
    if (wanted('password')) await printPasswordLogins(servers.hygie);
    if (on !== 'sqlite') return;
    if (wanted('search')) report(await compareIdentifierSearch(servers, CHOICES));
    if (wanted('pauses')) await printPauses(seconds);
    await compareDocuments(servers, CHOICES, wanted, report);
  });
}

/** Sign-ins per second, and per second of one core: nearly all of that time is the hash, by intention. */
async function printPasswordLogins({ address, pid }: Running): Promise<void> {
  await signIn(address);
  const began = performance.now();
  const used = processorSeconds(pid);
  let count = 0;
  const person = async () => {
    for (; performance.now() < began + seconds * 2000; count += 1) await signIn(address);
  };
  await Promise.all(Array.from({ length: PARALLEL }, person));
  const rate = count / ((performance.now() - began) / 1000);
  const { log2N, r, p } = PASSWORD_COST;
  process.stdout.write(
    `password sign-ins at scrypt N=2^${log2N} r=${r} p=${p}, ${PARALLEL} people at a time\n` +
      `  ${rate.toFixed(1)}/s in all, ${(count / (processorSeconds(pid) - used)).toFixed(1)} per second of one core\n\n`,
  );
}
