// The servers of a process: their ports, their certificate and their end. And the clock of a graceful end: which turn of the event loop closes
// a server, and how long silent connections and slow requests are waited for.

import { once } from 'node:events';
import { createServer, type Server as HttpServer, type RequestListener } from 'node:http';
import { type AddressInfo, connect, Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import express from 'express';
import request from 'supertest';
import { startMetricsServer } from '#server/metrics/metrics-server.ts';
import { withGracefulEnd } from '#server/process/end-http-server.ts';
import { createHttpServer, withExpressPrototypes } from '#server/process/http-server.ts';
import { openServers } from '#server/process/open-servers.ts';
import { onStopSignals } from '#server/process/process-end.ts';
import { freePort } from '#support/free-port.ts';
import { newFolder } from '#support/new-folder.ts';
import { sendRaw } from '#support/raw-request.ts';
import { authority, writePair } from '#support/tls/certificates.ts';
import { serverSettings } from './server-settings.ts';

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

const log = { info: () => {}, warn: () => {}, error: () => {} } as never;
const host = '127.0.0.1';
const settingsOf = (listen: object) =>
  ({
    ...serverSettings({ host, ...listen }),
    issuer: 'https://connect.example/base',
    directory: { url: 'https://connect.example/base/directory/v2' },
  }) as never;
const ask = async (port: number, target = '/x') =>
  sendRaw(`http://${host}:${port}`, `GET ${target} HTTP/1.1\r\nHost: connect.example\r\nConnection: close\r\n\r\n`);

describe('the servers of a process', () => {
  it('are that of the application and that which redirects to https, without HSTS; both end', async () => {
    const [port, redirectPort] = [await freePort(), await freePort()];
    const servers = await openServers((_req, res) => void res.end('served'), settingsOf({ port, redirectPort }), log);
    await servers.listen();
    expect(servers.certificateExpiry()).toBeUndefined();
    expect((await ask(port)).body).toBe('served');
    for (const target of ['/x?y', 'http://evil.example/x?y']) {
      const { status, headers } = await ask(redirectPort, target);
      expect([status, headers.get('location')]).toEqual([308, 'https://connect.example/x?y']);
    }
    const unreadable = await sendRaw(`http://${host}:${redirectPort}`, 'rubbish\r\n\r\n');
    expect([unreadable.status, unreadable.headers.has('strict-transport-security')]).toEqual([400, false]);
    await servers.end(Promise.resolve(), 5);
    for (const one of [port, redirectPort]) await expect(ask(one)).rejects.toThrow('ECONNREFUSED');
    servers.close();
  });

  it('one that cannot listen is an error, and all are closed', async () => {
    const [port, other] = [await freePort(), createServer()];
    await once(other.listen(0, host), 'listening');
    const redirectPort = (other.address() as AddressInfo).port;
    const servers = await openServers(() => {}, settingsOf({ port, redirectPort }), log);
    await expect(servers.listen()).rejects.toThrow(`cannot listen on ${host} port ${redirectPort}: it is in use`);
    servers.close();
    await expect(ask(port)).rejects.toThrow('ECONNREFUSED');
    other.close();
  });

  it('with a certificate speak https, and say until when', async () => {
    const pair = await (await authority()).issue({ hosts: ['connect.example'], to: 40 });
    const [port, tls] = [await freePort(), writePair(newFolder(), pair)];
    const [started, ended] = [jest.spyOn(globalThis, 'setInterval'), jest.spyOn(globalThis, 'clearInterval')];
    const servers = await openServers((_req, res) => void res.end('served'), settingsOf({ port, tls }), log);
    await servers.listen();
    expect((servers.certificateExpiry()?.getTime() ?? 0) / 86_400_000).toBeCloseTo(Date.now() / 86_400_000 + 40, 1);
    const { status, body } = await ask(port);
    expect([status, body]).toEqual([400, 'Bad Request: this port speaks https\n']);
    servers.close();
    // The certificate is not looked at any more.
    const timers = started.mock.results.map(({ value }) => [value]);
    expect([timers.length, ended.mock.calls]).toEqual([1, timers]);
    for (const spy of [started, ended]) spy.mockRestore();
  });
});

it('requests and responses have the prototypes of the Express application before it gets them', async () => {
  const app = express().get('/', (req, res) => void res.send(req.query));
  const had: boolean[] = [];
  const listener: RequestListener = (req, res) => {
    had.push(Object.getPrototypeOf(req) === app.request, Object.getPrototypeOf(res) === app.response);
    app(req, res);
  };
  const { server } = withGracefulEnd(
    withExpressPrototypes(listener, app),
    (ended) => createHttpServer(ended, serverSettings(), { warn: () => {} }),
    { warn: () => {} },
  );
  expect((await request(server).get('/?a=b')).body).toEqual({ a: 'b' });
  expect(had).toEqual([true, true]);
});

it('requests to every port of the process have the same prototypes, before and after its application', async () => {
  const [port, redirectPort, metricsPort] = [await freePort(), await freePort(), await freePort()];
  const app = express().disable('etag');
  const main = withExpressPrototypes(app, app);
  const listen = jest.spyOn(Server.prototype, 'listen');
  const servers = await openServers(main, settingsOf({ port, redirectPort }), log);
  await servers.listen();
  const metrics = { host, port: metricsPort };
  const endMetrics = await startMetricsServer({ metrics }, { scrape: async () => '', log, main });
  const opened = listen.mock.contexts as HttpServer[];
  listen.mockRestore();
  const seen: unknown[] = [];
  for (const server of opened)
    server.prependListener('request', (req, res) => {
      const look = () => {
        seen.push(Object.getPrototypeOf(req) === app.request, Object.getPrototypeOf(res) === app.response);
      };
      look();
      res.on('finish', look);
    });
  const statuses = [];
  for (const one of [port, redirectPort, metricsPort]) statuses.push((await ask(one, '/metrics')).status);
  await endMetrics();
  servers.close();
  expect(statuses).toEqual([404, 308, 200]);
  expect(seen).toEqual(Array.from({ length: 3 * 4 }, () => true));
});

describe('the clock of a graceful end', () => {
  afterEach(() => {
    jest.useRealTimers();
    jest.restoreAllMocks();
  });

  async function start() {
    const warnings: string[] = [];
    const { server, end } = withGracefulEnd(
      () => {},
      (app) => createServer(app),
      { warn: (message: unknown) => void warnings.push(String(message)) } as never,
    );
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const open = async (bytes = ''): Promise<[client: Socket, accepted: Socket]> => {
      const accepted = once(server, 'connection');
      const client = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {});
      const [socket] = (await accepted) as [Socket];
      if (bytes) {
        client.write(bytes);
        await once(server, 'request');
      }
      return [client, socket];
    };
    return { server, end, open, warnings };
  }

  it('a silent connection has a second, and a request as long as the settings say', async () => {
    const { server, end, open, warnings } = await start();
    const [silent, atSilent] = await open();
    const [slow, atSlow] = await open('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    let ended = false;
    const ending = end(Promise.resolve(), 30).then(() => {
      ended = true;
    });
    for (let turns = 0; server.listening && turns < 1000; turns += 1) await turn();
    // The second look closes idle connections; then the time counts.
    for (let turns = 0; turns < 10; turns += 1) await turn();
    jest.advanceTimersByTime(999);
    expect([atSilent.destroyed, atSlow.destroyed]).toEqual([false, false]);
    jest.advanceTimersByTime(1);
    expect([atSilent.destroyed, atSlow.destroyed]).toEqual([true, false]);
    jest.advanceTimersByTime(28_999);
    expect([atSlow.destroyed, ended, warnings]).toEqual([false, false, []]);
    jest.advanceTimersByTime(1);
    expect([atSlow.destroyed, warnings]).toEqual([true, ['stopping: requests that did not end are cut off']]);
    await ending;
    expect(jest.getTimerCount()).toBe(0);
    for (const socket of [silent, slow]) socket.destroy();
  });

  /** Looks at the clock until a server no longer listens, where each turn takes these milliseconds. */
  async function looksUntilClosed(milliseconds: number): Promise<number> {
    const { server, end } = await start();
    let now = 0;
    let looks = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => {
      now += milliseconds;
      if (server.listening) looks += 1;
      return now;
    });
    await end(Promise.resolve(), 60);
    return looks;
  }

  it.each([
    [0.04, 3],
    // Longer turns are taken for empty the longer it takes: by 1 ms after 300.
    [0.06, 52],
    [1, 287],
    // After two seconds any will do.
    [100, 22],
    [2000, 3],
    [2001, 2],
  ])('turns of %d ms: closed after %i looks', async (milliseconds, looks) => {
    expect(await looksUntilClosed(milliseconds)).toBe(looks);
  });
});

it('a second signal that is impatient ends the process, as that of a terminal does', () => {
  jest.useFakeTimers();
  const exit = jest.spyOn(process, 'exit').mockImplementation((() => {}) as never);
  const remove = onStopSignals(() => {});
  process.emit('SIGTERM', 'SIGTERM');
  jest.advanceTimersByTime(1001);
  process.emit('SIGTERM', 'SIGTERM');
  remove();
  expect(exit.mock.calls).toEqual([[130]]);
  exit.mockRestore();
  jest.useRealTimers();
});
