// One backup and its restore on SQLite, whole: what is in the folder and the manifest, what is flushed to the disk before it counts, what is
// said meanwhile, and each refusal with its remedy. Both engines, and a service at work: `backup-restore.system.test.ts`.

import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import BetterSqlite3 from 'better-sqlite3';
import type { Settings } from '#config/settings.ts';
import { encryptKeys } from '#openid/keys/key-changes.ts';
import type { Manifest } from '#server/backup/manifest.ts';
import type { OnProgress } from '#shared/progress.ts';
import { openDatabase } from '#store/database/connection.ts';
import { markSandbox } from '#store/database/sandbox-mark.ts';
import { takeImportLock } from '#store/snapshots/import-lock.ts';
import { manifestIn } from '#support/backup/changed-backups.ts';
import { copyShippedConfig } from '#support/config/shipped.ts';
import { writeMigrated } from '#support/databases.ts';
import { openedForAll } from '#support/opened.ts';
import { copyTemplate } from '#support/service-template.ts';
import { refusal as refusalOf, told } from './backup-parts.ts';

/** Folders that were flushed to the disk, in order, below the folder of the tests. */
let synced: string[] = [];
const disk = await import('#shared/disk.ts');
jest.unstable_mockModule('#shared/disk.ts', () => ({
  ...disk,
  syncFolder: async (path: string) => void synced.push(relative(folder, path)),
}));
const { loadSettings } = await import('#config/index.ts');
const { makeBackup } = await import('#server/backup/make-backup.ts');
const { openKeyVault } = await import('#server/open-service-keys.ts');
const { recordByOperator } = await import('#server/audit/operator-audit.ts');
const { restoreBackup } = await import('#server/backup/restore-backup.ts');

const folder = mkdtempSync(join(tmpdir(), 'hygie-whole-'));
const backup = join(folder, 'backup');
const small = join(folder, 'small');
const SECRET = 'a-secret-of-the-tests-that-opens-nothing';
let settings: Settings;
let manifest: Manifest;

const own = process.env;
beforeAll(() => {
  process.env = { ...own, HYGIE_COMMAND: 'hygie' };
});
afterAll(() => {
  process.env = own;
});
const place = openedForAll(async () => {
  await copyTemplate('sqlite', join(folder, 'data'));
  copyShippedConfig(join(folder, 'config'));
  writeFileSync(join(folder, 'data', 'key-secret'), `${SECRET}\n`, { mode: 0o600 });
  settings = await settingsOf('data');
  const database = openDatabase(settings.database);
  // One key: the secret is derived anew for each.
  const [kept] = await database('service_keys').whereNot({ id: 'lock' }).orderBy('id').pluck('id');
  await database('service_keys').whereNotIn('id', ['lock', kept]).delete();
  await encryptKeys(openKeyVault(database, settings));
  await recordByOperator(database, settings.keys, [{ event: 'key.encrypted' }]);
  const stop = async () => {
    await database.destroy();
    rmSync(folder, { recursive: true, force: true });
  };
  return { database, stop };
});
const settingsOf = (data: string) =>
  loadSettings({ HYGIE_CONFIG: join(folder, 'config'), HYGIE_DATA: join(folder, data) });

const make = (target: string, more: Partial<Parameters<typeof makeBackup>[0]> = {}, to = told()) =>
  makeBackup({
    database: place.database,
    settings,
    folder: target,
    withDirectory: true,
    withKey: true,
    ...to,
    ...more,
  });
const restore = (from: string, into: Settings, more: Partial<Parameters<typeof restoreBackup>[0]> = {}, to = told()) =>
  restoreBackup({
    folder: from,
    settings: into,
    endSessions: false,
    lostSecret: false,
    unsealed: false,
    ...to,
    ...more,
  });
/** The message of a refusal, whatever process holds the lock. */
const refusal = async (attempt: Promise<unknown>) =>
  (await refusalOf(attempt, folder)).replaceAll(/\d+ on \S+\)/g, 'N on HOST)');
