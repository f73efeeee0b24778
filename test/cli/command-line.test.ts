// operations.md, "npm run -s hygie -- <command>": help, exit codes, standard output and standard error, a Node too old.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { accountsCommand } from '#cli/accounts/accounts.ts';
import { auditCommand } from '#cli/audit/audit.ts';
import { COMMANDS as COMMAND_TABLE } from '#cli/commands.ts';
import type { Action } from '#cli/support/command.ts';
import { helpOf, helpOfAll, syntax } from '#cli/support/help.ts';
import { AUDIT_EVENTS } from '#shared/audit/events.ts';
import { installation } from '#support/cli/hygie.ts';
import { inProcess } from '#support/cli/in-process.ts';
import { configurationPages } from '#support/config/configuration-page.ts';
import { CONFIG } from '#support/config/shipped.ts';

const place = installation();
const { configure, remove } = place;
const hygie = inProcess(place);
beforeEach(() => {
  for (const name of ['service.yaml', 'clients.yaml']) configure(name, '');
});
afterAll(remove);

const COMMANDS = Object.keys(COMMAND_TABLE);

describe('operations.md: every command has --help, exit codes 0 / 1 / 2', () => {
  it('COMMAND --help explains each, with examples of what it explains', async () => {
    const help = (command: string) => hygie([command, '--help']);
    const outcomes = await Promise.all(COMMANDS.map(help));
    for (const [place, { code, stdout, stderr }] of outcomes.entries()) {
      expect([code, stderr]).toEqual([0, '']);
      expect(stdout).toMatch(new RegExp(`^Usage: npm run -s hygie -- ${COMMANDS[place]}( |$)`, 'm'));
      if (COMMANDS[place] === 'serve') continue;
      const [before = '', after] = stdout.split('\nExamples:\n');
      expect(after).toMatch(new RegExp(`^ {2}npm run -s hygie -- ${COMMANDS[place]}( |$)`, 'm'));
      for (const [option] of (after ?? '').matchAll(/--[a-z]{2,}[a-z-]*/g)) expect(before).toContain(option);
    }
  });

  it('--version and -v print the version of package.json alone, whatever the configuration', async () => {
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    const said = { code: 0, stdout: `${version}\n`, stderr: '' };
    expect(await hygie(['--version'], { env: { HYGIE_PORT: 'many' } })).toEqual(said);
    expect(await hygie(['-v'])).toEqual(said);
    expect((await hygie(['--help'])).stdout).toMatch(/^ +npm run -s hygie -- --version$/m);
  });

  it('accounts --help has a line for each action, ACTION --help whatever it takes', async () => {
    const { stdout: all } = await hygie(['accounts', '--help']);
    for (const [name, { args = {}, options = {} }] of Object.entries(accountsCommand.actions ?? {})) {
      expect(all).toMatch(new RegExp(`^  ${name} +\\w.{5,90}$`, 'm'));
      const { code, stdout, stderr } = await hygie(['accounts', name, '--help']);
      expect([code, stderr]).toEqual([0, '']);
      expect(stdout).toMatch(new RegExp(`^Usage: npm run -s hygie -- accounts ${name}( |$)`, 'm'));
      for (const taken of [...Object.keys(args), ...Object.keys(options).map((option) => `--${option}`)])
        expect([name, stdout]).toEqual([name, expect.stringContaining(taken.replace(/^\[|\]$/g, ''))]);
      expect(await hygie(['help', 'accounts', name])).toEqual({ code, stdout, stderr });
    }
    for (const other of [
      ['accounts', '__proto__', '-h'],
      ['accounts', '-h', 'add'],
      ['help', 'accounts', 'nope'],
    ])
      expect((await hygie(other)).stdout).toBe(all);
  });

  const wrong: string[][] = [
    ['chek'],
    ['serve', '--port', '3001'],
    [],
    ['check', '--jsn'],
    ['accounts', 'ad'],
    ['__proto__'],
    ['serve', 'now'],
    ['migrate', '--status=yes'],
    ['accounts'],
    ['accounts', 'show'],
    ['accounts', 'list', '--email', 'a@b.example'],
    ['accounts', 'add', '--name', 'A'],
    ['accounts', 'link', 'a@b.example', 'more'],
    ['accounts', 'add', '--password', 'on-the-command-line'],
    ['clients', 'secret', 'a', 'b'],
  ];
  it('wrong usage is 2, with a sentence on standard error and nothing on standard output', async () => {
    const outcomes = await Promise.all(wrong.map((args) => hygie(args)));
    for (const [place, { code, stdout, stderr }] of outcomes.entries()) {
      expect([wrong[place], code, stdout]).toEqual([wrong[place], 2, '']);
      expect(stderr).toMatch(/\S/);
      expect(stderr).not.toMatch(/^\s+at /m);
    }
  });

  it('a database that does not answer is 1, with the place and without the password', async () => {
    const env = { DATABASE_URL: 'postgres://hygie:hunter2@127.0.0.1:1/hygie' };
    const { code, stderr } = await hygie(['migrate'], { env });
    expect(code).toBe(1);
    expect(stderr).toMatch(/does not answer.*ECONNREFUSED/);
    expect(stderr).not.toContain('hunter2');
  });

  it('a faulty configuration stops every command with 1 and the issues', async () => {
    const env = { HYGIE_PORT: 'many' };
    for (const args of [['check'], ['accounts', 'list'], ['serve']]) {
      const { code, stdout, stderr } = await hygie(args, { env });
      expect([args, code, stdout]).toEqual([args, 1, '']);
      expect(stderr).toContain('environment HYGIE_PORT');
    }
  });
});

