// "backup --verify" and the refusals of "restore" by command, on both engines: nothing is restored of a backup that was forged, and a restore
// that was killed goes on. Each fault and each reason: `parts.test.ts`, `verify-backup.test.ts`.

import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { addMigration, forge, rewrite } from '#support/backup/changed-backups.ts';
import { bothEngines } from '#support/both-engines.ts';
import { type Installation, installation } from '#support/cli/hygie.ts';
import { inProcess } from '#support/cli/in-process.ts';
import { newDatabase } from '#support/databases.ts';

describe.each(bothEngines('server/backup/unsound-backups.system'))('backups on %s', (engine) => {
  const removals: (() => Promise<void>)[] = [];
  let place: Installation;
  let hygie: Installation['hygie'];
  let backup: string;
  let empty: Record<string, string>;

  const emptyPlace = async (name: string): Promise<Record<string, string>> => {
    const { settings, remove } = await newDatabase(engine);
    removals.push(remove);
    return {
      HYGIE_DATA: join(place.folder, name),
      ...(settings.engine === 'postgresql' && { DATABASE_URL: settings.url }),
    };
  };
  /** A copy of the sound backup, after `change`. */
  const changed = (name: string, change: (folder: string) => void): string => {
    const folder = join(place.folder, name);
    cpSync(backup, folder, { recursive: true });
    change(folder);
    return folder;
  };
  const expectRefused = async (folder: string, fault: RegExp) => {
    const verified = await hygie(['backup', '--verify', folder]);
    expect([verified.code, verified.stdout, verified.stderr]).toEqual([1, '', expect.stringMatching(fault)]);
    const restored = await hygie(['restore', folder], { env: empty });
    expect([restored.code, restored.stdout, restored.stderr]).toEqual([1, '', expect.stringMatching(fault)]);
    expect(existsSync(empty['HYGIE_DATA'] ?? '')).toBe(false);
  };

  beforeAll(async () => {
    place = installation();
    const own = await emptyPlace('data');
    place = { ...place, environment: { ...place.environment, ...own } };
    hygie = inProcess(place);
    await hygie(['migrate']);
    await hygie(['accounts', 'add', '--email', 'a@clinic.example', '--name', 'a']);
    await hygie(['accounts', 'disable', 'a@clinic.example']);
    backup = join(place.folder, 'backup');
    const format = engine === 'sqlite' ? [] : ['--format', 'copy'];
    expect((await hygie(['backup', backup, ...format])).code).toBe(0);
    empty = await emptyPlace('empty');
  });
  afterAll(async () => {
    for (const remove of removals) await remove();
  });

  it('SEC-67 tells of a database that was changed together with its checksum, by the audit trail', async () => {
    const forged = changed('forged', (folder) => forge(folder));
    await expectRefused(forged, /audit trail, record 2: changed/);
  });

  // The steps before the database are the same on both.
  const once = engine === 'sqlite' ? it : () => {};
  once('nothing in a backup takes the place of what was verified, or drives the terminal', async () => {
    const named = changed('named', (folder) => writeFileSync(join(folder, '\x1b[2Jname'), ''));
    await expectRefused(named, /\n {2}\\x1b\[2Jname is no part of the backup/);
    const unnamed = changed('unnamed', (folder) => addMigration(folder, '2999_new.ts'));
    await expectRefused(unnamed, /another schema than the manifest/);

    // Of the same name as the database, once it stood beside it.
    const two = changed('two', (folder) => {
      mkdirSync(join(folder, 'directory'));
      writeFileSync(join(folder, 'directory', 'hygie.sqlite'), 'another');
      const own = { id: 'hygie', file: 'hygie.sqlite', created: '2026-01-01T00:00:00.000Z' };
      rewrite(folder, ({ files, directory }) => ({
        files: [...files, { path: 'directory/hygie.sqlite', bytes: 0, sha256: '' }],
        directory: { ...directory, current: own, included: true },
      }));
    });
    const env = await emptyPlace('two-databases');
    expect((await hygie(['restore', two], { env })).code).toBe(0);
    expect(JSON.parse((await hygie(['accounts', 'list', '--json'], { env })).stdout)).toHaveLength(1);
  });

  it('what a killed restore has left is begun anew, or finished; until then nothing else works there', async () => {
    const env = await emptyPlace('killed');
    const staging = join(env['HYGIE_DATA'] ?? '', 'restore-unfinished');
    mkdirSync(staging, { recursive: true });
    cpSync(join(backup, 'manifest.json'), join(staging, 'manifest.json'));
    for (const command of [['accounts', 'list'], ['migrate'], ['backup', join(place.folder, 'other')]]) {
      const refused = await hygie(command, { env });
      expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/not finished|no database/)]);
    }
    expect((await hygie(['restore', backup], { env })).code).toBe(0);
    // Killed once the database was there, which is never filled twice.
    mkdirSync(staging);
    cpSync(join(backup, 'manifest.json'), join(staging, 'manifest.json'));
    expect((await hygie(['restore', backup], { env })).code).toBe(0);
    expect(existsSync(staging)).toBe(false);
    expect(JSON.parse((await hygie(['accounts', 'list', '--json'], { env })).stdout)).toHaveLength(1);
  });
});
