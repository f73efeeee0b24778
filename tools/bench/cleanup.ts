// `npm run bench:cleanup`: introspection while the service removes expired records, and what becomes of the database file.

import { existsSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { compareSides, printCompared } from '#tools/site/load.ts';
import { optionsOf } from '#tools/site/options.ts';
import type { Running } from '#tools/site/processes.ts';
import { startHygie, startService, writeConfig } from '#tools/site/service.ts';
import { expiredIn, fillWithExpired } from './expired-records.ts';
import { hygieServer, prepareWork } from './sign-in/oidc-work.ts';

const { rows, seconds, rounds, wait } = optionsOf(
  `npm run bench:cleanup [-- OPTIONS]
Compares introspection while the service removes expired records with a service that has nothing to remove, on SQLite, and shows what
becomes of the database file and of its write-ahead log. Judges nothing.`,
  {
    rows: [600_000, 'expired records'],
    seconds: [3, 'length of each measurement'],
    rounds: [5, 'rounds of the comparison'],
    wait: [600, 'seconds for the file to shrink'],
  },
);
/** Seconds without a change after which the file has its size. */
const QUIET = 90;
const mib = (bytes: number) => `${(bytes / 2 ** 20).toFixed(0)} MiB`;

const folder = await mkdtemp(join(tmpdir(), 'hygie-bench-cleanup-'));
const file = join(folder, 'data', 'hygie.sqlite');
const running: Running[] = [];
try {
  const env = await writeConfig(folder);
  await (await startService(env)).stop();
  fillWithExpired(file, rows);
  const filled = sizes();
  const began = performance.now();
  const elapsed = () => (performance.now() - began) / 1000;
  for (const one of [startService(env), startHygie()]) running.push(await one);
  let log = 0;
  const watch = setInterval(() => {
    log = Math.max(log, sizes().log);
  }, 50);
  const [ours, theirs] = await Promise.all(running.map(({ address }) => prepareWork(hygieServer(address), 1)));
  if (!ours || !theirs) throw new Error('nothing runs');
  const choices = { seconds, rounds, parallel: 8 };
  const [removing, idle] = running;
  printCompared(
    await compareSides(
      'introspection on sqlite',
      choices,
      { name: `while ${rows} expired records go`, pid: removing?.pid ?? 0, unit: ours.introspection },
      { name: 'with nothing to remove', pid: idle?.pid ?? 0, unit: theirs.introspection },
    ),
    choices,
  );
  process.stdout.write(`  expired records left after ${elapsed().toFixed(0)} s: ${expiredIn(file)}\n`);
  const end = performance.now() + wait * 1000;
  let gone = expiredIn(file) === 0 ? elapsed() : undefined;
  let last = sizes().database;
  let quiet = 0;
  while (performance.now() < end && (gone === undefined || quiet < QUIET)) {
    await setTimeout(1000);
    if (gone === undefined && expiredIn(file) === 0) gone = elapsed();
    const now = sizes().database;
    quiet = now === last ? quiet + 1 : 0;
    last = now;
  }
  clearInterval(watch);
  const after = sizes();
  process.stdout.write(
    `  all of them gone after ${gone?.toFixed(0) ?? '-'} s\n` +
      `  database file: ${mib(filled.database)} before, ${mib(after.database)} after\n` +
      `  write-ahead log: ${mib(log)} at most, ${mib(after.log)} at the end\n`,
  );
} finally {
  await Promise.all(running.map((one) => one.stop()));
  await rm(folder, { recursive: true, force: true });
}

function sizes(): { database: number; log: number } {
  const of = (path: string) => (existsSync(path) ? statSync(path).size : 0);
  return { database: of(file), log: of(`${file}-wal`) };
}
