// `npm run bench:distribution`: what it costs to store an edition in PostgreSQL and to fetch it on another machine, while people sign in.

import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { loadSettings } from '#config/index.ts';
import { openSeals } from '#shared/crypto/seals.ts';
import { type Database, openDatabase } from '#store/database/connection.ts';
import { openDistribution } from '#store/snapshots/distribution.ts';
import { snapshotFolder } from '#store/snapshots/folder.ts';
import { pruneParts } from '#store/snapshots/parts.ts';
import { findCurrentSnapshot, recordSeal, type SnapshotEntry } from '#store/snapshots/registry.ts';
import { startReplicatedPostgres } from '#support/replicated-postgres.ts';
import { signIn } from '#tools/site/access.ts';
import { spreadOf } from '#tools/site/load.ts';
import { optionsOf, refuse } from '#tools/site/options.ts';
import { succeed } from '#tools/site/processes.ts';
import { startService, writeConfig } from '#tools/site/service.ts';

const { edition, seconds, parallel } = optionsOf(
  `npm run bench:distribution -- --edition DIR
Imports the edition into a data folder, stores it in the empty PostgreSQL database of DATABASE_URL, and lets a second instance with an empty
folder fetch it. People sign in with passwords meanwhile, at an instance of their own and at the one that fetches. Judges nothing. Without
DATABASE_URL it starts a primary and its streaming replica (asynchronous, fsync off), and says how far the replica was behind.`,
  {
    edition: ['', 'folder of the registers'],
    seconds: [15, 'seconds of sign-ins alone, to compare with'],
    parallel: [2, 'people who sign in at a time'],
  },
);
if (edition === '') refuse('--edition is needed.');
const own = process.env['DATABASE_URL'] ? undefined : await startReplicatedPostgres({ synchronous: false });
const url = process.env['DATABASE_URL'] ?? own?.url ?? '';

const folder = mkdtempSync(join(tmpdir(), 'hygie-bench-distribution-'));
const common = { DATABASE_URL: url, HYGIE_KEY_SECRET: 'a-secret-of-the-bench-that-opens-nothing' };
const limits = { addressFailures: 100_000, networkFailures: 1_000_000, accountFailures: 1000 };
const machine = async (name: string, distribution: string) => ({
  ...(await writeConfig(join(folder, name), { service: { limits, directory: { distribution } } })),
  ...common,
});
const one = await machine('one', 'folder');
const other = await machine('other', 'database');
const service = await startService(one);
const settings = await loadSettings(one);
const database = openDatabase(settings.database);
try {
  const began = performance.now();
  await succeed(['directory', 'import', edition, '--accept', 'other-people,registers,partial'], { env: one });
  say(`import ${since(began)} s`);
  const entry = (await findCurrentSnapshot(database)) as SnapshotEntry;
  const file = join(snapshotFolder(settings.dataFolder), entry.file);
  say(`file ${megabytes(statSync(file).size)}`);
  await report('alone', service.address, () => setTimeout(seconds * 1000));

  // The key is derived before the clock runs.
  await openSeals(settings.keys.secrets);
  const distribution = openDistribution(database, settings);
  await report('store', service.address, async () => {
    const started = performance.now();
    const { through, seal = '' } = await distribution.store(entry);
    await recordSeal(database, entry.id, seal);
    say(`stored ${megabytes(through)} in ${since(started)} s`);
  });
  const { rows } = await database.raw("select pg_total_relation_size('directory_parts') as bytes");
  say(`directory_parts ${megabytes(Number(rows[0].bytes))}`);

  const started = performance.now();
  const fetching = await startService(other);
  say(`a fresh instance listens after ${since(started)} s`);
  await report('fetch, at the instance that fetches', fetching.address, async () => {
    while ((await fetch(`${fetching.address}/health/ready`)).status !== 200) await setTimeout(50);
    say(`it is ready after ${since(started)} s`);
  });
  await report('alone, at that instance', fetching.address, () => setTimeout(seconds * 1000));
  await fetching.stop();

  await database('directory_snapshot_parts').delete();
  await pruneParts(database);
  await processor('store alone', () => distribution.store(entry));
  const third = openDistribution(database, { ...settings, dataFolder: join(folder, 'third') });
  const sealed = (await findCurrentSnapshot(database)) as SnapshotEntry;
  await processor('fetch alone', () => third.fetch(sealed));
  await database('directory_pointer').update({ current: null, previous: null });
  await database('directory_snapshots').delete();
  await report('removal of all parts', service.address, async () => {
    const removing = performance.now();
    const count = await pruneParts(database);
    say(`removed ${count} parts in ${since(removing)} s`);
  });
} finally {
  await database.destroy();
  await service.stop();
  await own?.remove();
  rmSync(folder, { recursive: true, force: true });
}

/** Signs people in as long as the work lasts, and prints what each sign-in took and the write-ahead log that came. */
async function report(name: string, address: string, work: () => Promise<unknown>): Promise<void> {
  const took: number[] = [];
  let busy = true;
  const before = await position(database);
  const began = performance.now();
  const done = work().finally(() => {
    busy = false;
  });
  const behind = { replicas: 0, seconds: 0, bytes: 0 };
  const watching = (async () => {
    while (busy) {
      for (const { seconds: late, bytes } of await replicas()) {
        behind.replicas += 1;
        behind.seconds = Math.max(behind.seconds, Number(late));
        behind.bytes = Math.max(behind.bytes, Number(bytes));
      }
      await setTimeout(100);
    }
  })();
  const people = Array.from({ length: parallel }, async () => {
    while (busy) {
      const from = performance.now();
      await signIn(address);
      took.push(performance.now() - from);
    }
  });
  await Promise.all([done, watching, ...people]);
  const elapsed = (performance.now() - began) / 1000;
  const { count, p50, p99, max } = spreadOf(took);
  const log = (await position(database)) - before;
  const replica =
    behind.replicas > 0
      ? `; the replica was ${(behind.seconds * 1000).toFixed(0)} ms and ${megabytes(behind.bytes)} behind at most`
      : '';
  say(
    `  ${name}: ${elapsed.toFixed(1)} s, WAL ${megabytes(log)}; ${count} sign-ins, ${(count / elapsed).toFixed(1)} per second, ms p50 ${p50.toFixed(0)}, p99 ${p99.toFixed(0)}, most ${max.toFixed(0)}${replica}`,
  );
}

/** Prints the time of work of this process beside nothing else. */
async function processor(name: string, work: () => Promise<unknown>): Promise<void> {
  const began = performance.now();
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  say(`${name}: ${since(began)} s, processor ${((user + system) / 1e6).toFixed(1)} s`);
}

/** How far each replica is behind what the primary has written. */
async function replicas(): Promise<{ seconds: string; bytes: string }[]> {
  const { rows } = await database.raw(
    `select coalesce(extract(epoch from replay_lag), 0) as seconds, pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn) as bytes
     from pg_stat_replication`,
  );
  return rows;
}

/** Bytes of write-ahead log since the server was made. */
async function position(of: Database): Promise<number> {
  const { rows } = await of.raw("select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') as bytes");
  return Number(rows[0].bytes);
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

function since(instant: number): string {
  return ((performance.now() - instant) / 1000).toFixed(1);
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
