// `npm run bench:cleanup`: introspection while the service removes what expired, beside a service that has nothing to remove; and
// what becomes of the database file and of its write-ahead log. SQLite. Prints rates, ratios and sizes; judges nothing.
// `--rows N` expired records (600000), `--seconds N --rounds N` the length, `--wait N` seconds for the file to shrink (600).

import '#support/script-help.ts';
import { existsSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import type { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { accessToken, signInToHygie } from '#tools/site/access.ts';
import { type Comparison, compare, measure, median, send } from '#tools/site/load.ts';
import { type Running, SECRET, startHygie, startService, writeSite } from '#tools/site/processes.ts';
import { expiredIn, fillWithExpired } from './expired-records.ts';

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '600000' },
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '5' },
    wait: { type: 'string', default: '600' },
  },
});
const ROWS = Number(values.rows);
const ROUNDS = Number(values.rounds);
const PARALLEL = 8;
const MIB = 1024 * 1024;

const folder = await mkdtemp(join(tmpdir(), 'hygie-bench-cleanup-'));
const file = join(folder, 'data', 'hygie.sqlite');
const running: Running[] = [];
try {
  const site = await writeSite(folder);
  await (await startService(site)).stop();
  fillWithExpired(file, ROWS);
  const filled = sizes();
  const begun = performance.now();
  const cleaning = await startService(site);
  running.push(cleaning);
  const idle = await startHygie();
  running.push(idle);
  let log = 0;
  const watch = setInterval(() => {
    log = Math.max(log, sizes().log);
  }, 50);
  const ours = await introspection(cleaning);
  const theirs = await introspection(idle);
  const result = await compare(
    ROUNDS,
    () => measure(Number(values.seconds), PARALLEL, ours),
    () => measure(Number(values.seconds), PARALLEL, theirs),
  );
  const measured = (performance.now() - begun) / 1000;
  const left = expiredIn(file);
  print(result);
  process.stdout.write(`  expired records left after ${measured.toFixed(0)} s: ${left}\n`);
  const end = performance.now() + Number(values.wait) * 1000;
  let gone = left === 0 ? measured : undefined;
  let last = sizes().database;
  let quiet = 0;
  while (performance.now() < end && (gone === undefined || quiet < 90)) {
    await setTimeout(1000);
    if (gone === undefined && expiredIn(file) === 0) gone = (performance.now() - begun) / 1000;
    const now = sizes().database;
    quiet = now === last ? quiet + 1 : 0;
    last = now;
  }
  clearInterval(watch);
  const after = sizes();
  const mib = (bytes: number) => `${(bytes / MIB).toFixed(0)} MiB`;
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

async function introspection({ address }: Running): Promise<(agent: Agent) => Promise<void>> {
  const token = await accessToken(address, await signInToHygie(address));
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const body = new URLSearchParams({ client_id: 'bench', client_secret: SECRET, token }).toString();
  return async (agent) => {
    const answer = await send(agent, `${address}/oauth/introspect`, { method: 'POST', headers, body });
    if (!answer.body.includes('"active":true')) throw new Error(`introspection answered ${answer.body}`);
  };
}

function print({ ours, reference, ratio }: Comparison): void {
  const row = (name: string, all: typeof ours) => {
    const of = (key: 'rate' | 'p50' | 'p99') => median(all.map((one) => one[key]));
    const worst = Math.max(...all.map(({ p99 }) => p99));
    return `  ${name.padEnd(38)} ${of('rate').toFixed(0).padStart(7)}/s   p50 ${of('p50').toFixed(2)} ms   p99 ${of('p99').toFixed(2)} ms (worst round ${worst.toFixed(2)} ms)`;
  };
  process.stdout.write(
    `introspection on sqlite, ${PARALLEL} connections, median of ${ROUNDS} rounds of ${values.seconds} s\n` +
      `${row(`while ${ROWS} expired records go`, ours)}\n${row('with nothing to remove', reference)}\n  ratio ${ratio.toFixed(2)}\n`,
  );
}
