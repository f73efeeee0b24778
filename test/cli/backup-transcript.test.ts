// operations.md, `backup`, `restore` and `migrate`: all that an operator reads of them. What they do: `test/server/backup`.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Manifest } from '#server/backup/manifest.ts';
import { type Database, openDatabase } from '#store/database/connection.ts';
import type { Installation } from '#support/cli/hygie.ts';
import { inProcess } from '#support/cli/in-process.ts';
import { migratedInstallation } from '#support/cli/serving.ts';
import { transcript } from '#support/cli/transcript.ts';
import { activity, registerText } from '#support/import/register-files.ts';

const SECRET = 'a-secret-of-the-tests-that-opens-nothing';
const OTHER = 'another-secret-that-does-not-open-anything';

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
  const events = async () => {
    const rows = await database('audit_events').where('event', 'like', 'backup.%').orderBy('sequence');
    return rows.map(({ event, details }) => [
      event,
      Object.keys(JSON.parse(details)),
      JSON.parse(details).folder.replace(place.folder, 'DIR'),
    ]);
  };
  /** Loads an edition of one person. */
  const loaded = async () => {
    place.configure('service.yaml', 'namespace: https://hygie.example\n');
    writeFileSync(at('edition.txt'), registerText('activities', [activity()]));
    expect((await hygie(['directory', 'import', '--accept', 'partial', at('edition.txt')])).code).toBe(0);
  };

  it('backup and restore without secret and directory', async () => {
    expect(
      await said(
        [
          'backup DIR/one',
          'backup DIR/one',
          'backup --verify DIR/one',
          'backup DIR/data/inside',
          'backup --unsealed DIR/two',
          'backup --verify DIR/one --with-key',
          'backup --verify DIR/one --with-directory',
          'backup --verify DIR/one --format copy',
          'backup --verify DIR/nothing',
          'backup --with-key DIR/two',
          'backup DIR/two --format tar',
          ['backup DIR/two', { env: { HYGIE_DATA: at('nowhere') } }],
          ['backup --verify DIR/one', { env: { HYGIE_DATA: at('nowhere') } }],
          ['restore DIR/one', { env: { HYGIE_DATA: at('restored') } }],
          ['restore DIR/one', { env: { HYGIE_DATA: at('restored') } }],
          ['restore DIR/one --end-sessions', { env: { HYGIE_DATA: at('ended'), HYGIE_ISSUER: 'https://c.example' } }],
        ],
        'one',
      ),
    ).toBe(`$ backup DIR/one
> Backup: DIR/one, made TIME
>   SQLite file, SUMS
>   directory: without its files
>   head of the audit trail: 0:DIGEST
! database: DIR/data/hygie.sqlite (development)
$ backup DIR/one
! database: DIR/data/hygie.sqlite (development)
! DIR/one is not empty.
! Remedy: name a folder that is not there yet, such as one with the date.
exit 1
$ backup --verify DIR/one
> The backup is sound.
> Backup: DIR/one, made TIME
>   SQLite file, SUMS
>   directory: without its files
>   head of the audit trail: 0:DIGEST
! The manifest has no seal: it was made without HYGIE_KEY_SECRET.
$ backup DIR/data/inside
! database: DIR/data/hygie.sqlite (development)
! DIR/data/inside is inside of HYGIE_DATA (DIR/data): it would be lost with the data.
! Remedy: name a folder elsewhere, better on another disk, and copy it to another machine.
exit 1
$ backup --unsealed DIR/two
! --unsealed goes with --verify.
! See: hygie backup --help
exit 2
$ backup --verify DIR/one --with-key
! --verify takes no other options than --unsealed, --notify and --json.
! See: hygie backup --help
exit 2
$ backup --verify DIR/one --with-directory
! --verify takes no other options than --unsealed, --notify and --json.
! See: hygie backup --help
exit 2
$ backup --verify DIR/one --format copy
! --verify takes no other options than --unsealed, --notify and --json.
! See: hygie backup --help
exit 2
$ backup --verify DIR/nothing
! DIR/nothing is no backup: it has no manifest.json.
! Remedy: name the folder that \`backup\` has made.
exit 1
$ backup --with-key DIR/two
! database: DIR/data/hygie.sqlite (development)
! --with-key: there is no DIR/data/key-secret.
! The secret is in HYGIE_KEY_SECRET: keep it where that comes from.
exit 1
$ backup DIR/two --format tar
! --format is pg_dump or copy, not "tar".
! See: hygie backup --help
exit 2
$ backup DIR/two
! There is no database here.
! Remedy: is HYGIE_DATA (or DATABASE_URL) that of the service?
exit 1
$ backup --verify DIR/one
> The backup is sound.
> Backup: DIR/one, made TIME
>   SQLite file, SUMS
>   directory: without its files
>   head of the audit trail: 0:DIGEST
! The manifest has no seal: it was made without HYGIE_KEY_SECRET.
$ restore DIR/one
> Restored: DIR/one, made TIME
>   sessions: as they were
>   directory: without its files
>   check the audit trail: hygie audit verify --head 0:DIGEST
! database: DIR/restored/hygie.sqlite (development)
! The manifest has no seal: it was made without HYGIE_KEY_SECRET.
! Sessions, tokens and accounts are as they were then: what was ended, disabled or deleted since lives again (--end-sessions).
$ restore DIR/one
! database: DIR/restored/hygie.sqlite (development)
! A restore needs an empty place, and changes nothing that is there.
!   DIR/restored/hygie.sqlite is there already.
! Remedy: stop the service and move the data away, or set HYGIE_DATA to a new folder.
exit 1
$ restore DIR/one --end-sessions
> Restored: DIR/one, made TIME
>   sessions: 0 ended, with all tokens
>   directory: without its files
>   check the audit trail: hygie audit verify --head 0:DIGEST
! database: DIR/ended/hygie.sqlite (development)
! The manifest has no seal: it was made without HYGIE_KEY_SECRET.
! The backup is of http://localhost:3000, and here it is https://c.example: tokens and passkeys of there do not count here.`);
    expect(await events()).toEqual([['backup.made', ['folder', 'head', 'directory'], 'DIR/one']]);
    expect(['nowhere', 'two'].filter((name) => existsSync(at(name)))).toEqual([]);
  });

  it('backup and restore with both', async () => {
    await loaded();
    const env = { HYGIE_KEY_SECRET: SECRET };
    await hygie(['keys', 'rotate', 'ES256'], { env });
    place.configure('clients.yaml', 'clients: []\n');
    writeFileSync(at('secret'), `${SECRET}\n`);
    writeFileSync(at('data/key-secret'), `${SECRET}\n`, { mode: 0o600 });
    const first = await said(
      [
        ['backup DIR/one --with-directory', { env }],
        ['backup DIR/two', { env: { HYGIE_KEY_SECRET_FILE: at('secret') } }],
        ['backup DIR/three --with-key', {}],
        ['backup --verify DIR/one', { env: { HYGIE_KEY_SECRET: OTHER, HYGIE_DATA: at('r0') } }],
        ['backup --verify DIR/one', { env: { HYGIE_DATA: at('r0') } }],
      ],
      ...['one', 'two', 'three'],
    );
    place.configure('clients.yaml', 'clients: [ ]\n');
    const second = await said(
      [
        ['restore DIR/one', { env: { ...env, HYGIE_DATA: at('r1') } }],
        ['restore DIR/one', { env: { HYGIE_DATA: at('r4') } }],
        ['restore DIR/one --lost-secret', { env: { HYGIE_KEY_SECRET: OTHER, HYGIE_DATA: at('r6') } }],
      ],
      'one',
    );
    expect(first).toBe(`$ backup DIR/one --with-directory
> Backup: DIR/one, made TIME
>   SQLite file, SUMS
>   directory: with the files of SNAPSHOT
>   head of the audit trail: 2:DIGEST
! database: DIR/data/hygie.sqlite (development)
! NOT in the backup: the secret of the keys, without which it cannot be restored (fingerprint PRINT). Keep HYGIE_KEY_SECRET somewhere else, as long as this backup.
$ backup DIR/two
> Backup: DIR/two, made TIME
>   SQLite file, SUMS
>   directory: without its files
>   head of the audit trail: 3:DIGEST
! database: DIR/data/hygie.sqlite (development)
! NOT in the backup: the secret of the keys, without which it cannot be restored (fingerprint PRINT). Keep the file that HYGIE_KEY_SECRET_FILE names somewhere else, as long as this backup.
! NOT in the backup: the directory (--with-directory).
$ backup DIR/three --with-key
> Backup: DIR/three, made TIME
>   SQLite file, SUMS
>   directory: without its files
>   head of the audit trail: 4:DIGEST
! database: DIR/data/hygie.sqlite (development)
! The backup holds key-secret: whoever has it can sign tokens. Keep it as you keep keys.
! NOT in the backup: the directory (--with-directory).
$ backup --verify DIR/one
! The backup DIR/one is not sound.
!   The keys in the backup need the secret with the fingerprint PRINT. The secret that is set (fingerprint PRINT) does not open them.
exit 1
$ backup --verify DIR/one
> The backup is sound.
> Backup: DIR/one, made TIME
>   SQLite file, SUMS
>   directory: with the files of SNAPSHOT
>   head of the audit trail: 2:DIGEST
! The seal of the manifest was not checked: the secret that sealed it is not set. Checksums alone tell of damage, not of forgery.
! The keys in the backup need the secret with the fingerprint PRINT. No secret is set.`);
    expect(second).toBe(`$ restore DIR/one
> Restored: DIR/one, made TIME
>   sessions: as they were
>   directory: SNAPSHOT
>   check the audit trail: hygie audit verify --head 2:DIGEST
! database: DIR/r1/hygie.sqlite (development)
! Sessions, tokens and accounts are as they were then: what was ended, disabled or deleted since lives again (--end-sessions).
! What was hidden in the directory since the backup is shown again: hygie directory corrections
! Other than in the backup (DIR/one/config): DIR/config/clients.yaml. They were not touched.
$ restore DIR/one
! database: DIR/r4/hygie.sqlite (development)
! The backup cannot be restored here.
! The keys in the backup need the secret with the fingerprint PRINT. No secret is set.
!   Remedy: set HYGIE_KEY_SECRET as where the backup was made, or HYGIE_KEY_SECRET_OLD beside the present one; or, if none was set there,
!   put the file key-secret of that data folder into DIR/r4. If it is lost for good: --lost-secret
exit 1
$ restore DIR/one --lost-secret
> Restored: DIR/one, made TIME
>   sessions: as they were
>   directory: SNAPSHOT
>   check the audit trail: hygie audit verify --head 2:DIGEST
! database: DIR/r6/hygie.sqlite (development)
! The seal of the manifest was not checked: the secret that sealed it is not set. Checksums alone tell of damage, not of forgery.
! Sessions, tokens and accounts are as they were then: what was ended, disabled or deleted since lives again (--end-sessions).
! What was hidden in the directory since the backup is shown again: hygie directory corrections
! Other than in the backup (DIR/one/config): DIR/config/clients.yaml. They were not touched.`);
    expect(await events()).toEqual([
      ['backup.made', ['folder', 'head', 'directory'], 'DIR/one'],
      ['backup.made', ['folder', 'head', 'directory'], 'DIR/two'],
      ['backup.made', ['folder', 'head', 'directory'], 'DIR/three'],
    ]);
  });
});
