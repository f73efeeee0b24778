// Issue item "First use without friction": on a fresh data folder, or an empty PostgreSQL, the commands that an operator begins with make
// the database, as the first start would; all others say that there is none and make nothing.

import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Database, openDatabase } from '#store/database/connection.ts';
import { migrate, migrationStatus } from '#store/database/migrate.ts';
import { bothEngines } from '#support/both-engines.ts';
import { type Installation, installation } from '#support/cli/hygie.ts';
import { inProcess } from '#support/cli/in-process.ts';
import { newDatabase, type TestDatabase } from '#support/databases.ts';

/** Milliseconds for two processes of their own that start at once, on a busy machine. */
const PROCESSES = 60_000;
const PERSON = ['--email', 'zoe@first.example', '--name', 'Zoé Martin'];

describe.each(bothEngines('cli/first-use.system'))('first use, on %s', (engine) => {
  let place: Installation;
  let settings: TestDatabase['settings'];
  let remove: () => Promise<void>;
  beforeEach(async () => {
    const made = await newDatabase(engine);
    ({ remove } = made);
    place = installation(made.settings.engine === 'postgresql' ? { DATABASE_URL: made.settings.url } : {});
    settings = engine === 'sqlite' ? { engine, file: join(place.folder, 'data', 'hygie.sqlite') } : made.settings;
  });
  afterEach(async () => {
    await remove();
  });

  const data = () => join(place.folder, 'data');
  const look = async <Result>(work: (database: Database) => Promise<Result>) => {
    const database = openDatabase(settings);
    return work(database).finally(() => database.destroy());
  };
  const where = () => (settings.engine === 'sqlite' ? settings.file : new URL(settings.url).pathname.slice(1));

  it('accounts add makes the database, its keys and says where; SEC-63 nobody else can read it', async () => {
    const first = await inProcess(place)(['accounts', 'add', ...PERSON]);
    expect(first.code).toBe(0);
    expect(first.stderr).toMatch(new RegExp(`^a new database was made at \\S*${where()} \\(development\\)$`, 'm'));
    expect(first.stderr).toMatch(/^a secret for the keys was made: it belongs in the backup.*key-secret$/m);
    const { pending, keys } = await look(async (database) => ({
      pending: (await migrationStatus(database)).pending,
      keys: await database('service_keys').whereNot({ purpose: 'lock' }).pluck('material'),
    }));
    expect(pending).toEqual([]);
    expect(keys.length).toBeGreaterThan(1);
    for (const key of keys) expect(key).toMatch(/^sealed-/);
    for (const path of [data(), ...readdirSync(data()).map((name) => join(data(), name))]) {
      expect([path, statSync(path).mode & 0o077]).toEqual([path, 0]);
    }
    const second = await inProcess(place)(['accounts', 'list', '--json']);
    expect(JSON.parse(second.stdout)).toMatchObject([{ email: 'zoe@first.example' }]);
    expect(second.stderr).not.toContain('new database');
    expect(await inProcess(place)(['audit', 'verify'])).toMatchObject({ code: 0 });
  });

  it('directory import makes it, in production too', async () => {
    const file = join(place.folder, 'one.json');
    const name = [{ family: 'Martin', given: ['Zoé'] }];
    writeFileSync(file, JSON.stringify({ resourceType: 'Practitioner', id: 'p-1', name }));
    const env = { NODE_ENV: 'production', HYGIE_ISSUER: 'https://first.example' };
    const { code, stderr } = await inProcess(place)(['directory', 'import', file, '--json'], { env });
    expect([code, stderr]).toEqual([0, expect.stringMatching(/^a new database was made at .* \(production\)$/m)]);
    const status = await inProcess(place)(['directory', 'status', '--json'], { env });
    expect(JSON.parse(status.stdout)).toMatchObject({ current: expect.any(String) });
  });

  it('dry runs make nothing', async () => {
    const file = join(place.folder, 'people.csv');
    writeFileSync(file, 'email,name\nzoe@first.example,Zoé Martin\n');
    const dry = await inProcess(place)(['accounts', 'import', file, '--dry-run']);
    expect([dry.code, dry.stderr]).toEqual([0, expect.not.stringContaining('new database')]);
    if (settings.engine === 'sqlite') expect(existsSync(settings.file)).toBe(false);
    else expect(await look((database) => database.schema.hasTable('accounts'))).toBe(false);
  });

  it(
    'two at once make one',
    async () => {
      const env = { HYGIE_KEY_SECRET: 'a secret of the tests that opens nothing' };
      const people = ['a', 'b'].map((who) => ['accounts', 'add', '--email', `${who}@first.example`, '--name', who]);
      const ended = await Promise.all(people.map((args) => place.hygie(args, { env })));
      expect(ended.map(({ code, stderr }) => (code === 0 ? 0 : stderr))).toEqual([0, 0]);
      expect(await look((database) => database('accounts').orderBy('email').pluck('email'))).toEqual([
        'a@first.example',
        'b@first.example',
      ]);
    },
    PROCESSES,
  );

  it('a database that holds something and lacks a migration is not migrated by them', async () => {
    if (settings.engine === 'sqlite') mkdirSync(data());
    await look(async (database) => {
      await migrate(database);
      await database('knex_migrations').delete();
      await database('service_keys').insert({ id: 'k', purpose: 'RS256', material: '{}', created_at: 0 });
    });
    const { code, stderr } = await inProcess(place)(['accounts', 'add', ...PERSON]);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/is empty\.\nRemedy: set HYGIE_DATA/)]);
  });
});

it('SEC-79 a file of the configuration that is missing in production is refused by name, by check and by the start, which make nothing', async () => {
  const place = installation({ NODE_ENV: 'production', HYGIE_ISSUER: 'https://connect.example' });
  const inConfig = (name: string) => join(place.folder, 'config', name);
  rmSync(inConfig('clients.yaml'));
  const outcomes = [await inProcess(place)(['check']), await inProcess(place)(['serve'])];
  rmSync(inConfig('service.yaml'));
  outcomes.push(await inProcess(place)(['accounts', 'add', ...PERSON]));
  const named = ['clients.yaml', 'clients.yaml', 'service.yaml'];
  for (const [index, { code, stderr }] of outcomes.entries()) {
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining(`${inConfig(named[index] ?? '')}\n    The file is missing`),
    ]);
    expect(stderr).toContain('Remedy: Put it back');
  }
  expect(existsSync(join(place.folder, 'data'))).toBe(false);
});
