import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { DEMO_ACCOUNTS } from '#seeds/demo-accounts.ts';
import { directoryCommands } from '#support/cli/directory-commands.ts';
import { err, out } from '#support/cli/in-process.ts';
import { activity, registerText } from '#support/import/register-files.ts';

const second = registerText('activities', [activity({ 8: 'Zoé' }), activity({ 1: '19000000026', 2: '819000000026' })]);

describe('NODE_ENV=production: the fictional people of the demonstration', () => {
  const { environment, file, hygie } = directoryCommands();

  const [number = ''] = DEMO_ACCOUNTS[0]?.practitioners ?? [];
  const demo = () => file('demo.txt', registerText('activities', [activity({ 1: number.slice(1), 2: number })]));
  const current = async () => {
    await hygie('directory', 'status', '--json');
    return JSON.parse(out).current;
  };
  beforeEach(async () => {
    expect(await hygie('directory', 'import', '--accept', 'other-people,partial', demo())).toBe(0);
    Object.assign(process.env, { NODE_ENV: 'production', HYGIE_ISSUER: 'https://connect.example' });
  });
  afterEach(() => {
    Object.assign(process.env, { NODE_ENV: environment['NODE_ENV'], HYGIE_ISSUER: '' });
  });
  const reason = 'people: these are the fictional people of the demonstration, which production refuses. Remedy:';

  it('are not taken for the edition that is there already, which the next start would refuse', async () => {
    expect(await hygie('directory', 'import', '--accept', 'partial', '--json', demo())).toBe(1);
    expect(JSON.parse(out).outcome).toBe('refused');
    expect(err).toContain(reason);
  });

  it('are neither imported nor gone back to, and the directory stays as it is', async () => {
    expect(await hygie('directory', 'import', '--accept', 'other-people,partial', file('real.txt', second))).toBe(0);
    const real = await current();
    for (const more of [[], ['--dry-run']]) {
      expect(await hygie('directory', 'import', '--accept', 'other-people,partial', ...more, demo())).toBe(1);
      expect(err).toContain(reason);
    }
    expect(await hygie('directory', 'rollback')).toBe(1);
    expect(err).toMatch(/\nThe previous snapshot, \S+, holds the fictional people .*\nRemedy: import the registers/);
    expect(await current()).toBe(real);
  });
});
