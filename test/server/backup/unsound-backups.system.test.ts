// "backup --verify" and the refusals of "restore": each fault of a backup is named, and nothing is restored of it; an earlier schema
// is migrated, a newer one refused; sandbox and production are kept apart.

import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Database, openDatabase } from '#store/database/connection.ts';
import { markSandbox } from '#store/database/sandbox-mark.ts';
import { addMigration, forge, manifestIn, rewrite } from '#support/backup/changed-backups.ts';
import { bothEngines } from '#support/both-engines.ts';
import { type Installation, installation } from '#support/cli/hygie.ts';
import { inProcess } from '#support/cli/in-process.ts';
import { newDatabase } from '#support/databases.ts';

const NEWER = '2999_new.ts';
const EARLY = '20261124010000_initials.ts';
const SECRET = { HYGIE_KEY_SECRET: 'a secret of the operator, long enough to be one' };

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
  const expectRefused = async (folder: string, fault: RegExp, env: Record<string, string> = {}) => {
    const verified = await hygie(['backup', '--verify', folder], { env });
    expect([verified.code, verified.stdout, verified.stderr]).toEqual([1, '', expect.stringMatching(fault)]);
    const restored = await hygie(['restore', folder], { env: { ...empty, ...env } });
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

  it('names what is changed', async () => {
    const name = engine === 'sqlite' ? 'hygie.sqlite' : 'database/accounts.ndjson.gz';
    const flipped = changed('flipped', (folder) => {
      const bytes = readFileSync(join(folder, name));
      bytes.writeUInt8(bytes.readUInt8(bytes.length - 9) ^ 1, bytes.length - 9);
      writeFileSync(join(folder, name), bytes);
    });
    await expectRefused(flipped, /is not sound.*\n +\S+ was changed: its checksum/);
  });

  it('--notify tells the operator of a backup that was not made or is not sound, and of no other', async () => {
    const told = async () => Number.parseInt((await hygie(['mail', 'queue'])).stdout, 10);
    const damaged = changed('damaged by night', (folder) => truncateSync(join(folder, 'manifest.json'), 99));
    const unset = await hygie(['backup', '--verify', '--notify', damaged]);
    expect(unset).toMatchObject({ code: 1, stderr: expect.stringContaining('mail.operator is not set') });
    place.configure(
      'service.yaml',
      'mail: { host: localhost, security: none, from: a@b.example, operator: c@d.example }',
    );
    expect((await hygie(['backup', '--verify', '--notify', backup])).code).toBe(0);
    expect(await told()).toBe(0);
    expect((await hygie(['backup', '--verify', '--notify', damaged])).code).toBe(1);
    expect(await told()).toBe(1);
    expect((await hygie(['backup', '--notify', backup])).code).toBe(1);
    expect(await told()).toBe(2);
    place.configure('service.yaml', '');
  });

  it('SEC-67 tells of a database that was changed together with its checksum, by the audit trail', async () => {
    const forged = changed('forged', (folder) => forge(folder));
    await expectRefused(forged, /audit trail, record 2: changed/);
  });

  // The same on both: on one of them, deriving keys takes its time.
  const once = engine === 'sqlite' ? it : () => {};
  once('SEC-67 a seal tells of a manifest that was changed with all checksums', async () => {
    const sealed = join(place.folder, 'sealed');
    expect((await hygie(['backup', sealed], { env: SECRET })).code).toBe(0);
    expect((await hygie(['backup', '--verify', sealed], { env: SECRET })).code).toBe(0);
    rewrite(sealed, () => ({ sandbox: true }));
    await expectRefused(sealed, /manifest\.json was changed: its seal is wrong/, SECRET);
    // Whoever changes it can leave the seal out, or seal it with a secret of their own.
    const restore = (env: Record<string, string>, ...options: string[]) =>
      hygie(['restore', sealed, ...options], { env: { ...env, ...SECRET } });
    rewrite(sealed, () => ({ sandbox: false, seal: undefined }));
    expect(await restore(empty)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/manifest\.json has no seal, and a secret is set here.*--unsealed/),
    });
    rewrite(sealed, () => ({ seal: `AAAAAAAA.${'A'.repeat(22)}` }));
    expect(await restore(empty)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/has not sealed the manifest.*\n +Remedy: .*--unsealed/),
    });
    expect(await restore(await emptyPlace('taken'), '--unsealed')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('seal of the manifest was not checked'),
    });
  });

  // What is in a backup was perhaps put there by somebody else.
  once(
    'nothing in a backup leads out of its folder, takes the place of what was verified, or drives the terminal',
    async () => {
      const outside = changed('outside', (folder) => {
        rewrite(folder, ({ database }) => ({ database: { ...database, tables: { '../../outside/x': 0 } } }));
      });
      await expectRefused(outside, /manifest\.json is damaged: database\.tables/);
      const absolute = changed('absolute', (folder) => {
        const manifest = manifestIn(folder);
        const files = [...manifest.files, { path: '/etc/hosts', bytes: 1, sha256: '' }];
        writeFileSync(join(folder, 'manifest.json'), JSON.stringify({ ...manifest, files }));
      });
      await expectRefused(absolute, /manifest\.json is damaged: files/);
      const linked = changed('linked', (folder) => {
        rmSync(join(folder, 'config', 'clients.yaml'));
        symlinkSync('/etc/hosts', join(folder, 'config', 'clients.yaml'));
      });
      await expectRefused(linked, /config\/clients\.yaml is no file/);
      const named = changed('named', (folder) => writeFileSync(join(folder, '\x1b[2Jname'), ''));
      await expectRefused(named, /\n {2}\\x1b\[2Jname is no part of the backup/);
      const coloured = changed('coloured', (folder) => rewrite(folder, () => ({ hygie: '\x1b]0;x\x07' })));
      await expectRefused(coloured, /manifest\.json is damaged: hygie/);

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
    },
  );

  it('a newer schema, and one of before 1.0.0, are refused with the remedy', async () => {
    const tomorrow = changed('tomorrow', (folder) => {
      if (engine === 'sqlite') addMigration(folder, NEWER);
      rewrite(folder, ({ database }) => ({
        hygie: '9.0.0',
        database: { ...database, schema: [...database.schema, NEWER] },
      }));
    });
    const refused = await hygie(['restore', tomorrow], { env: empty });
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringMatching(/newer release \(9\.0\.0\).*2999_new\.ts\.\n +Remedy: use that release/s),
    ]);
    expect(existsSync(empty['HYGIE_DATA'] ?? '')).toBe(false);

    if (engine === 'sqlite') {
      const unnamed = changed('unnamed', (folder) => addMigration(folder, NEWER));
      await expectRefused(unnamed, /another schema than the manifest/);
    }

    const early = changed('before-1.0.0', (folder) =>
      rewrite(folder, ({ database }) => ({ hygie: '0.1.0', database: { ...database, schema: [EARLY] } })),
    );
    for (const command of [['restore'], ['backup', '--verify']]) {
      const old = await hygie([...command, early], { env: empty });
      expect([old.code, old.stderr]).toEqual([1, expect.stringMatching(/before 1\.0\.0 \(0\.1\.0\).*Remedy: /s)]);
    }
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
    const other = changed('another', (folder) => rewrite(folder, () => ({ created: '2026-01-01T00:00:00.000Z' })));
    mkdirSync(staging);
    cpSync(join(backup, 'manifest.json'), join(staging, 'manifest.json'));
    expect(await hygie(['restore', other], { env })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Another backup, of'),
    });
    expect((await hygie(['restore', backup], { env })).code).toBe(0);
    expect(existsSync(staging)).toBe(false);
    expect(JSON.parse((await hygie(['accounts', 'list', '--json'], { env })).stdout)).toHaveLength(1);
    // Filled by somebody else between two attempts: an instance that is started again and again.
    const taken = await emptyPlace('taken-meanwhile');
    const aside = join(taken['HYGIE_DATA'] ?? '', 'restore-unfinished');
    expect((await hygie(['migrate'], { env: taken })).code).toBe(0);
    mkdirSync(aside);
    cpSync(join(backup, 'manifest.json'), join(aside, 'manifest.json'));
    const refused = await hygie(['restore', backup], { env: taken });
    expect([refused.code, refused.stdout, refused.stderr]).toEqual([
      1,
      '',
      expect.stringMatching(/differs from the manifest.*audit trail.*missing/s),
    ]);
  });

  once('a sandbox is no production, and the other way round', async () => {
    const env = await emptyPlace('sandbox');
    await hygie(['migrate'], { env });
    const database = openIn(env);
    await markSandbox(database);
    await database.destroy();
    const folder = join(place.folder, 'of-a-sandbox');
    expect((await hygie(['backup', folder], { env })).code).toBe(0);
    const production = { ...empty, ...SECRET, NODE_ENV: 'production', HYGIE_ISSUER: 'https://connect.example.org' };
    const kinds = [
      [folder, {}, 'is of a sandbox, and this is production'],
      [backup, { HYGIE_SANDBOX: '1' }, 'is not of a sandbox'],
    ] as const;
    for (const [of, more, text] of kinds) {
      const refused = await hygie(['restore', '--unsealed', of], { env: { ...production, ...more } });
      expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining(text)]);
    }
    expect(readdirSync(dirname(empty['HYGIE_DATA'] ?? '')).includes('empty')).toBe(false);
  });
});

function openIn({ HYGIE_DATA: data = '', DATABASE_URL: url }: Record<string, string>): Database {
  return openDatabase(url ? { engine: 'postgresql', url } : { engine: 'sqlite', file: join(data, 'hygie.sqlite') });
}
