// operations.md: `backup` as JSON and for a timer, and `migrate`, as an operator or a program reads them.

import { existsSync, readFileSync, rmSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { transcripts } from '#support/cli/transcript.ts';
import { activity, registerText } from '#support/import/register-files.ts';

describe('backups, word for word', () => {
  const { hygie, at, configure, database, file, says } = transcripts();
  const manifestOf = (name: string) => JSON.parse(readFileSync(at(`${name}/manifest.json`), 'utf8'));

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
    file('one/hygie.sqlite', 'changed');
    const unsound = await json('backup', '--verify', at('one'), '--json');
    expect(unsound).toMatchObject({
      code: 1,
      printed: { sound: false, faults: [expect.stringContaining('hygie.sqlite')] },
    });
    expect(unsound.stderr).toMatch(/^The backup \S+ is not sound\.\n {2}\S.*\n$/);
  });

  it('migrate says what it did, and what a release would do with the edition in force', async () => {
    const applied: string[] = (await database()('knex_migrations').orderBy('id')).map(({ name }) => name);
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
    await says(`# migrate
! The database has the newest schema.
# migrate --json
> {"applied":[],"pending":[]}
! The database has the newest schema.`);
    const fresh = await hygie(['migrate'], { env: { HYGIE_DATA: at('fresh') } });
    expect(fresh).toMatchObject({ code: 0, stdout: `${applied.join('\n')}\n` });
    expect(fresh.stderr).toMatch(
      new RegExp(
        `^database: ${at('fresh')}/hygie.sqlite \\(development\\)\\n[\\s\\S]*Applied: ${applied.length}\\.\\n$`,
      ),
    );
    configure('service.yaml', 'namespace: https://hygie.example\n');
    file('edition.txt', registerText('activities', [activity()]));
    await hygie(['directory', 'import', '--accept', 'partial', at('edition.txt')]);
    expect((await status())[2]).toBe('directory: this release reads the edition in force as it is\n');
    const json = JSON.parse((await hygie(['migrate', '--status', '--json'])).stdout);
    expect(json).toEqual({ applied, pending: [], directory: 'read' });
    rmSync(at('data/directory'), { recursive: true });
    expect((await status())[2]).toBe(
      'directory: the file of the edition in force is not in this data folder: ask where it is, unless instances get it from the database\n',
    );
  });
});
