// operations.md: what a start prepares and says: the schema, and a demonstration its people and directory, again where that has another layout.

import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import BetterSqlite3 from 'better-sqlite3';
import { loadSettings } from '#config/index.ts';
import type { Settings } from '#config/settings.ts';
import { prepareStart } from '#server/start/prepare-start.ts';
import { createLog } from '#shared/log/log.ts';
import { openAccounts } from '#store/accounts/accounts.ts';
import { openDatabase } from '#store/database/connection.ts';
import { markSandbox } from '#store/database/sandbox-mark.ts';
import { hasOtherLayout, snapshotFolder } from '#store/snapshots/folder.ts';
import { takeImportLock } from '#store/snapshots/import-lock.ts';
import { findCurrentSnapshot } from '#store/snapshots/registry.ts';
import { SHIPPED_CONFIG } from '#support/config/shipped.ts';
import { writeMigrated } from '#support/databases.ts';
import { newFolder } from '#support/new-folder.ts';
import { DEMO_ACCOUNTS } from '#support/service.ts';
import { copyTemplate } from '#support/service-template.ts';
import { until } from '#support/until.ts';

describe('operations.md: a demonstration after an upgrade, with a directory of another layout', () => {
  let folder: string;
  beforeEach(async () => {
    folder = newFolder();
    await copyTemplate('sqlite', folder);
  });

  const startUpon = async (change: Record<string, string>) => {
    const settings = await loadSettings({ HYGIE_CONFIG: SHIPPED_CONFIG, HYGIE_DATA: folder });
    const database = openDatabase(settings.database);
    try {
      const before = await findCurrentSnapshot(database);
      const file = join(snapshotFolder(folder), before?.file ?? '');
      chmodSync(file, 0o644);
      const snapshot = new BetterSqlite3(file);
      snapshot.exec("update property set value = '3' where name = 'layout'");
      snapshot.close();
      if (Object.keys(change).length > 0) await database('directory_snapshots').update(change);
      await openAccounts(database).create([{ email: 'ann@clinic.example', name: 'Ann', practitioners: ['nobody'] }]);
      const linked_as = JSON.stringify({ 'Practitioner/nobody': { family: 'MARTIN' } });
      await database('accounts').where({ email: 'ann@clinic.example' }).update({ linked_as });
      const lines: string[] = [];
      const log = createLog({ level: 'info', format: 'json' }, { write: (line: string) => void lines.push(line) });
      const state = await prepareStart(settings, log);
      const after = await findCurrentSnapshot(database);
      return {
        state,
        actors: await database('audit_events').where({ event: 'account.link-suspended' }).pluck('actor'),
        lines: lines.join(''),
        replaced: after?.id !== before?.id,
        readable: !hasOtherLayout(after, folder),
      };
    } finally {
      await database.destroy();
    }
  };

  it('loads the fictional one again', async () => {
    const { state, lines, ...found } = await startUpon({});
    expect(found).toEqual({ replaced: true, readable: true, actors: ['service'] });
    expect(state.directory).toBe(true);
    expect(lines).toContain('the fictional directory is imported');
  });

  it('leaves one that an operator imported, and names the remedy', async () => {
    const { state, lines, ...found } = await startUpon({ sources_checksum: 'of other files' });
    expect(found).toEqual({ replaced: false, readable: false, actors: [] });
    expect(state.directory).toBe(false);
    expect(lines).toMatch(/another layout.*is rebuilt.*import its edition again.*directory import PATH/);
  });
});

