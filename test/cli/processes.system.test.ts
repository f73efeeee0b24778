// Commands as processes of their own: their exit codes, that they end whatever connections they have, and what runs until it is stopped.

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { hygie, shellWord } from '#shared/operator-messages.ts';
import { bothEngines } from '#support/both-engines.ts';
import { type Installation, inherited, installation } from '#support/cli/hygie.ts';
import { inProcess } from '#support/cli/in-process.ts';
import { launch, serve } from '#support/cli/serving.ts';
import { newDatabase } from '#support/databases.ts';

let place: Installation | undefined;
let remove = async () => {};
afterEach(async () => {
  await remove();
  [place, remove] = [undefined, async () => {}];
});

describe('operations.md: a command as a process', () => {
  it.each<[args: string[], env: Record<string, string>, code: number]>([
    [['--help'], {}, 0],
    [['serve', '--help'], {}, 0],
    [['--version'], { HYGIE_PORT: 'many' }, 0],
    [['check'], {}, 0],
    [['serve'], { HYGIE_PORT: 'many' }, 1],
    [['migrate'], { DATABASE_URL: 'postgres://hygie@127.0.0.1:1/hygie' }, 1],
    [['directory', 'verify'], {}, 1],
    [['chek'], {}, 2],
    [['serve', '--port', '3001'], {}, 2],
  ])('%j with %j ends with %i', async (args, env, code) => {
    place = installation();
    const { stdout, stderr, ...ended } = await place.hygie(args, { env });
    expect([ended.code, stdout === '', stderr === '']).toEqual([code, code !== 0, code === 0]);
  });

  it('ends on PostgreSQL too, whose connections could keep it alive', async () => {
    const made = await newDatabase('postgresql');
    ({ remove } = made);
    place = installation(made.settings.engine === 'postgresql' ? { DATABASE_URL: made.settings.url } : {});
    const add = ['accounts', 'add', '--email', 'a@clinic.example', '--name', 'A'];
    for (const [args, code] of [
      [['accounts', 'list'], 1],
      [['migrate'], 0],
      [add, 0],
    ] as const)
      expect([args, (await place.hygie(args)).code]).toEqual([args, code]);
  });
});

describe.each(bothEngines('cli/processes.system'))('SEC-67 hygie audit verify and export on %s', (engine) => {
  it('follows the trail as it grows', async () => {
    const made = await newDatabase(engine);
    ({ remove } = made);
    const env = made.settings.engine === 'postgresql' ? { DATABASE_URL: made.settings.url } : {};
    place = installation(env);
    const command = inProcess(place);
    await command(['accounts', 'add', '--email', 'a@clinic.example', '--name', 'A']);
    const following = launch(place, ['audit', 'export', '--follow'], env);
    try {
      await following.outputMatching(/"account\.added".*\n/);
      for (const [action, event] of [
        ['disable', 'disabled'],
        ['enable', 'enabled'],
      ] as const) {
        await command(['accounts', action, 'a@clinic.example']);
        await following.outputMatching(new RegExp(`"account\\.${event}".*\\n`));
      }
    } finally {
      following.child.kill();
      await following.ended;
    }
  });
});

it('SEC-67 an export whose reader has read enough ends without a word, as other commands do', async () => {
  place = installation();
  const command = inProcess(place);
  await command(['accounts', 'add', '--email', 'a@clinic.example', '--name', 'A']);
  const exporting = launch(place, ['audit', 'export']);
  exporting.child.stdout?.destroy();
  expect([await exporting.ended, exporting.output()]).toEqual([0, '']);
});

it('operations.md: hygie keys the service refuses to start with keys that it cannot read, in one sentence', async () => {
  place = installation();
  const env = { HYGIE_KEY_SECRET: 'first secret of the tests, opens nothing' };
  const add = ['accounts', 'add', '--email', 'a@clinic.example', '--name', 'A'];
  expect((await inProcess(place)(add, { env })).code).toBe(0);
  const serving = await serve(place, { NODE_ENV: 'production', HYGIE_ISSUER: 'https://connect.example' });
  expect(await serving.ended).toBe(1);
  expect(serving.output()).not.toContain('plain text');
  expect(serving.output()).toMatch(/The keys in the database are encrypted, and no secret is set/);
});

describe('values of printed commands', () => {
  // What people, files and folders may be called, and what a shell would do with it.
  const word = fc.oneof(
    fc.string({ unit: fc.constantFrom(...` '"\\$\`!*?~#&|;<>()[]{}=%-.éa`), maxLength: 12 }),
    fc.constantFrom("o'brien@clinic.example", '/srv/my registers', '$(touch x)', '`id`', 'a;b', '--', '-n', '~', ''),
  );
  const asRead = async (text: string) =>
    (await promisify(execFile)('sh', ['-c', `operate() { printf '%s\\0' "$@"; }; ${text}`])).stdout
      .split('\0')
      .slice(0, -1);

  it('hold each value as one word, whatever it is: read by a real shell', async () => {
    const own = process.env['HYGIE_COMMAND'];
    process.env['HYGIE_COMMAND'] = 'operate';
    try {
      await fc.assert(
        fc.asyncProperty(word, fc.array(word, { maxLength: 3 }), async (one, list) => {
          expect(await asRead(hygie`accounts link ${one} --replace ${list}`)).toEqual([
            ...['accounts', 'link', one, '--replace'],
            ...list,
          ]);
        }),
        { numRuns: 60 },
      );
    } finally {
      if (own === undefined) delete process.env['HYGIE_COMMAND'];
      else process.env['HYGIE_COMMAND'] = own;
    }
    // What needs no quotation marks has none.
    expect(shellWord('/srv/registers/2026-11-20')).toBe('/srv/registers/2026-11-20');
  });

  it('that name an account are for that account, however it is written', async () => {
    const other = installation({ HYGIE_COMMAND: 'operate' });
    const email = "o'brien@clinic.example";
    const add = () => inProcess(other)(['accounts', 'add', '--email', email, '--name', 'Ann']);
    expect((await add()).code).toBe(0);
    const { stderr } = await add();
    const [, command = ''] = /See: (operate .*)$/m.exec(stderr) ?? [];
    expect(await asRead(command)).toEqual(['accounts', 'show', email]);
  });
});

describe('operations.md: knexfile.ts serves the Knex command line with the same settings', () => {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const place = installation();
  const knex = async (args: string[], env: Record<string, string> = {}) => {
    const own = { HYGIE_CONFIG: join(place.folder, 'config'), HYGIE_DATA: join(place.folder, 'data'), ...env };
    const options = { cwd: root, env: { ...inherited(), ...own } };
    return promisify(execFile)(process.execPath, ['node_modules/knex/bin/cli.js', ...args], options);
  };

  it('migrate:status, migrate:latest and seed:run work; production refuses the fictional people', async () => {
    expect((await knex(['migrate:status'])).stdout).toContain('baseline');
    await knex(['migrate:latest']);
    expect(JSON.parse((await inProcess(place)(['migrate', '--status', '--json'])).stdout).pending).toEqual([]);
    await knex(['seed:run']);
    expect(JSON.parse((await inProcess(place)(['accounts', 'list', '--json'])).stdout).length).toBeGreaterThan(10);
    const production = { NODE_ENV: 'production', HYGIE_ISSUER: 'https://connect.example' };
    await expect(knex(['seed:run'], production)).rejects.toMatchObject({
      stderr: expect.stringContaining('fictional'),
    });
  });
});
