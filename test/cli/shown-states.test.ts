// What commands say of a service in each of its states: the instances that serve, the welcome at the start, the health that it answers.

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, jest } from '@jest/globals';
import { COMMANDS } from '#cli/commands.ts';
import { ageText } from '#cli/directory/status.ts';
import { describeInstances } from '#cli/support/instances-text.ts';
import { columns, instant, json } from '#cli/support/output.ts';
import { createProgress } from '#cli/support/progress.ts';
import { welcome } from '#cli/welcome.ts';
import type { SeenInstance } from '#store/instances.ts';
import { installation } from '#support/cli/hygie.ts';
import { err, inProcess, keepOutput, out, run } from '#support/cli/in-process.ts';
import { load } from '#support/config/folder.ts';
import { newFolder } from '#support/new-folder.ts';

describe('directory status: the instances', () => {
  const START = '2026-11-20T08:00:00.000Z';
  const seen = (more: Partial<SeenInstance> = {}): SeenInstance => ({
    id: 'x',
    name: 'one:3000',
    release: '1.0.0',
    edition: 'e1',
    pointer: 'e1',
    startedAt: new Date(START),
    seenAt: new Date('2026-11-20T09:00:00.000Z'),
    ...more,
  });
  const line = (name: string, rest: string) => `  ${name}  since ${START}: release 1.0.0, ${rest}`;

  it.each<[string, SeenInstance[], string | undefined, string[]]>([
    ['none', [], 'e1', []],
    ['one', [seen()], 'e1', ['Instances:', line('one:3000', 'serves e1')]],
    [
      'one without a directory',
      [{ ...seen(), edition: undefined } as never],
      undefined,
      ['Instances:', line('one:3000', 'no directory')],
    ],
    [
      'two processes of one',
      [seen({ settings: 's', clients: 'c' }), seen({ id: 'y', settings: 's', clients: 'c' })],
      'e1',
      ['Instances:', line('one:3000', 'settings s, clients c, serves e1, 2 processes')],
    ],
    [
      'two that differ',
      [seen({ settings: 's' }), seen({ name: 'two:3000', settings: 't' })],
      'e1',
      [
        'Instances, which DIFFER in: settings:',
        line('one:3000', 'settings s, serves e1'),
        line('two:3000', 'settings t, serves e1'),
      ],
    ],
    [
      'one that is behind, and one that does not know it',
      [seen({ pointer: 'e2' }), seen({ name: 'two:3000' })],
      'e2',
      [
        'Instances:',
        line('one:3000', 'serves e1, ANOTHER EDITION than the one in force (at 2026-11-20T09:00:00.000Z)'),
        line(
          'two:3000',
          'served e1 when it last reported (at 2026-11-20T09:00:00.000Z), and had not heard of the one in force: look again in some seconds',
        ),
      ],
    ],
    [
      'one that serves nothing',
      [{ ...seen(), edition: undefined } as never],
      'e1',
      ['Instances:', line('one:3000', 'serves NO EDITION (at 2026-11-20T09:00:00.000Z)')],
    ],
    [
      'clocks that go wrong',
      [
        seen({ clockAhead: 499 }),
        seen({ name: 'two', clockAhead: 61_000 }),
        seen({ name: 'three', clockAhead: -1499 }),
      ],
      'e1',
      [
        'Instances, which DIFFER in: clock:',
        line('one:3000', 'serves e1'),
        line('two', "serves e1, clock 61 s ahead of the database's"),
        line('three', "serves e1, clock 1 s behind the database's"),
      ],
    ],
    [
      'forged lines, and what drives a terminal',
      [seen({ name: 'one\u001b[2J\n  two', edition: '1\u009b0m' })],
      '1\u009b0m',
      ['Instances:', line('one\\x1b[2J\\x0a  two', 'serves 1\\x9b0m')],
    ],
  ])('%s', (_which, instances, inForce, lines) => {
    expect(describeInstances(instances, inForce)).toEqual(lines.length > 0 ? ['', ...lines] : []);
  });
});

it('directory status: the age of a snapshot has the unit that a person would choose', () => {
  const ages = [0, 59, 60, 7199, 7200, 172_799, 172_800, 90_000_000].map(ageText);
  expect(ages).toEqual(['0 min', '0 min', '1 min', '119 min', '2 h', '47 h', '2 days', '1041 days']);
});

