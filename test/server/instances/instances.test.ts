// Issue "From one machine to a country": instances say what they serve, and where they differ is visible: in the metrics of each, in
// `directory status` and by an alert. An instance that serves another edition than the one in force is one of these cases.

import { afterEach, describe, expect, it } from '@jest/globals';
import { describeInstances } from '#cli/support/instances-text.ts';
import { loadSettings } from '#config/index.ts';
import { settingsDigest } from '#server/instances/digests.ts';
import { VERSION } from '#shared/version.ts';
import { countValues, openInstances } from '#store/instances.ts';
import { readPointer } from '#store/snapshots/registry.ts';
import { bothEngines } from '#support/both-engines.ts';
import { scrape } from '#support/metrics/scrape.ts';
import { openedForAll } from '#support/opened.ts';
import { startService } from '#support/service.ts';
import { until } from '#support/until.ts';

const TOKEN = 'a-token-of-the-tests-that-opens-nothing';
const OTHER = { id: 'other', name: 'other:3000', release: VERSION };

describe.each(bothEngines('server/instances/instances'))('instances, on %s', (engine) => {
  const metrics = { host: '127.0.0.1', token: TOKEN };
  const service = openedForAll(() => startService({ engine, adjust: (settings) => ({ ...settings, metrics }) }));
  afterEach(() => service.database('instances').where('name', OTHER.name).delete());

  const instances = () => openInstances(service.database);
  const inForce = async () => (await readPointer(service.database)).current as string;
  const value = async (name: string, labels?: Record<string, string>) =>
    (await scrape(`${service.issuer}/metrics`, TOKEN)).value(`hygie_${name}`, labels);

  it('says what it has: release, settings, the edition that it serves and the one in force', async () => {
    await until(async () => (await instances().list()).length === 1, 'the instance says that it is there');
    const [own] = await instances().list();
    const edition = await inForce();
    const settings = settingsDigest(service.settings);
    expect(own).toMatchObject({ release: VERSION, settings, edition, pointer: edition });
    expect(describeInstances([...(await instances().list())], edition)).toEqual([
      '',
      'Instances:',
      expect.stringMatching(new RegExp(`^  \\S+:${service.settings.listen.port}  since \\S+Z: .*, serves ${edition}$`)),
    ]);
    expect([await value('instances'), await value('instances_values', { of: 'edition' })]).toEqual([1, 1]);
  });

  it('is gone once it has stopped, and after a minute in which it said nothing', async () => {
    await instances().seen(OTHER);
    await service.database('instances').where(OTHER).decrement('seen_at', 61);
    await until(async () => (await instances().list()).length === 1, 'the instance says that it is there');
    expect((await instances().list()).map(({ name }) => name)).not.toContain(OTHER.name);
    await instances().seen({ ...OTHER, id: 'one-more' });
    expect(await service.database('instances').where({ id: OTHER.id })).toEqual([]);
  });

  it("is gone after the database's clock was set back, too", async () => {
    await instances().seen({ ...OTHER, id: 'of-later' });
    await service.database('instances').where({ id: 'of-later' }).increment('seen_at', 3600);
    expect((await instances().list()).map(({ id }) => id)).not.toContain('of-later');
    await instances().seen({ ...OTHER, id: 'of-now' });
    expect(await service.database('instances').where({ id: 'of-later' })).toEqual([]);
  });

  it('shows where they differ', async () => {
    await instances().seen({ ...OTHER, release: '0.9.0', settings: 'others', edition: 'another' });
    await until(async () => (await instances().list()).length === 2, 'both are there');
    const seen = await instances().list();
    expect(countValues(seen)).toEqual({ release: 2, settings: 2, clients: 1, edition: 2 });
    const lines = describeInstances(seen, await inForce());
    expect(lines[1]).toBe('Instances, which DIFFER in: release, settings, edition:');
    expect(lines.find((line) => line.includes(OTHER.name))).toMatch(
      /served another when it last reported \(at \S+Z\), and had not heard of the one in force: look again in some seconds$/,
    );
  });

  it('counts them and their differences in its metrics; where it cannot open the edition in force, these have the one that it serves', async () => {
    const own = await startService({ engine, adjust: (settings) => ({ ...settings, metrics }) });
    const values = async () => (await scrape(`${own.issuer}/metrics`, TOKEN)).value;
    try {
      await openInstances(own.database).seen({ ...OTHER, release: '0.9.0' });
      await until(async () => (await openInstances(own.database).list()).length === 2, 'both are there');
      const of = await values();
      expect([of('hygie_instances'), of('hygie_instances_values', { of: 'release' })]).toEqual([2, 2]);
      expect(of('hygie_directory_behind_seconds')).toBe(0);

      const row = await own.database('directory_snapshots').first();
      const next = { ...row, id: 'next', file: 'next.sqlite', created_at: Number(row.created_at) + 1000 };
      await own.database('directory_snapshots').insert(next);
      await own.database('directory_pointer').update({ current: 'next' });
      await until(async () => ((await values())('hygie_directory_behind_seconds') ?? 0) > 0, 'it is behind', 50);
      const later = await values();
      const served = ['served_timestamp_seconds', 'serving'].map((name) => later(`hygie_directory_${name}`));
      expect(served).toEqual([Number(row.created_at), 1]);
      expect((await fetch(`${own.issuer}/health/ready`)).status).toBe(200);
    } finally {
      await own.stop();
    }
  });
});

it('the digest of settings has what instances have in common: not a folder or a number of processes, but the rest', async () => {
  const settings = await loadSettings();
  const digest = settingsDigest(settings);
  const { directory } = settings;
  const here = { dataFolder: '/elsewhere', processes: 7 };
  expect(settingsDigest({ ...settings, ...here })).toBe(digest);
  expect(settingsDigest({ ...settings, directory: { ...directory, watch: '/in' } })).toBe(digest);
  expect(settingsDigest({ ...settings, directory: { ...directory, keep: 7 } })).not.toBe(digest);
  // The order of keys in service.yaml says nothing.
  const turned = Object.fromEntries(Object.entries(directory).reverse()) as typeof directory;
  expect(settingsDigest({ ...settings, directory: turned })).toBe(digest);
});

it('with a secret of the service the digest has the other secrets, too, and says nothing of them without it', async () => {
  const settings = await loadSettings();
  const under = (secret: string) => ({ ...settings, keys: { ...settings.keys, secrets: [secret] } });
  const [one, other] = [under('first secret of the instances'), under('second secret of the instances')];
  const mail = { host: 'mail.example', port: 25, from: 'a@b.example', security: 'none', password: 'hunter2' } as never;
  expect(settingsDigest({ ...one, mail })).not.toBe(settingsDigest(one));
  expect(settingsDigest(other)).not.toBe(settingsDigest(one));
});
