// Issue "From one machine to a country": instances whose clients or clocks differ are seen: in the log, in metrics, by `check --instances`, and
// by readiness where the clock would spoil sign-ins.

import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { loadWatchedClients } from '#config/index.ts';
import { clientsDigest } from '#server/instances/digests.ts';
import { openDatabase } from '#store/database/connection.ts';
import { openInstances } from '#store/instances.ts';
import { installation } from '#support/cli/hygie.ts';
import { inProcess } from '#support/cli/in-process.ts';
import { scrape } from '#support/metrics/scrape.ts';
import { newFolder } from '#support/new-folder.ts';
import { type RunningService, startService } from '#support/service.ts';
import { until } from '#support/until.ts';

describe('clients and clock', () => {
  const TOKEN = 'a-token-of-the-tests-that-opens-nothing';
  const metrics = { host: '127.0.0.1', token: TOKEN };
  const running: RunningService[] = [];
  afterEach(async () => {
    for (const service of running.splice(0)) await service.stop();
  });
  const valueIn = async ({ issuer }: RunningService, name: string) =>
    (await scrape(`${issuer}/metrics`, TOKEN)).value(`hygie_${name}`);

  describe('the digest of clients', () => {
    const CLIENTS = [
      '{ id: a, name: A, type: server, callbackUrls: ["https://a.example/"], secrets: [{ env: SECRET_OF_A }] }',
      '{ id: b, name: B, type: browser, callbackUrls: ["https://b.example/"] }',
    ];
    const keys = { secrets: ['a secret of the service, long enough to be one'], rotateAfter: 0 } as never;
    const digest = async (clients: readonly string[], secret = 'a secret that both instances have in a variable') => {
      const place = installation();
      place.configure('clients.yaml', `clients: [${clients.join(', ')}]`);
      const settings = { mode: 'production', configFolder: join(place.folder, 'config'), keys } as const;
      const { clients: loaded, loaded: state } = await loadWatchedClients(settings, { SECRET_OF_A: secret });
      return clientsDigest(loaded, state.hashes, settings);
    };

    it('is the same in two processes, in any order, and another for another secret or entry', async () => {
      const own = await digest(CLIENTS);
      // The secret of the variable has another hash in each process.
      expect(await digest([...CLIENTS].reverse())).toBe(own);
      expect(await digest(CLIENTS, 'a secret that one instance alone has in a variable')).not.toBe(own);
      expect(await digest(CLIENTS.slice(1))).not.toBe(own);
    });
  });

  describe('clients.yaml of an instance', () => {
    it('refused edits are a metric until a good one comes', async () => {
      const service = await startService({ adjust: (settings) => ({ ...settings, metrics }) });
      running.push(service);
      const file = join(service.settings.configFolder, 'clients.yaml');
      expect(await valueIn(service, 'clients_refused')).toBe(0);
      writeFileSync(file, 'clients: [{ id: a }]');
      await until(async () => (await valueIn(service, 'clients_refused')) === 1, 'the refused edit');
      writeFileSync(file, 'clients: []');
      await until(async () => (await valueIn(service, 'clients_refused')) === 0, 'the good edit');
    });

    it('check --instances names what differs, also from the configuration here, with exit code 1', async () => {
      const service = await startService({ clients: [] });
      running.push(service);
      const { configFolder, dataFolder } = service.settings;
      const environment = {
        HYGIE_CONFIG: configFolder,
        HYGIE_DATA: dataFolder,
        HYGIE_HOST: '127.0.0.1',
        HYGIE_ISSUER: service.issuer,
      };
      const check = (...args: string[]) => inProcess({ environment })(['check', '--instances', ...args]);
      const instances = openInstances(service.database);
      await until(async () => (await instances.list()).length === 1, 'the instance says that it is there');
      const alike = await check();
      expect([alike.code, alike.stdout]).toEqual([
        0,
        expect.stringMatching(
          /^Instances:\n {2}\S+:\d+ {2}since .*settings (\w+), clients (\w+).*\n {2}here: settings \1, clients \2\n$/,
        ),
      ]);
      const edited = newFolder();
      cpSync(configFolder, edited, { recursive: true });
      const client = { id: 'app', name: 'App', type: 'browser', callbackUrls: ['https://app.example/callback'] };
      writeFileSync(join(edited, 'clients.yaml'), JSON.stringify({ clients: [client] }));
      environment.HYGIE_CONFIG = edited;
      const unlike = await check('--json');
      expect([unlike.code, JSON.parse(unlike.stdout)]).toEqual([
        1,
        expect.objectContaining({ differ: [], differHere: ['clients'] }),
      ]);
      expect((await check()).stdout).toMatch(/, which DIFFER in: clients\n$/);
      environment.HYGIE_CONFIG = configFolder;
      const [own] = await instances.list();
      await instances.seen({
        ...own,
        id: 'second',
        name: 'other:3000',
        release: own?.release ?? '',
        clients: 'another',
        clockAhead: -7000,
      });
      const { code, stdout } = await check('--json');
      expect([code, JSON.parse(stdout)]).toEqual([1, expect.objectContaining({ differ: ['clients', 'clock'] })]);
      expect((await check()).stdout).toMatch(
        /which DIFFER in: clients, clock:[\s\S]*other:3000 .*clock 7 s behind the database's/,
      );
      await service.database('instances').delete();
      expect(await check()).toMatchObject({ code: 1, stdout: expect.stringContaining('No instance serves.') });
    });
  });

  // From which difference on this is said, and how often: `heartbeat.test.ts`.
  it('SEC-50 the clock of an instance makes it not ready where it differs by more than 30 s in either direction, with the remedy', async () => {
    const seconds = 90;
    const service = await startService({
      engine: 'postgresql',
      adjust: (settings) => ({ ...settings, metrics }),
      // A PostgreSQL whose clock is behind that of the test: a function before PostgreSQL's own in the path.
      prepare: async ({ database }) => {
        if (database.engine !== 'postgresql') throw new Error('not on PostgreSQL');
        const open = openDatabase(database);
        await open.raw(
          `create schema clocks; create function clocks.clock_timestamp() returns timestamptz language sql volatile
           as $$ select pg_catalog.clock_timestamp() - interval '${seconds} seconds' $$`,
        );
        await open.raw(
          `alter database ${new URL(database.url).pathname.slice(1)} set search_path = clocks, pg_catalog, public`,
        );
        await open.destroy();
      },
    });
    running.push(service);
    await until(async () => ((await valueIn(service, 'clock_ahead_seconds')) ?? 0) > 0, 'the clocks are compared');
    expect(await valueIn(service, 'clock_ahead_seconds')).toBeCloseTo(seconds, 0);
    expect(service.logged()).toMatch(/the clock of this machine is 9[01] s ahead of the database's: set both by NTP/);
    const [own] = await openInstances(service.database).list();
    expect(own?.clockAhead).toBeGreaterThan(80_000);
    const ready = await fetch(`${service.issuer}/health/ready`);
    const remedy = /differ by more than 30 s.*NTP/;
    expect([ready.status, await ready.text()]).toEqual([503, expect.stringMatching(remedy)]);
  });
});