describe('operations.md: a Node too old gets one clear sentence, not a crash', () => {
  const source = readFileSync(new URL('../../src/launch.js', import.meta.url), 'utf8');

  it.each(['12.22.0', '18.20.0', '20.19.5', '22.17.1', '23.5.0'])('Node %s is refused with the remedy', (node) => {
    let said = '';
    const process = {
      versions: { node },
      exitCode: 0,
      stderr: {
        write: (text: string) => {
          said += text;
        },
      },
    };
    runInNewContext(source, { process });
    expect(process.exitCode).toBe(1);
    expect(said.trim().split('\n')).toHaveLength(1);
    expect(said).toMatch(new RegExp(`needs Node 22.18 .* ${node.replaceAll('.', '\\.')}.*install Node 24`));
  });
});

it('operations.md: check says its verdict first, then a summary; the effective settings, secrets masked, with --all and --json', async () => {
  const clients = (hash: string) => `
clients:
  - id: app
    name: App
    type: server
    secrets: [{ hash: "${hash}" }, { env: APP_SECRET }]
    callbackUrls: [https://app.example/callback]`;

  const { stdout: made } = await hygie(['clients', 'secret', '--json']);
  const { hash } = JSON.parse(made) as { hash: string };
  configure('clients.yaml', clients(hash));
  const env = {
    APP_SECRET: 'the-application-secret-of-this-test',
    DATABASE_URL: 'postgres://hygie:hunter2@db.example/hygie?password=hunter3',
    HYGIE_PORT: '4321',
  };
  const said: Record<string, { stdout: string; stderr: string }> = {};
  for (const args of [['check'], ['check', '--all'], ['check', '--json']]) {
    const { code, stdout, stderr } = await hygie(args, { env });
    expect(code).toBe(0);
    said[args.join(' ')] = { stdout, stderr };
    expect(stdout).toContain('http://localhost:4321');
    expect(stdout).toContain('db.example');
    for (const secret of ['hunter2', 'hunter3', hash, env.APP_SECRET, 'scrypt$']) {
      expect(stdout + stderr).not.toContain(secret);
    }
  }
  const verdict = 'Configuration is valid: 1 client, 1 warning\n  Warning: PKCE is optional for app';
  const { check, 'check --all': all, 'check --json': json } = said;
  expect([check?.stdout.startsWith(verdict), check?.stderr]).toEqual([true, '']);
  expect(check?.stdout).toMatch(/^ {2}clients +1 server$/m);
  expect(check?.stdout.split('\n').length).toBeLessThan(15);
  // Standard output is what another program reads: the settings alone.
  expect([all?.stderr.startsWith(verdict), json?.stderr.startsWith(verdict)]).toEqual([true, true]);
  const settings = JSON.parse(json?.stdout ?? '');
  expect(settings).toMatchObject({ ok: true, warnings: [expect.stringMatching(/^PKCE/)], clients: [{ id: 'app' }] });
  const { ok: _ok, warnings: _warnings, ...effective } = settings;
  expect(parse(all?.stdout ?? '')).toEqual(effective);
});

// Scripts and units of operators use names, forms, options and examples of commands.
it('--help is what the page of commands says (npm run schemas)', async () => {
  const pages = await configurationPages();
  expect(pages['commands.md']).toBe(readFileSync(join(CONFIG, 'commands.md'), 'utf8'));
});

it('SEC-48 `audit --help` explains every event', () => {
  const help = helpOf(auditCommand).split('\n');
  const lines = help.flatMap((line) => /^ {2}([a-z.-]+) {2,}(.+)$/.exec(line)?.slice(1).join(': ') ?? []);
  for (const [name, [, meaning]] of Object.entries(AUDIT_EVENTS)) expect(lines).toContain(`${name}: ${meaning}`);
});

/** A command with its options, and its examples below. */
function linesOf(title: string, { options = {}, examples = [] }: Partial<Action>): string[] {
  const taken = Object.entries(options).map(([name, option]) => {
    const { type, required, multiple, fits = [] } = option;
    return [
      syntax(name, option),
      type === 'boolean' && 'is a flag',
      required && 'is required',
      multiple && 'may be repeated',
      ...fits,
    ]
      .filter(Boolean)
      .join(' ');
  });
  return [
    [title, ...taken].join('; '),
    ...examples.map(([words, what, before = '']) => `  ${before}${words}: ${what}`),
  ];
}

it('--help names each command, its examples, options and their forms', async () => {
  process.env['HYGIE_COMMAND'] = 'hygie';
  const all = await helpOfAll(COMMAND_TABLE).finally(() => delete process.env['HYGIE_COMMAND']);
  expect(all).toMatchSnapshot();
  const commands = await Promise.all(Object.values(COMMAND_TABLE).map((load) => load()));
  const told = commands.flatMap(({ name, examples, action, actions = {} }) => [
    ...linesOf(name, { ...action, ...(examples && { examples }) }),
    ...Object.entries(actions).flatMap(([word, one]) => linesOf(`${name} ${word}`, one)),
  ]);
  expect(told.join('\n')).toMatchSnapshot();
});
