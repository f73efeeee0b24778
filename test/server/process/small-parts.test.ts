// The small parts of a process: the port it listens on, npm that ended before it, its heap and its priority, and what the server says of
// connections that it closed.

import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { serverSettings } from './server-settings.ts';

const flags: string[] = [];
const v8 = await import('node:v8');
jest.unstable_mockModule('node:v8', () => ({ ...v8, setFlagsFromString: (flag: string) => void flags.push(flag) }));
const priorities: number[] = [];
let priority = 0;
const os = await import('node:os');
jest.unstable_mockModule('node:os', () => ({
  ...os,
  getPriority: () => priority,
  setPriority: (value: number) => void priorities.push(value),
}));
const cluster = await import('node:cluster');
const { createHttpServer } = await import('#server/process/http-server.ts');
const { listen, refusePortsInUse } = await import('#server/process/open-servers.ts');
const { setHeapFlags, lowerPriority } = await import('#server/process/resources.ts');
const { onNpmEnd } = await import('#server/process/process-end.ts');

afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});

describe('a port', () => {
  const host = '127.0.0.1';

  it('that is in use is refused with the variable that sets it; another error says itself', async () => {
    const other = createServer();
    await listen(other, { host, port: 0 });
    const { port } = other.address() as { port: number };
    const refused = [
      await listen(createServer(), { host, port }).catch(String),
      await listen(createServer(), { host, port }, 'HYGIE_METRICS_PORT').catch(String),
      await refusePortsInUse({ host, port }).catch(String),
      await listen(createServer(), { host: '192.0.2.1', port: 0 }).catch(String),
    ];
    other.close();
    await once(other, 'close');
    expect(refused.map((text) => String(text).replace(String(port), 'N'))).toEqual([
      'Error: cannot listen on 127.0.0.1 port N: it is in use; stop the other program or set HYGIE_PORT',
      'Error: cannot listen on 127.0.0.1 port N: it is in use; stop the other program or set HYGIE_METRICS_PORT',
      'Error: cannot listen on 127.0.0.1 port N: it is in use; stop the other program or set HYGIE_PORT',
      expect.stringMatching(/^Error: cannot listen on 192\.0\.2\.1 port 0 \(listen EADDRNOTAVAIL: /),
    ]);
    await refusePortsInUse({ host, port });
  });

  it('is shared by worker processes where the system distributes connections', async () => {
    const given: object[] = [];
    const server = Object.assign(new EventEmitter(), {
      listen: (options: object, done: () => void) => {
        given.push(options);
        done();
      },
    });
    await listen(server as never, { host, port: 1 });
    jest.replaceProperty(cluster.default, 'isWorker', true);
    await listen(server as never, { host, port: 1 });
    const distributes = ['linux', 'freebsd'].includes(process.platform);
    expect(given).toEqual([false, distributes].map((reusePort) => ({ host, port: 1, reusePort })));
  });
});

describe('npm that started the process', () => {
  it.each([
    [{ npm_lifecycle_event: 'start' }, 7, 1],
    [{ npm_lifecycle_event: 'start' }, 1, 0],
    [{}, 7, 0],
  ])('%j, by process %i: its end is noticed within a second', (env, parent, times) => {
    jest.useFakeTimers();
    const ppid = jest.replaceProperty(process, 'ppid', parent);
    const ended = jest.fn();
    onNpmEnd(ended, env as NodeJS.ProcessEnv);
    jest.advanceTimersByTime(5000);
    expect(ended).not.toHaveBeenCalled();
    ppid.replaceValue(1);
    jest.advanceTimersByTime(999);
    expect(ended).not.toHaveBeenCalled();
    jest.advanceTimersByTime(1);
    expect(ended).toHaveBeenCalledTimes(times);
    jest.advanceTimersByTime(5000);
    expect([ended.mock.calls.length, jest.getTimerCount()]).toEqual([times, 0]);
  });
});

it('a serving process sets its flags of V8, and long commands have a lower priority', () => {
  setHeapFlags();
  expect(flags).toEqual(['--heap-growing-percent=70', '--no-allocation-site-pretenuring', '--max-semi-space-size=0']);
  for (priority of [0, 19, -5]) lowerPriority();
  expect(priorities).toEqual([10, 19, 10]);
});

describe('connections that are closed', () => {
  const said: unknown[] = [];
  const server = () =>
    createHttpServer(() => {}, serverSettings({ maxConnections: 9, connectionsPerNetwork: 2 }), {
      warn: (...line: unknown[]) => void said.push(line),
    } as never);
  beforeEach(() => {
    said.length = 0;
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] });
  });

  it('are said at once, and then those of each minute together', () => {
    const one = server();
    const message = 'further connections are closed at once: listen.maxConnections are open';
    for (let count = 0; count < 4; count += 1) one.emit('drop');
    jest.advanceTimersByTime(59_999);
    expect(said).toEqual([[{ dropped: 1, maxConnections: 9 }, message]]);
    jest.advanceTimersByTime(1);
    expect(said.slice(1)).toEqual([[{ dropped: 3, maxConnections: 9 }, message]]);
    jest.advanceTimersByTime(60_000);
    one.emit('drop');
    expect(said.slice(2)).toEqual([[{ dropped: 1, maxConnections: 9 }, message]]);
  });

  it('after an answer that could not be read are closed a second later', () => {
    const one = server();
    const [answer] = one.listeners('clientError');
    const socket = Object.assign(new EventEmitter(), { writable: true, end: jest.fn(), destroy: jest.fn() });
    answer?.call(one, { code: 'ERR_HTTP_REQUEST_TIMEOUT' }, socket);
    jest.advanceTimersByTime(999);
    expect(socket.destroy).not.toHaveBeenCalled();
    jest.advanceTimersByTime(1);
    expect(socket.destroy).toHaveBeenCalledTimes(1);
    for (const code of [
      'HPE_CHUNK_EXTENSIONS_OVERFLOW',
      'HPE_HEADER_OVERFLOW',
      'HPE_INVALID_URL',
      'ERR_SSL_HTTP_REQUEST',
    ])
      answer?.call(one, { code }, socket);
    const head = (status: string, words: string) =>
      `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: ${Buffer.byteLength(words)}\r\nContent-Type: text/plain; charset=utf-8\r\n`;
    const answers = socket.end.mock.calls.map(([text]) => String(text).split('\r\n\r\n'));
    const security = ['content-security-policy', 'referrer-policy', 'x-content-type-options', 'x-frame-options'];
    for (const [answer = ''] of answers)
      expect(answer.split('\r\n').map((line) => line.split(': ')[0])).toEqual(
        expect.arrayContaining([...security, 'strict-transport-security']),
      );
    const said400 = 'Bad Request: in an address, write é as %C3%A9 and a blank as %20, or use curl -G --data-urlencode';
    const expected = [
      ['408 Request Timeout', 'Request Timeout'],
      ['413 Payload Too Large', 'Payload Too Large'],
      [
        '431 Request Header Fields Too Large',
        'Request Header Fields Too Large: address and headers take 24 KiB together at most',
      ],
      ['400 Bad Request', said400],
      ['400 Bad Request', 'Bad Request: this port speaks https'],
    ] as const;
    expect(answers).toEqual(
      expected.map(([status, words]) => [expect.stringContaining(head(status, `${words}\n`)), `${words}\n`]),
    );
  });
});