describe('operations.md: what a start prepares', () => {
  let folder: string;
  let said: unknown[][];
  beforeEach(() => {
    [folder, said] = [newFolder(), []];
  });
  const log = Object.fromEntries(
    ['info', 'warn', 'error'].map((level) => [level, (...line: unknown[]) => void said.push([level, ...line])]),
  ) as never;
  const settingsOf = async (more: Partial<Settings> = {}): Promise<Settings> => ({
    ...(await loadSettings({ HYGIE_CONFIG: SHIPPED_CONFIG, HYGIE_DATA: folder })),
    ...more,
  });
  const file = () => join(folder, 'hygie.sqlite');

  it('an empty folder gets the schema, and a demonstration its directory and its people, once', async () => {
    chmodSync(folder, 0o755);
    expect(await prepareStart(await settingsOf(), log)).toEqual({ directory: true, accounts: true });
    const counts = { Practitioner: expect.any(Number), Organization: expect.any(Number) };
    expect(said).toEqual([
      ['warn', expect.stringMatching(/^HYGIE_DATA \(.*\) could be read by others: made private/)],
      [
        'info',
        { migrations: expect.arrayContaining([expect.stringMatching(/\.ts$/)]) },
        'the database has the newest schema',
      ],
      [
        'info',
        { outcome: 'imported', resources: expect.objectContaining(counts) },
        'the fictional directory is imported',
      ],
      ['info', 'the demo accounts are there'],
    ]);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    const database = openDatabase({ engine: 'sqlite', file: file() });
    expect(await openAccounts(database).count()).toBe(DEMO_ACCOUNTS.length);
    await database.destroy();
    said = [];
    expect(await prepareStart(await settingsOf(), log)).toEqual({ directory: true, accounts: true });
    expect(said).toEqual([]);
  });

  it('a service that is no demonstration gets the schema alone, and is told what is lacking', async () => {
    expect(await prepareStart(await settingsOf({ demo: false }), log)).toEqual({ directory: false, accounts: false });
    expect(said.map(([, , message]) => message)).toEqual(['the database has the newest schema']);
    const database = openDatabase({ engine: 'sqlite', file: file() });
    await openAccounts(database).create([{ email: 'ann@clinic.example', name: 'Ann' }]);
    await database.destroy();
    expect(await prepareStart(await settingsOf({ demo: false }), log)).toEqual({ directory: false, accounts: true });
    expect(said).toHaveLength(1);
  });

  it('people who were added keep the fictional ones out', async () => {
    await copyTemplate('sqlite', folder);
    const database = openDatabase({ engine: 'sqlite', file: file() });
    await database('accounts').delete();
    await openAccounts(database).create([{ email: 'ann@clinic.example', name: 'Ann' }]);
    expect(await prepareStart(await settingsOf(), log)).toEqual({ directory: true, accounts: true });
    expect([await openAccounts(database).count(), said]).toEqual([1, []]);
    await database.destroy();
  });

  it('while another instance loads the directory it is waited for, and nothing is loaded twice', async () => {
    await copyTemplate('sqlite', folder);
    const database = openDatabase({ engine: 'sqlite', file: file() });
    const [{ current } = { current: undefined }] = await database('directory_pointer').select('current');
    await database('directory_pointer').update({ current: null });
    const lock = await takeImportLock(folder, database);
    const { keys, ...settings } = await settingsOf();
    // Each attempt reads them once.
    let attempts = 0;
    const counted = {
      ...settings,
      get keys() {
        attempts += 1;
        return keys;
      },
    };
    const started = prepareStart(counted, log);
    await Promise.race([started, until(() => attempts > 1, 'a second attempt')]);
    await database('directory_pointer').update({ current });
    await lock.release();
    expect([await started, said]).toEqual([{ directory: true, accounts: true }, []]);
    await database.destroy();
  });

  it('nothing is done where a restore was not finished, or in production with the data of a sandbox', async () => {
    mkdirSync(join(folder, 'restore-unfinished'));
    writeFileSync(join(folder, 'restore-unfinished', 'manifest.json'), '{}');
    await expect(prepareStart(await settingsOf(), log)).rejects.toThrow(
      /^A restore into HYGIE_DATA \(.*\) is under way, or was not finished\.\nRemedy: run `.*restore DIR` again/s,
    );
    folder = newFolder();
    await writeMigrated(file());
    const database = openDatabase({ engine: 'sqlite', file: file() });
    await markSandbox(database);
    await database.destroy();
    chmodSync(file(), 0o600);
    await expect(prepareStart(await settingsOf({ mode: 'production', demo: false }), log)).rejects.toThrow(
      /^The database is that of a sandbox/,
    );
    expect(said).toEqual([]);
  });
});
