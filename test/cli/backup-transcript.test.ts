// operations.md, `backup`, `restore` and `migrate`: all that an operator reads of them. What they do: `test/server/backup`.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { Manifest } from '#server/backup/manifest.ts';
import { transcripts } from '#support/cli/transcript.ts';
import { activity, registerText } from '#support/import/register-files.ts';

const SECRET = 'a-secret-of-the-tests-that-opens-nothing';
const OTHER = 'another-secret-that-does-not-open-anything';

const madeOf = (name: string, head: number, directory = 'without its files') => `> Backup: DIR/${name}, made TIME
>   SQLite file, SUMS
>   directory: ${directory}
>   head of the audit trail: ${head}:DIGEST`;
const restored = (
  head: number,
  directory = 'without its files',
  sessions = 'as they were',
) => `> Restored: DIR/one, made TIME
>   sessions: ${sessions}
>   directory: ${directory}
>   check the audit trail: hygie audit verify --head ${head}:DIGEST`;

describe('backups, word for word', () => {
  const { hygie, at, configure, database, file, says, left } = transcripts();

  const grouped = (number: number) => String(number).replace(/\B(?=(\d{3})+$)/g, ' ');
  /** Replaces what the manifests of backups count by `SUMS`. */
  const summed =
    (...backups: string[]) =>
    (said: string) =>
      backups.reduce((text, name) => {
        if (!existsSync(at(`${name}/manifest.json`))) return text;
        const { database: copy, files } = JSON.parse(readFileSync(at(`${name}/manifest.json`), 'utf8')) as Manifest;
        const rows = Object.values(copy.tables).reduce((sum, count) => sum + count, 0);
        const bytes = files.reduce((sum, { bytes: one }) => sum + one, 0);
        const sums = `${grouped(rows)} rows; ${files.length} files, ${grouped(Math.ceil(bytes / 1024))} KiB`;
        return text.replaceAll(sums, 'SUMS');
      }, said);
  const made = async () => {
    const rows = await database()('audit_events').where('event', 'like', 'backup.%').orderBy('sequence');
    return rows.map(({ details }) => JSON.parse(details).folder.replace(at(''), 'DIR'));
  };

  it('backup and restore without secret and directory', async () => {
    await says(
      `# backup DIR/one
${madeOf('one', 0)}
# backup DIR/one
! DIR/one is not empty.
! Remedy: name a new or empty folder, such as one with the date.
exit 1
$ backup --verify DIR/one
> The backup is sound.
${madeOf('one', 0)}
! The manifest has no seal: it was made without HYGIE_KEY_SECRET.
# backup DIR/data/inside
! DIR/data/inside is inside of HYGIE_DATA (DIR/data): it would be lost with the data.
! Remedy: name a folder elsewhere, better on another disk, and copy it to another machine.
exit 1
$ backup --unsealed DIR/two
! --unsealed goes with --verify.
exit 2: backup --help
$ backup --verify DIR/one --with-key
! --verify takes no other options than --unsealed, --notify and --json.
exit 2: backup --help
$ backup --verify DIR/one --with-directory
! --verify takes no other options than --unsealed, --notify and --json.
exit 2: backup --help
$ backup --verify DIR/one --format copy
! --verify takes no other options than --unsealed, --notify and --json.
exit 2: backup --help
$ backup --verify DIR/nothing
! DIR/nothing is no backup: it has no manifest.json.
! Remedy: name the folder that \`backup\` has made.
exit 1
# backup --with-key DIR/two
! --with-key: there is no DIR/data/key-secret.
! The secret is in HYGIE_KEY_SECRET: keep it where that comes from.
exit 1
$ backup DIR/two --format tar
! --format is pg_dump or copy, not "tar".
exit 2: backup --help
$ HYGIE_DATA=DIR/nowhere backup DIR/two
! There is no database here.
! Remedy: set HYGIE_DATA (or DATABASE_URL) as for the service.
exit 1
$ HYGIE_DATA=DIR/nowhere backup --verify DIR/one
> The backup is sound.
${madeOf('one', 0)}
! The manifest has no seal: it was made without HYGIE_KEY_SECRET.
$ HYGIE_DATA=DIR/restored restore DIR/one
${restored(0)}
! database: DIR/restored/hygie.sqlite (development)
! The manifest has no seal: it was made without HYGIE_KEY_SECRET.
! Sessions, tokens and accounts are as they were then: what was ended, disabled or deleted since is back (--end-sessions).
$ HYGIE_DATA=DIR/restored restore DIR/one
! database: DIR/restored/hygie.sqlite (development)
! A restore needs an empty place, and changes nothing that is there.
!   DIR/restored/hygie.sqlite is there already.
! Remedy: stop the service and move the data away, or set HYGIE_DATA to a new folder.
exit 1
$ HYGIE_DATA=DIR/ended HYGIE_ISSUER=https://c.example restore DIR/one --end-sessions
${restored(0, 'without its files', '0 ended, with all tokens')}
! database: DIR/ended/hygie.sqlite (development)
! The manifest has no seal: it was made without HYGIE_KEY_SECRET.
! The backup is of http://localhost:3000, but issuer is https://c.example here: its tokens and passkeys are not valid here.
$ HYGIE_KEY_SECRET={SECRET} HYGIE_DATA=DIR/sealed restore DIR/one
! database: DIR/sealed/hygie.sqlite (development)
! The backup is not sound: nothing was restored.
!   manifest.json has no seal, and a secret is set here: it was made without one (then: --unsealed), or somebody has removed the seal to change it
! Remedy: use another backup.
exit 1
$ HYGIE_KEY_SECRET={SECRET} HYGIE_DATA=DIR/sealed restore DIR/one --unsealed
${restored(0)}
! database: DIR/sealed/hygie.sqlite (development)
! The manifest has no seal: it was made without HYGIE_KEY_SECRET.
! Sessions, tokens and accounts are as they were then: what was ended, disabled or deleted since is back (--end-sessions).`,
      { SECRET },
      summed('one'),
    );
    expect(await made()).toEqual(['DIR/one']);
    expect(['nowhere', 'two'].filter((name) => existsSync(at(name)))).toEqual([]);
  });

  it('backup and restore with both', async () => {
    configure('service.yaml', 'namespace: https://hygie.example\n');
    file('edition.txt', registerText('activities', [activity()]));
    await hygie(['directory', 'import', '--accept', 'partial', at('edition.txt')]);
    await hygie(['keys', 'rotate', 'ES256'], { env: { HYGIE_KEY_SECRET: SECRET } });
    configure('clients.yaml', 'clients: []\n');
    file('secret', `${SECRET}\n`);
    writeFileSync(at('data/key-secret'), `${SECRET}\n`, { mode: 0o600 });
    await says(
      `# HYGIE_KEY_SECRET={SECRET} backup DIR/one --with-directory
${madeOf('one', 2, 'with the files of SNAPSHOT')}
! NOT in the backup: the secret of the keys, without which it cannot be restored (fingerprint PRINT). Keep HYGIE_KEY_SECRET somewhere else, as long as this backup.
# HYGIE_KEY_SECRET_FILE=DIR/secret backup DIR/two
${madeOf('two', 3)}
! NOT in the backup: the secret of the keys, without which it cannot be restored (fingerprint PRINT). Keep the file that HYGIE_KEY_SECRET_FILE names somewhere else, as long as this backup.
! NOT in the backup: the directory (--with-directory).
# backup DIR/three --with-key
${madeOf('three', 4)}
! The backup holds key-secret: whoever has it can sign tokens. Protect it like a key.
! NOT in the backup: the directory (--with-directory).
# backup DIR/four
${madeOf('four', 5)}
! NOT in the backup: the secret of the keys, without which it cannot be restored (fingerprint PRINT). Keep DIR/data/key-secret somewhere else, as long as this backup.
! NOT in the backup: the directory (--with-directory).
$ HYGIE_KEY_SECRET={OTHER} HYGIE_DATA=DIR/r0 backup --verify DIR/one
! The backup DIR/one is not sound.
!   The keys in the backup need the secret with the fingerprint PRINT. The secret that is set (fingerprint PRINT) does not open them.
exit 1
$ HYGIE_DATA=DIR/r0 backup --verify DIR/one
> The backup is sound.
${madeOf('one', 2, 'with the files of SNAPSHOT')}
! The seal of the manifest was not checked: the secret that sealed it is not set. Checksums show damage, but not forgery.
! The keys in the backup need the secret with the fingerprint PRINT. No secret is set.`,
      { SECRET, OTHER },
      summed('one', 'two', 'three', 'four'),
    );
    configure('clients.yaml', 'clients: [ ]\n');
    await says(
      `$ HYGIE_KEY_SECRET={SECRET} HYGIE_DATA=DIR/r1 restore DIR/one
${restored(2, 'SNAPSHOT')}
! database: DIR/r1/hygie.sqlite (development)
! Sessions, tokens and accounts are as they were then: what was ended, disabled or deleted since is back (--end-sessions).
! What was hidden in the directory since the backup is shown again: hygie directory corrections
! Files that differ from the backup (DIR/one/config): DIR/config/clients.yaml. They were not touched.
$ HYGIE_DATA=DIR/r4 restore DIR/one
! database: DIR/r4/hygie.sqlite (development)
! The backup cannot be restored here.
! The keys in the backup need the secret with the fingerprint PRINT. No secret is set.
!   Remedy: set HYGIE_KEY_SECRET as where the backup was made, or HYGIE_KEY_SECRET_OLD beside the present one; or, if none was set there,
!   put the file key-secret of that data folder into DIR/r4. If it is lost for good: --lost-secret
exit 1
$ HYGIE_KEY_SECRET={OTHER} HYGIE_DATA=DIR/r6 restore DIR/one --lost-secret
${restored(2, 'SNAPSHOT')}
! database: DIR/r6/hygie.sqlite (development)
! The seal of the manifest was not checked: the secret that sealed it is not set. Checksums show damage, but not forgery.
! Sessions, tokens and accounts are as they were then: what was ended, disabled or deleted since is back (--end-sessions).
! What was hidden in the directory since the backup is shown again: hygie directory corrections
! Files that differ from the backup (DIR/one/config): DIR/config/clients.yaml. They were not touched.`,
      { SECRET, OTHER },
    );
    expect(await made()).toEqual(['DIR/one', 'DIR/two', 'DIR/three', 'DIR/four']);
    expect(existsSync(at('r4'))).toBe(false);
  });

  it('--notify tells the operator by mail, where there is one', async () => {
    const NO_BACKUP = `! DIR/nothing is no backup: it has no manifest.json.
! Remedy: name the folder that \`backup\` has made.
exit 1`;
    await says(`$ backup --verify DIR/nothing --notify
! No mail was sent: mail.operator is not set in service.yaml.
${NO_BACKUP}
$ backup --verify DIR/nothing --notify --with-key
! --verify takes no other options than --unsealed, --notify and --json.
exit 2: backup --help
$ HYGIE_DATA=DIR/nowhere backup --verify DIR/nothing --notify
! No mail was sent: mail.operator is not set in service.yaml.
${NO_BACKUP}`);
    expect((await left()).mails).toEqual([]);
    const mail = { host: 'mail.example', from: 'hygie@n.example', security: 'none', operator: 'ops@n.example' };
    configure('service.yaml', JSON.stringify({ mail }));
    await says(`$ backup --verify DIR/nothing --notify\n${NO_BACKUP}`);
    const reasons = `backup ${at('nothing')}\n${at('nothing')} is no backup: it has no manifest.json.\nRemedy: name the folder that \`backup\` has made.`;
    const told = [['operator', expect.anything(), 'ops@n.example', { reasons }]];
    expect((await left()).mails).toEqual(told);
    // What goes well is no news.
    for (const well of [[], ['--verify']])
      expect((await hygie(['backup', ...well, at('one'), '--notify'])).code).toBe(0);
    expect((await left()).mails).toEqual(told);
    expect((await hygie(['backup', at('one'), '--notify'])).code).toBe(1);
    expect((await left()).mails).toHaveLength(2);
  });
});
