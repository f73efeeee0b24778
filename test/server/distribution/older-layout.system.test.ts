// Issue "The directory reaches every instance by itself": an upgrade across a change of the layout, with real processes. Nobody imports
// anything: one instance rebuilds the index of the edition in force, the others fetch it.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { openDatabase } from '#store/database/connection.ts';
import { listSnapshots, readPointer } from '#store/snapshots/registry.ts';
import { installation } from '#support/cli/hygie.ts';
import { filledInstallation, type Serving, serve } from '#support/cli/serving.ts';
import { makeCurrentOlder } from '#support/search-index/older-layout.ts';
import { copyTemplate } from '#support/service-template.ts';
import { until } from '#support/until.ts';

/** Processes start, rebuild and fetch. */
const SLOW = 120_000;
const JSON_LOG = { LOG_FORMAT: 'json' };

const running: Serving[] = [];
afterEach(async () => {
  for (const { child } of running) child.kill('SIGKILL');
  await Promise.all(running.splice(0).map(({ ended }) => ended));
});
async function start(...args: Parameters<typeof serve>): Promise<Serving> {
  const serving = await serve(...args);
  running.push(serving);
  return serving;
}
async function ready({ port }: Serving) {
  const answer = await fetch(`http://127.0.0.1:${port}/health/ready`).catch(() => undefined);
  return { status: answer?.status, body: await answer?.json() };
}
/** Waits for the line of the log by which the edition is served, and then for readiness. */
async function isReady(serving: Serving) {
  await serving.outputMatching(/the directory is served/);
  await until(async () => (await ready(serving)).status === 200, serving.output());
}

describe('an edition of an earlier layout', () => {
  it(
    'one instance with SQLite: not ready with the reason, and ready by itself',
    async () => {
      const place = filledInstallation();
      const data = join(place.folder, 'data');
      const database = openDatabase({ engine: 'sqlite', file: join(data, 'hygie.sqlite') });
      const before = await makeCurrentOlder(data, database);
      const status = await place.hygie(['migrate', '--status', '--json']);
      expect(JSON.parse(status.stdout)).toMatchObject({ pending: [], directory: 'rebuilt' });
      expect(status.stderr).toMatch(/rebuilds the index of the edition in force by itself/);
      const serving = await start(place, JSON_LOG);
      await serving.outputMatching(/its index is being rebuilt/);
      const reasons: string[] = [];
      await until(async () => {
        const { status, body } = await ready(serving);
        if (status === 503) reasons.push(body.missing[0].reason);
        return status === 200 || reasons.length > 0;
      }, 'the instance says why it is not ready');
      expect(reasons[0] ?? 'is being rebuilt').toMatch(/is being rebuilt/);
      await isReady(serving);
      expect(serving.output()).toMatch(/its index is being rebuilt.*the index of the directory is rebuilt/s);
      expect((await readPointer(database)).current).not.toBe(before.id);
      await database.destroy();
    },
    SLOW,
  );

  it(
    'two machines with PostgreSQL: one rebuilds, the other fetches what it made',
    async () => {
      const data = join(installation().folder, 'data');
      const external = await copyTemplate('postgresql', data);
      const { settings } = external ?? {};
      if (settings?.engine !== 'postgresql') throw new Error('not PostgreSQL');
      const database = openDatabase(settings);
      await makeCurrentOlder(data, database);
      const HYGIE_KEY_SECRET = 'a-secret-of-the-tests-that-opens-nothing';
      const common = { ...JSON_LOG, DATABASE_URL: settings.url, HYGIE_KEY_SECRET };
      const [one, other] = [installation(), installation()];
      mkdirSync(join(other.folder, 'data'));
      const machines = await Promise.all([start(one, { ...common, HYGIE_DATA: data }), start(other, { ...common })]);
      for (const machine of machines) await isReady(machine);
      const said = (text: string) => machines.map((machine) => machine.output().includes(text));
      expect(said('the index of the directory is rebuilt').filter(Boolean)).toHaveLength(1);
      expect(said('the directory was fetched')[1]).toBe(true);
      expect((await listSnapshots(database)).length).toBe(2);
      await database.destroy();
      for (const { child } of running) child.kill('SIGKILL');
      await Promise.all(running.splice(0).map(({ ended }) => ended));
      await external?.remove();
    },
    SLOW,
  );
});