describe('serve: the welcome', () => {
  async function welcomed(
    env: Record<string, string>,
    more: object,
    state = { directory: true, accounts: true, clients: true },
  ) {
    const { settings } = await load({ service: 'branding: { name: Annuaire }' }, env);
    const write = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
    welcome({ ...settings, configFolder: '/etc/hygie', ...more }, state);
    const [[text] = []] = write.mock.calls;
    write.mockRestore();
    return String(text)
      .trim()
      .split('\n')
      .map((line) => line.trim());
  }
  const OWN = { HYGIE_ISSUER: 'https://c.example' };

  it('names the addresses, and what is still to do', async () => {
    const addresses = [
      'Annuaire answers at https://c.example',
      '',
      'Discovery  https://c.example/.well-known/openid-configuration',
      'Directory  https://c.example/directory/v2/metadata',
      'Health     https://c.example/health/ready',
    ];
    const clients = 'Register clients      /etc/hygie/clients.yaml';
    const ofDirectory = 'Import the directory  npm run -s hygie -- directory import FOLDER';
    const ofAccounts =
      'Add people            npm run -s hygie -- accounts add --email E --given G --family F --password-stdin';
    const with_ = (directory: boolean, accounts: boolean, registered = true) =>
      welcomed(OWN, { demo: false }, { directory, accounts, clients: registered });
    expect(await with_(true, true)).toEqual(addresses);
    expect(await with_(false, true)).toEqual([...addresses, '', 'Still to do', ofDirectory]);
    expect(await with_(true, false)).toEqual([...addresses, '', 'Still to do', ofAccounts]);
    expect(await with_(true, true, false)).toEqual([...addresses, '', 'Still to do', clients]);
    expect(await with_(false, false, false)).toEqual([
      ...addresses,
      ...['', 'Still to do', ofDirectory, ofAccounts, clients],
    ]);
  });

  it('names what to try in a demonstration, and the mails where none is sent', async () => {
    const lines = await welcomed(OWN, { demo: true, mode: 'development' });
    expect(lines).toEqual([
      'Annuaire answers at https://c.example',
      '',
      'Try the demo application    https://c.example/demo',
      expect.stringMatching(/^Sign in as {18}\S+@\S+$/),
      expect.stringMatching(/^with the password {11}\S+/),
      expect.stringMatching(/^Mails that would be sent {4}https:\/\/c\.example\/\w+/),
      '',
      'Two things to try',
      '1. A request of your own:  https://c.example/directory/try',
      '2. An application that signs in and searches:  https://c.example/demo',
      '',
      'All people here are fictional. Ctrl+C stops the service.',
    ]);
    const without = lines.filter((line) => !line.startsWith('Mails'));
    expect(await welcomed(OWN, { demo: true, mode: 'production' })).toEqual(without);
    expect(await welcomed(OWN, { demo: true, mail: {} })).toEqual(without);
  });
});

