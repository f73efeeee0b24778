// operations.md: `backup` as JSON and for a timer, and `migrate`, as an operator or a program reads them.

import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Manifest } from '#server/backup/manifest.ts';
import { type Database, openDatabase } from '#store/database/connection.ts';
import type { Installation } from '#support/cli/hygie.ts';
import { inProcess } from '#support/cli/in-process.ts';
import { migratedInstallation } from '#support/cli/serving.ts';
import { transcript } from '#support/cli/transcript.ts';
import { activity, registerText } from '#support/import/register-files.ts';

describe('backups, word for word', () => {
  let place: Installation;
  let hygie: Installation['hygie'];
  let database: Database;

  beforeEach(async () => {
    place = await migratedInstallation();
    hygie = inProcess(place);
    database = openDatabase({ engine: 'sqlite', file: join(place.folder, 'data', 'hygie.sqlite') });
  });
  afterEach(() => database.destroy());

  const at = (name: string) => join(place.folder, name);
  const manifestOf = (name: string) => JSON.parse(readFileSync(at(`${name}/manifest.json`), 'utf8')) as Manifest;
  const grouped = (number: number) => String(number).replace(/\B(?=(\d{3})+$)/g, ' ');
  /** What was written, with the sums of a manifest as `SUMS`, and names of snapshots, fingerprints and digests replaced. */
  const said = async (steps: Parameters<typeof transcript>[1], ...backups: string[]) => {
    let text = await transcript({ ...place, hygie }, steps);
    for (const { database: copy, files } of backups.map(manifestOf)) {
      const rows = Object.values(copy.tables).reduce((sum, count) => sum + count, 0);
      const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
      text = text.replaceAll(
        `${grouped(rows)} rows; ${files.length} files, ${grouped(Math.ceil(bytes / 1024))} KiB`,
        'SUMS',
      );
    }
    return text
      .replaceAll(/\b\d{8}T\d{9}Z-[0-9a-f]+/g, 'SNAPSHOT')
      .replaceAll(/(fingerprint )[\w-]{16}/g, '$1PRINT')
      .replaceAll(/\b(\d+:)[\w-]{43}/g, '$1DIGEST');
  };
  /** Loads an edition of one person. */
  const loaded = async () => {
    place.configure('service.yaml', 'namespace: https://hygie.example\n');
    writeFileSync(at('edition.txt'), registerText('activities', [activity()]));
    expect((await hygie(['directory', 'import', '--accept', 'partial', at('edition.txt')])).code).toBe(0);
  };

  it('as JSON', async () => {
    const json = async (...args: string[]) => {
      const { code, stdout, stderr } = await hygie(
        args,
        args[0] === 'restore' ? { env: { HYGIE_DATA: at('restored') } } : {},
      );
      return { code, printed: JSON.parse(stdout || 'null'), stderr };
    };
    const made = await json('backup', at('one'), '--json');
    expect([made.code, made.printed]).toEqual([0, manifestOf('one')]);
    const { manifest, ...verified } = (await json('backup', '--verify', at('one'), '--json')).printed;
    expect([verified, manifest]).toEqual([
      { sound: true, faults: [], notices: ['The manifest has no seal: it was made without HYGIE_KEY_SECRET.'] },
      manifestOf('one'),
    ]);
    const restored = await json('restore', at('one'), '--json');
    expect(restored.printed).toEqual({ restored: true, migrations: [], manifest: manifestOf('one') });
    writeFileSync(at('one/hygie.sqlite'), 'changed');
    const unsound = await json('backup', '--verify', at('one'), '--json');
    expect(unsound).toMatchObject({
      code: 1,
      printed: { sound: false, faults: [expect.stringContaining('hygie.sqlite')] },
    });
    expect(unsound.stderr).toMatch(/^The backup \S+ is not sound\.\n {2}\S.*\n$/);
  });

  it('--notify tells the operator by mail, where there is one', async () => {
    place.configure('service.yaml', '');
    const queued = async () => {
      const rows = await database('mail_queue').orderBy('id');
      return rows.map(({ kind, address, details }) => [kind, address, details.replaceAll(place.folder, 'DIR')]);
    };
    const steps = [
      'backup --verify DIR/nothing --notify',
      'backup --verify DIR/nothing --notify --with-key',
      ['backup --verify DIR/nothing --notify', { env: { HYGIE_DATA: at('nowhere') } }],
    ] as const;
    expect(await said(steps)).toBe(`$ backup --verify DIR/nothing --notify
! No mail was sent: mail.operator is not set in service.yaml.
! DIR/nothing is no backup: it has no manifest.json.
! Remedy: name the folder that \`backup\` has made.
exit 1
$ backup --verify DIR/nothing --notify --with-key
! --verify takes no other options than --unsealed, --notify and --json.
! See: hygie backup --help
exit 2
$ backup --verify DIR/nothing --notify
! No mail was sent: mail.operator is not set in service.yaml.
! DIR/nothing is no backup: it has no manifest.json.
! Remedy: name the folder that \`backup\` has made.
exit 1`);
    expect(await queued()).toEqual([]);
    place.configure(
      'service.yaml',
      'mail: { host: mail.example, from: hygie@n.example, security: none, operator: ops@n.example }\n',
    );
    expect(await said(steps.slice(0, 1))).toBe(`$ backup --verify DIR/nothing --notify
! DIR/nothing is no backup: it has no manifest.json.
! Remedy: name the folder that \`backup\` has made.
exit 1`);
    expect(await queued()).toEqual([
      [
        'operator',
        'ops@n.example',
        '{"reasons":"backup DIR/nothing\\nDIR/nothing is no backup: it has no manifest.json.\\nRemedy: name the folder that `backup` has made."}',
      ],
    ]);
    // What goes well is no news.
    expect(await said(['backup DIR/one --notify'], 'one')).toBe(`$ backup DIR/one --notify
> Backup: DIR/one, made TIME
>   SQLite file, SUMS
>   directory: without its files
>   head of the audit trail: 0:DIGEST
! database: DIR/data/hygie.sqlite (development)`);
    expect(await queued()).toHaveLength(1);
  });

  it('migrate says what it did, and what a release would do with the edition in force', async () => {
    const applied: string[] = (await database('knex_migrations').orderBy('id')).map(({ name }) => name);
    const status = async (env = {}) => {
      const { code, stdout, stderr } = await hygie(['migrate', '--status'], { env });
      return [
        code,
        stdout
          .trim()
          .split('\n')
          .map((line) => line.replace(/ {2}\d{14}_.*/, '')),
        stderr,
      ];
    };
    const all = (word: string) => applied.map(() => word);
    expect(await status()).toEqual([0, all('applied'), '']);
    expect(await status({ HYGIE_DATA: at('nowhere') })).toEqual([0, all('pending'), '']);
    expect(existsSync(at('nowhere'))).toBe(false);
    expect(await said(['migrate', 'migrate --json'])).toBe(`$ migrate
! database: DIR/data/hygie.sqlite (development)
! The database has the newest schema.
$ migrate --json
> {"applied":[],"pending":[]}
! database: DIR/data/hygie.sqlite (development)
! The database has the newest schema.`);
    const fresh = await hygie(['migrate'], { env: { HYGIE_DATA: at('fresh') } });
    expect(fresh).toMatchObject({ code: 0, stdout: `${applied.join('\n')}\n` });
    expect(fresh.stderr).toMatch(
      new RegExp(
        `^database: ${at('fresh')}/hygie.sqlite \\(development\\)\\n[\\s\\S]*Applied: ${applied.length}\\.\\n$`,
      ),
    );
    await loaded();
    expect((await status())[2]).toBe('directory: this release reads the edition in force as it is\n');
    const json = JSON.parse((await hygie(['migrate', '--status', '--json'])).stdout);
    expect(json).toEqual({ applied, pending: [], directory: 'read' });
    rmSync(at('data/directory'), { recursive: true });
    expect((await status())[2]).toBe(
      'directory: the file of the edition in force is not in this data folder: ask where it is\n',
    );
  });
});
