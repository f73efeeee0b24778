// `npm run oracle`: compares the answers of a running service with what the files of the registers say, read by code that shares nothing
// with the import, the index and the search. Exits with 1 where something differs.

import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { accessToken } from '#tools/site/access.ts';
import { createCleanup } from '#tools/site/cleanup.ts';
import { optionsOf } from '#tools/site/options.ts';
import { ROOT, succeed } from '#tools/site/processes.ts';
import { startService, writeConfig } from '#tools/site/service.ts';
import { createClient } from './ask.ts';
import { runChecks, tableOf } from './checks.ts';
import { readEdition } from './edition/edition.ts';

const options = optionsOf(
  `npm run oracle [-- OPTIONS]
Asks a service over HTTP what it finds, and reads the same from the files of the registers: criteria, chains, orders, pages, includes,
distances, codes, batches, suggestions. Prints a table of kinds, checks, hits and differences, and the first differences. The same seed
asks the same. Without --address it imports the files and starts a service of its own.`,
  {
    data: [join(ROOT, 'seeds/edition'), 'folder of an edition, packed by gzip or not'],
    checks: [5000, 'number of checks, shared among the kinds', 1],
    seed: [1, 'of the draws', 0],
    only: ['', 'kinds whose name contains this, alone'],
    keep: ['', 'folder that keeps the imported data, or holds it already'],
    address: ['', 'address of the directory of a service that holds this edition: https://.../directory/v2'],
    token: ['', 'an access token for it'],
  },
);
/** Milliseconds after which a service helps again. */
const REST = 120;
const started = performance.now();
const tell = (text: string) =>
  process.stderr.write(`[${((performance.now() - started) / 1000).toFixed(0)} s] ${text}\n`);
const cleanup = createCleanup();
try {
  const folder = resolve(options.data);
  const { address, token } = options.address === '' ? await ownService(folder) : options;
  tell('reading the files');
  const client = createClient(address, token);
  cleanup.later(async () => client.close());
  const { checks, seed, only } = options;
  const counted = await runChecks(client, readEdition(folder), { checks, seed, only, rest: REST, tell });
  process.stdout.write(`${tableOf(counted)}\n`);
  if (counted.some(({ differences }) => differences.length > 0)) process.exitCode = 1;
} finally {
  await cleanup.all();
}

async function ownService(data: string) {
  const kept = options.keep === '' ? undefined : resolve(options.keep);
  const site = kept ?? (await mkdtemp(join(tmpdir(), 'hygie-oracle-')));
  if (!kept) cleanup.later(() => rm(site, { recursive: true, force: true }));
  await mkdir(site, { recursive: true });
  const env = await writeConfig(site);
  if (!existsSync(join(site, 'import.json')) && !existsSync(join(site, 'data/snapshots'))) {
    tell('importing the files');
    await succeed(['migrate'], { env, cleanup });
    await succeed(['directory', 'import', data], { env, cleanup });
  }
  const running = await startService({ ...env, HYGIE_PROCESSES: '1' });
  cleanup.later(() => running.stop());
  return { address: `${running.address}/directory/v2`, token: await accessToken(running.address) };
}
