// Issue "The directory reaches every instance by itself": machines with data folders of their own and one PostgreSQL database. An import
// anywhere reaches all; so does what one of them had before it could be distributed.

import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openDatabase } from '#store/database/connection.ts';
import { snapshotFolder } from '#store/snapshots/folder.ts';
import { findCurrentSnapshot, readPointer } from '#store/snapshots/registry.ts';
import { inProcess } from '#support/cli/in-process.ts';
import { newDatabase } from '#support/databases.ts';
import { ask } from '#support/directory/exporting.ts';
import { activity, registerText } from '#support/import/register-files.ts';
import { newFolder } from '#support/new-folder.ts';
import { signIn } from '#support/openid/relying-party.ts';
import { type RunningService, startService } from '#support/service.ts';
import { until } from '#support/until.ts';

let first: RunningService;
const others: RunningService[] = [];
beforeEach(async () => {
  first = await startService({ engine: 'postgresql' });
});
afterEach(async () => {
  for (const service of others.splice(0)) await service.stop();
  await first.stop();
});

/** An instance on the database of the first one, on a machine of its own or the one of that folder. */
async function startAnother(dataFolder = newFolder(), database = first.settings.database): Promise<RunningService> {
  const service = await startService({
    engine: 'postgresql',
    adjust: (settings) => ({ ...settings, database, dataFolder }),
  });
  others.push(service);
  return service;
}

const filesOf = (dataFolder: string) =>
  readdirSync(snapshotFolder(dataFolder)).filter((name) => name.endsWith('.sqlite'));
const isReady = ({ issuer }: RunningService) =>
  until(async () => (await fetch(`${issuer}/health/ready`)).status === 200, 'the instance is ready');
const current = async () => (await readPointer(first.database)).current;
const serves = (service: RunningService, id: string | undefined) =>
  until(() => service.logged().includes(`"snapshot":"${id}","msg":"the directory is served"`), `${id} is served`);

/** Commands on a machine with an empty data folder. */
function newCommandLine() {
  const { configFolder, database } = first.settings;
  const data = newFolder();
  const url = database.engine === 'postgresql' ? database.url : '';
  const hygie = inProcess({ environment: { HYGIE_CONFIG: configFolder, HYGIE_DATA: data, DATABASE_URL: url } });
  return { data, hygie };
}

/** A folder with a register of these people. */
function register(...names: string[]): string {
  const folder = newFolder();
  const lines = names.map((name, number) => activity({ 1: `1900000001${number}`, 2: `81900000001${number}`, 7: name }));
  writeFileSync(join(folder, 'activities.txt'), registerText('activities', lines));
  return folder;
}
const IMPORT = ['directory', 'import', '--json', '--accept', 'other-people,partial'];