describe('health', () => {
  keepOutput();
  async function asked(port: number, ...options: string[]) {
    const before = process.env;
    process.env = { ...before, HYGIE_CONFIG: newFolder(), HYGIE_PORT: String(port) };
    try {
      return { code: await run(COMMANDS, ['health', ...options]), out, err };
    } finally {
      process.env = before;
    }
  }

  it('gives the answer of the service, and exit code 1 where it is not well', async () => {
    const paths: string[] = [];
    const server = createServer((req, res) => {
      paths.push(String(req.url));
      res.statusCode = req.url === '/health/live' ? 200 : 503;
      res.end(' the answer \n');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    expect(await asked(port)).toEqual({ code: 0, out: 'the answer\n', err: '' });
    const unwell = { code: 1, out: '', err: `http://127.0.0.1:${port}/health/ready: 503 the answer\n` };
    expect(await asked(port, '--ready')).toEqual(unwell);
    expect(paths).toEqual(['/health/live', '/health/ready']);
    // A process that has ended is not waited for; this one runs, and no process may be named.
    const ended = await asked(port, '--ready', '--wait', '60', '--pid', '999999999');
    expect(ended).toEqual({ code: 1, out: '', err: 'The process 999999999 has ended: its log says why.\n' });
    for (const pid of [String(process.pid), '']) expect((await asked(port, '--pid', pid)).code).toBe(0);
    await new Promise((resolve) => server.close(resolve));
    expect(await asked(port)).toEqual({
      code: 1,
      out: '',
      err: `http://127.0.0.1:${port}/health/live: ECONNREFUSED: nothing listens there; are HYGIE_PORT and HYGIE_CONFIG those of the service?\n`,
    });
  });

  it.each([
    ['listen: { host: 127.0.0.1, port: PORT }', {}],
    ['listen: { host: 0.0.0.0, port: PORT }', {}],
    ['listen: { port: 1 }', { HYGIE_PORT: 'PORT', HYGIE_HOST: '0.0.0.0' }],
    ['listen: { port: PORT }\nan-edit: that is faulty', {}],
    ['listen: { port: PORT, maxConnections: none }', { NODE_ENV: 'production' }],
    ['listen: [', { HYGIE_PORT: 'PORT' }],
  ])('finds the service by its settings, whether they are good or not: %s %j', async (yaml, variables) => {
    const server = createServer((_req, res) => res.end('{}')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const port = String((server.address() as AddressInfo).port);
    const place = installation();
    place.configure('service.yaml', yaml.replace('PORT', port));
    const env = Object.fromEntries(
      Object.entries(variables).map(([name, value]) => [name, value.replace('PORT', port)]),
    );
    expect(await inProcess(place)(['health'], { env })).toEqual({ code: 0, stdout: '{}\n', stderr: '' });
    server.close();
  });

  it('waits until the service is well, for as long as it may', async () => {
    let left = 1;
    const server = createServer((_req, res) => {
      res.statusCode = left-- > 0 ? 503 : 200;
      res.end('well');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    expect(await asked(port, '--ready', '--wait', '60')).toMatchObject({ code: 0, out: 'well\n' });
    await new Promise((resolve) => server.close(resolve));
  });
});

describe('output', () => {
  it('is a table with aligned columns, in which no cell forges a line', () => {
    expect(
      columns(
        ['ID', 'NAME'],
        [
          ['1', 'é'],
          ['long', 'a\nb'],
          ['😀😀😀', ''],
        ],
      ),
    ).toBe(['ID    NAME', '1     é', 'long  a\\x0ab', '😀😀😀', ''].join('\n'));
    expect([json({ a: [1] }), instant(1_700_000_000)]).toEqual([
      '{\n  "a": [\n    1\n  ]\n}\n',
      '2023-11-14T22:13:20.000Z',
    ]);
  });

  it.each([
    [{ count: 10, done: 0.5 }, 1, '[############............] 50 %  10 lines, 10/s, 1 s left'],
    [{ count: 10, done: 0.02 }, 1, '[........................] 2 %  10 lines, 10/s'],
    [{ count: 10, done: 1 }, 2, '[########################] 100 %  10 lines, 5/s'],
    [{ count: 10, done: 1.5 }, 2, '[########################] 150 %  10 lines, 5/s'],
    [{ count: 0, done: 0.5 }, 2, '[############............] 50 %  0 lines, 2 s left'],
    [{ count: 10, done: 0.5 }, 0.4, '[############............] 50 %  10 lines, 1 s left'],
    [{ count: 30 }, 7.4, ' 30 lines, 4/s, 7 s so far'],
  ])('of progress %j after %d s', (step, seconds, shown) => {
    const written: string[] = [];
    let now = 0;
    const progress = createProgress({ isTTY: true, write: (text) => written.push(text) }, () => now);
    progress.show({ name: 'reading', count: 0, unit: 'lines' });
    now = seconds * 1000;
    progress.show({ name: 'reading', unit: 'lines', ...step });
    expect(written.at(-1)).toBe(`\r${!('done' in step) ? 'reading ' : 'reading    '}${shown}\u001b[K`);
    progress.end();
    expect(written.at(-1)).toBe('\r\u001b[K');
  });

  it('of progress elsewhere than on a terminal is a line every few seconds', () => {
    const written: string[] = [];
    let now = 0;
    const progress = createProgress({ isTTY: false, write: (text) => written.push(text) }, () => now);
    for (let second = 0; second <= 12; second++) {
      now = second * 1000;
      progress.show({ name: 'reading', done: second / 20, count: second * 1000, unit: 'lines' });
    }
    progress.end();
    expect(written).toEqual([expect.stringMatching(/^[^\r]+\n$/), expect.stringMatching(/^[^\r]+\n$/)]);
  });
});