const files = (path: string) =>
  readdirSync(path, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((name) => name.replace(/^directory\/[\w-]+\.sqlite/, 'directory/ID.sqlite'))
    .filter((name) => !name.endsWith('.lock'));

let made: ReturnType<typeof told>;
let flushed: string[];
beforeAll(async () => {
  synced = [];
  made = told();
  manifest = await make(backup, {}, made);
  flushed = [...synced];
  await markSandbox(place.database);
  // Without a secret, which would be derived again at each use.
  const without = { ...settings, keys: { ...settings.keys, secrets: [] } };
  await make(small, { settings: without, withDirectory: false, withKey: false });
});

describe('a backup', () => {
  it('has these files, private, and is on the disk when it has its name', () => {
    expect(files(backup)).toEqual([
      'config',
      'config/clients.yaml',
      'config/service.yaml',
      'directory',
      'directory/ID.sqlite',
      'hygie.sqlite',
      'key-secret',
      'manifest.json',
    ]);
    for (const name of readdirSync(backup, { recursive: true, encoding: 'utf8' })) {
      const { mode } = statSync(join(backup, name));
      expect([name, mode & 0o777]).toEqual([name, statSync(join(backup, name)).isDirectory() ? 0o700 : 0o600]);
    }
    const unfinished = expect.stringMatching(/^\.hygie-unfinished-\w+$/);
    const inside = (name: string) => expect.stringMatching(new RegExp(`^\\.hygie-unfinished-\\w+/${name}$`));
    expect(flushed).toEqual([inside('config'), inside('directory'), unfinished, '']);
  });

  it('says its steps', () => {
    expect([[...made.steps], made.lines]).toEqual([['database (pages)', 'directory (MiB)', 'checksums (MiB)'], []]);
  });

  it('is described by its manifest', () => {
    expect(manifest).toEqual(manifestIn(backup));
    const { created, database, directory, seal, auditHead, keys, ...rest } = manifest;
    expect(Date.parse(created)).toBeLessThanOrEqual(Date.now());
    expect([database.engine, database.kind, Object.keys(database.tables).length > 20]).toEqual([
      'sqlite',
      'sqlite',
      true,
    ]);
    expect(rest).toMatchObject({ format: 1, issuer: settings.issuer, sandbox: false });
    expect([keys.encrypted, keys.secrets.length, keys.fileIncluded]).toEqual([true, 1, true]);
    expect([directory.included, directory.current?.file]).toEqual([true, `${directory.current?.id}.sqlite`]);
    expect(seal).toMatch(/^[\w-]{8}\.[\w-]{22}$/);
    expect(auditHead).toMatch(/^1:[\w-]{43}$/);
  });

  it('without directory and key has neither, and one of a sandbox says so', () => {
    const { directory, keys, sandbox, seal } = manifestIn(small);
    expect([directory.included, sandbox, keys, seal]).toEqual([
      false,
      true,
      { encrypted: true, secrets: [], fileIncluded: false },
      undefined,
    ]);
    expect(files(small)).toEqual([
      'config',
      'config/clients.yaml',
      'config/service.yaml',
      'hygie.sqlite',
      'manifest.json',
    ]);
  });

  it('that cannot be made is refused with the remedy, and leaves nothing', async () => {
    const occupied = join(folder, 'occupied');
    mkdirSync(occupied);
    writeFileSync(join(occupied, 'x'), '');
    writeFileSync(join(folder, 'file'), '');
    const [snapshot = ''] = readdirSync(join(folder, 'data', 'directory')).filter((name) => name.endsWith('.sqlite'));
    const before = readdirSync(folder);
    const elsewhere = { ...settings, dataFolder: join(folder, 'empty-data') };
    const refusals = [
      await refusal(make(join(folder, 'data'))),
      await refusal(make(join(folder, 'data', 'backup'))),
      await refusal(make(occupied)),
      await refusal(make(join(folder, 'file'))),
      await refusal(make(join(folder, 'new'), { format: 'copy' })),
      await refusal(make(join(folder, 'new'), { settings: elsewhere })),
      await refusal(make(join(folder, 'new'), { settings: elsewhere, withKey: false })),
    ];
    mkdirSync(join(folder, 'damaged', 'directory'), { recursive: true });
    cpSync(join(folder, 'data', 'directory', snapshot), join(folder, 'damaged', 'directory', snapshot));
    chmodSync(join(folder, 'damaged', 'directory', snapshot), 0o600);
    writeFileSync(join(folder, 'damaged', 'directory', snapshot), 'x', { flag: 'a' });
    const damaged = { settings: { ...settings, dataFolder: join(folder, 'damaged') }, withKey: false };
    refusals.push(await refusal(make(join(folder, 'new'), damaged)));
    rmSync(join(folder, 'damaged'), { recursive: true });
    expect(refusals.map((text) => text.replaceAll(snapshot.replace('.sqlite', ''), 'ID'))).toMatchSnapshot();
    expect(readdirSync(folder)).toEqual(before);
  });
});

describe('a restore', () => {
  it('puts everything in its place, flushes it, and says its steps', async () => {
    const into = await settingsOf('restored');
    synced = [];
    const to = told();
    // Its folders are private whatever the umask is, also while it runs.
    const umask = process.umask(0);
    const modes: Record<string, number> = {};
    const look = (name: string) => Object.assign(modes, { [name]: statSync(join(into.dataFolder, name)).mode & 0o777 });
    const onProgress: OnProgress = (step) => {
      to.onProgress(step);
      if (step.name === 'copying') look('restore-unfinished/directory');
      // Another program has the copied file open, so that the log does not go when the restore closes the file.
      const staged = join(into.dataFolder, 'restore-unfinished/hygie.sqlite');
      if (existsSync(staged)) reader ??= new BetterSqlite3(staged);
      for (const pragma of ['journal_mode = WAL', 'user_version']) reader?.pragma(pragma);
    };
    let reader: BetterSqlite3.Database | undefined;
    const report = await restore(backup, into, { endSessions: true, onProgress }, to);
    process.umask(umask);
    reader?.close();
    expect(look('directory')).toEqual({ directory: 0o700, 'restore-unfinished/directory': 0o700 });
    expect(files(into.dataFolder)).toEqual(['directory', 'directory/ID.sqlite', 'hygie.sqlite', 'key-secret']);
    expect(synced).toEqual(['restored/restore-unfinished', 'restored/directory', 'restored', 'restored']);
    expect([[...to.steps], to.lines]).toEqual([['checksums (MiB)', 'contents (rows)', 'copying (MiB)'], []]);
    expect(report).toMatchObject({ seal: 'valid', faults: [], notices: [], migrations: [], endedSessions: 0 });
    const copy = openDatabase(into.database);
    const record = await copy('audit_events').where({ event: 'restore.done' }).first();
    await copy.destroy();
    expect([record.event, JSON.parse(record.details)]).toEqual([
      'restore.done',
      { made: manifest.created, version: manifest.hygie, head: manifest.auditHead, sessionsEnded: 0 },
    ]);
    expect(readFileSync(join(into.dataFolder, 'key-secret'), 'utf8')).toBe(
      readFileSync(join(folder, 'data', 'key-secret'), 'utf8'),
    );
  });

  it('into a place that has something is refused, and so is one while another is under way', async () => {
    const occupied = await settingsOf('taken');
    mkdirSync(join(occupied.dataFolder, 'directory'), { recursive: true });
    for (const name of ['hygie.sqlite', 'hygie.sqlite-wal', 'hygie.sqlite-journal', 'directory/a.sqlite'])
      writeFileSync(join(occupied.dataFolder, name), '');
    const locked = await settingsOf('locked');
    mkdirSync(locked.dataFolder);
    const lock = await takeImportLock(locked.dataFolder, place.database);
    const texts = [await refusal(restore(small, occupied)), await refusal(restore(small, locked))];
    await lock.release();
    expect(texts).toMatchSnapshot();
  });

  it('of another backup than the one that was not finished is refused', async () => {
    const into = await settingsOf('unfinished');
    const staging = join(into.dataFolder, 'restore-unfinished');
    mkdirSync(staging, { recursive: true });
    await writeMigrated(join(into.dataFolder, 'hygie.sqlite'));
    const other = { ...manifest, created: '2026-01-01T00:00:00.000Z' };
    writeFileSync(join(staging, 'manifest.json'), JSON.stringify(other));
    expect(await refusal(restore(small, into))).toMatchSnapshot();
    // The same one goes on, and finds that its place was filled by somebody else.
    cpSync(join(small, 'manifest.json'), join(staging, 'manifest.json'));
    expect(await refusal(restore(small, into))).toMatchSnapshot();
  });

  it('leaves a database alone that a service made here while it ran', async () => {
    const into = await settingsOf('raced');
    const file = join(into.dataFolder, 'hygie.sqlite');
    const onProgress: OnProgress = ({ name }) => name === 'copying' && writeFileSync(file, 'made');
    expect(await refusal(restore(small, into, { onProgress, unsealed: true }))).toContain('is there already.');
    expect(readFileSync(file, 'utf8')).toBe('made');
  });

  it('of a damaged backup names each fault', async () => {
    const damaged = join(folder, 'unsound');
    cpSync(backup, damaged, { recursive: true });
    rmSync(join(damaged, 'config', 'clients.yaml'));
    mkdirSync(join(damaged, 'config', 'clients.yaml'));
    rmSync(join(damaged, 'config', 'service.yaml'));
    writeFileSync(join(damaged, 'key-secret'), 'x');
    writeFileSync(join(damaged, 'more'), '');
    writeFileSync(join(damaged, 'hygie.sqlite'), 'x', { flag: 'a' });
    const [snapshot = ''] = manifest.files.filter(({ path }) => path.startsWith('directory/')).map(({ path }) => path);
    const bytes = readFileSync(join(damaged, snapshot));
    bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1);
    writeFileSync(join(damaged, snapshot), bytes);
    const text = await refusal(restore(damaged, await settingsOf('never'), {}));
    expect(text.replaceAll(basename(snapshot), 'ID.sqlite').replaceAll(/\d{2,}/g, 'N')).toMatchSnapshot();
    expect(readdirSync(folder)).not.toContain('never');
  });
});