describe('machines on one database', () => {
  it('an instance with an empty folder fetches the edition in force, is ready then, and answers searches', async () => {
    const fresh = await startAnother();
    await isReady(fresh);
    const { file } = (await findCurrentSnapshot(first.database)) ?? {};
    expect(filesOf(fresh.settings.dataFolder)).toEqual([file]);
    expect(fresh.logged()).toContain('the directory was fetched');
    const { tokens } = await signIn(fresh);
    const answer = await ask(`${fresh.settings.directory.url}/Practitioner/819082680976`, {
      token: tokens.access_token,
    });
    expect([answer.status, (await answer.json()).id]).toEqual([200, '819082680976']);
  });

  it('what a machine had before it could be distributed is stored by its instance, and reaches the others', async () => {
    await first.database('directory_snapshot_parts').delete();
    await first.database('directory_parts').delete();
    const fresh = await startAnother();
    expect((await fetch(`${fresh.issuer}/health/ready`)).status).toBe(503);
    const upgraded = await startAnother(first.settings.dataFolder);
    // The first one has the file as well, and looks each minute.
    const stored = () => [first, upgraded].some((one) => one.logged().includes('the directory was stored for others'));
    await until(stored, 'it is stored');
    await isReady(fresh);
  });

  it('an import on a machine without the edition before keeps the versions of what is unchanged, and reaches all', async () => {
    const fresh = await startAnother();
    await isReady(fresh);
    const one = newCommandLine();
    expect(await one.hygie([...IMPORT, register('MARTIN', 'DURAND')])).toMatchObject({ code: 0 });
    await Promise.all([first, fresh].map(async (service) => serves(service, await current())));
    const { hygie, data } = newCommandLine();
    const imported = await hygie([...IMPORT, register('MARTIN', 'PETIT')]);
    expect(JSON.parse(imported.stdout).changes.Practitioner).toMatchObject({ unchanged: 1, changed: 1 });
    const id = await current();
    expect(filesOf(data)).toContain(`${id}.sqlite`);
    await Promise.all([first, fresh].map((service) => serves(service, id)));
    const status = JSON.parse((await hygie(['directory', 'status', '--json'])).stdout);
    expect(status.instances).toHaveLength(2);
  });

  it('an import of the edition that is served stores it, where others could not fetch it', async () => {
    const [one, folder] = [newCommandLine(), register('MARTIN')];
    await one.hygie([...IMPORT, folder]);
    await first.database('directory_snapshot_parts').delete();
    await first.database('directory_parts').delete();
    await first.database('directory_snapshots').update({ seal: null });
    const again = await one.hygie([...IMPORT, folder]);
    expect(JSON.parse(again.stdout).outcome).toBe('unchanged');
    await isReady(await startAnother());
  });

  it('a rollback fetches the edition before where it is not here', async () => {
    const before = await current();
    expect((await newCommandLine().hygie([...IMPORT, register('MARTIN')])).code).toBe(0);
    await serves(first, await current());
    const { hygie, data } = newCommandLine();
    mkdirSync(data, { recursive: true });
    const rolledBack = await hygie(['directory', 'rollback', '--json']);
    expect([rolledBack.code, JSON.parse(rolledBack.stdout).current]).toEqual([0, before]);
    expect(filesOf(data)).toEqual([`${before}.sqlite`]);
  });

  it.each(['copy', undefined])(
    'a backup (%s) has files and no parts; what is restored of it reaches others again',
    async (format) => {
      const { configFolder } = first.settings;
      const folder = join(newFolder(), 'backup');
      const made = await newCommandLine().hygie([
        ...['backup', folder, '--with-directory', '--json'],
        ...(format === undefined ? [] : ['--format', format]),
      ]);
      const { database, directory } = JSON.parse(made.stdout);
      expect([database.tables.directory_parts, database.tables.directory_snapshot_parts]).toEqual([0, 0]);
      expect(readdirSync(join(folder, 'directory'))).toEqual([directory.current.file]);
      const { settings, remove } = await newDatabase('postgresql');
      const data = newFolder();
      const url = settings.engine === 'postgresql' ? settings.url : '';
      const environment = { HYGIE_CONFIG: configFolder, HYGIE_DATA: data, DATABASE_URL: url };
      expect(await inProcess({ environment })(['restore', folder])).toMatchObject({ code: 0 });
      expect(filesOf(data)).toEqual([directory.current.file]);
      const restored = openDatabase(settings);
      expect(await restored('directory_parts')).toEqual([]);
      await restored.destroy();
      const service = await startAnother(data, settings);
      await until(() => service.logged().includes('the directory was stored for others'), 'it is stored again');
      await service.stop();
      others.pop();
      await remove();
    },
  );

  it('a rollback to an edition that nobody stored changes nothing, and says why', async () => {
    expect((await newCommandLine().hygie([...IMPORT, register('MARTIN')])).code).toBe(0);
    const { current: now, previous } = await readPointer(first.database);
    await first.database('directory_snapshot_parts').where({ snapshot: previous }).delete();
    const { code, stderr } = await newCommandLine().hygie(['directory', 'rollback']);
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /cannot be fetched: the database has 0 of the \d+ parts of .*\nRemedy: run this command where/,
    );
    expect(await current()).toBe(now);
  });

  it('`directory verify` fetches what is not here instead of noting it as damaged, and stores anew what the database has damaged', async () => {
    await first.database('directory_parts').update({ content: randomBytes(1000) });
    const { hygie, data } = newCommandLine();
    mkdirSync(data, { recursive: true });
    const lacking = await hygie(['directory', 'verify']);
    expect([lacking.code, lacking.stderr]).toEqual([
      1,
      expect.stringMatching(/cannot be fetched: the part .* cannot be unpacked/),
    ]);
    expect((await findCurrentSnapshot(first.database))?.damagedAt).toBeUndefined();
    const { configFolder, database, dataFolder } = first.settings;
    const url = database.engine === 'postgresql' ? database.url : '';
    const where = inProcess({ environment: { HYGIE_CONFIG: configFolder, HYGIE_DATA: dataFolder, DATABASE_URL: url } });
    expect((await where(['directory', 'verify'])).stdout).toMatch(/^Sound: .*\n.* bytes were stored anew\.\n$/);
    const sound = await hygie(['directory', 'verify', '--json']);
    expect(JSON.parse(sound.stdout)).toMatchObject({ sound: true, stored: 0 });
    expect(filesOf(data)).toHaveLength(1);
  });
});
