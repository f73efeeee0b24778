// The span of each request: its name, its route and how it ended. And what exporters write and say, word by word.

import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import express, { Router } from 'express';
import request from 'supertest';
import { exporterOf } from '#server/tracing/exporters.ts';
import { openTracing } from '#server/tracing/open-tracing.ts';
import { traceRequests } from '#server/tracing/trace-requests.ts';
import { currentContext, withinContext } from '#shared/request-context.ts';
import { until } from '#support/until.ts';

describe('the span of a request', () => {
  /** An application whose requests are traced, and what its spans were told. */
  function traced({ recorded = true, context = { requestId: 'request-1' } as object, base = '/base' } = {}) {
    const told: unknown[][] = [];
    const span = {
      rename: (name: string) => void told.push(['rename', name]),
      set: (attributes: object) => void told.push(['set', attributes]),
      end: (failed?: string) => void told.push(['end', failed]),
    };
    const tracing = {
      tracer: 'tracer',
      begin: (started: object, headers: object) => {
        told.push(['begin', started, 'host' in headers]);
        return recorded ? span : undefined;
      },
    };
    const app = express();
    app.use((_req, _res, next) => withinContext({ ...context }, next));
    app.use(traceRequests(tracing as never, base));
    const router = Router();
    router.get('/:uid', (_req, res) => void res.json(Object.keys(currentContext() ?? {})));
    router.get(['/one', '/one/:id/:more', /pattern/], (_req, res) => void res.status(500).send(''));
    app.use('/pages', router);
    app.get('/waits', (_req, res) => void res.write('begun'));
    app.get('/silent', () => {});
    app.post('/base/oauth/token', (_req, res) => void res.status(499).send(''));
    return { app, told };
  }
  const begun = (method: string, id: object = { 'hygie.request_id': 'request-1' }) => [
    'begin',
    { name: method, kind: 'server', attributes: { 'http.request.method': method, 'url.scheme': 'http', ...id } },
    true,
  ];
  const ended = (name: string, status: number, failed?: string) => [
    ['rename', name],
    ['set', { 'http.route': name.split(' ')[1] }],
    ['set', { 'http.response.status_code': status }],
    ['end', failed],
  ];

  it.each([
    ['GET', '/pages/abc', 200, '/pages/:uid', undefined],
    ['GET', '/pages/one/2/3', 500, '/pages/one/:id/:more', '500'],
    ['POST', '/base/oauth/token', 499, '/base/oauth/token', undefined],
    ['GET', '/base/authorize/abc', 404, '/base/authorize/:step', undefined],
  ])('%s %s, answered %i, has the route %s', async (method, path, status, route, failed) => {
    const { app, told } = traced();
    const answer = await request(app)[method === 'GET' ? 'get' : 'post'](path);
    expect([answer.status, told]).toEqual([status, [begun(method), ...ended(`${method} ${route}`, status, failed)]]);
  });

  it('that nothing answers has no route, and one without an id has none', async () => {
    const { app, told } = traced();
    await request(app).get('/nowhere');
    expect(told).toEqual([begun('GET'), ['set', { 'http.response.status_code': 404 }], ['end', undefined]]);
    const without = traced({ context: {} });
    await request(without.app).get('/nowhere');
    expect(without.told[0]).toEqual(begun('GET', {}));
  });

  it('is the parent of all work for it, unless it is not recorded', async () => {
    expect((await request(traced().app).get('/pages/abc')).body).toEqual(['requestId', 'tracer', 'span']);
    const { app, told } = traced({ recorded: false });
    expect((await request(app).get('/pages/abc')).status).toBe(200);
    expect(told).toEqual([begun('GET')]);
  });

  it.each([
    ['/waits', [['set', { 'http.response.status_code': 200 }]]],
    ['/silent', []],
  ])('%s whose client goes away was aborted', async (path, known) => {
    const { app, told } = traced();
    const server = createServer(app).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
    await once(server, 'request');
    socket.destroy();
    await until(() => told.some(([what]) => what === 'end'), 'the end of the span');
    server.close();
    const named = [
      ['rename', `GET ${path}`],
      ['set', { 'http.route': path }],
    ];
    expect(told).toEqual([begun('GET'), ...named, ...known, ['end', 'aborted']]);
  });

  it('of a method that nobody knows is named _OTHER, and without a context there is none', () => {
    const told: unknown[] = [];
    const tracing = { begin: (started: unknown) => void told.push(started) };
    const middleware = traceRequests(tracing as never, '');
    const next = jest.fn();
    const req = { path: '/x', method: 'SPY', protocol: 'https', headers: {} };
    middleware(req as never, {} as never, next);
    expect(told).toEqual([]);
    withinContext({}, () => middleware(req as never, {} as never, next));
    const attributes = { 'http.request.method': '_OTHER', 'url.scheme': 'https' };
    expect([told, next.mock.calls.length]).toEqual([[{ name: '_OTHER', kind: 'server', attributes }], 2]);
  });
});

describe('an exporter', () => {
  const own = { ...process.env };
  let written = '';
  beforeEach(() => {
    written = '';
    jest.spyOn(process.stderr, 'write').mockImplementation((text) => {
      written += String(text);
      return true;
    });
  });
  afterEach(() => {
    jest.restoreAllMocks();
    process.env = own;
  });

  it('to the console writes a line for each span, with its milliseconds', async () => {
    const spanOf = (name: string, duration: [number, number], parent?: string) => ({
      name,
      duration,
      startTime: [1_790_000_000, 500_000_000],
      attributes: { 'http.route': '/x' },
      ...(parent && { parentSpanContext: { spanId: parent } }),
      spanContext: () => ({ traceId: 't', spanId: 's' }),
    });
    const exporter = exporterOf('console', 'http/json', () => {});
    const done = jest.fn();
    const spans = [spanOf('one', [2, 500_000_000]), spanOf('two', [0, 1_499_999], 'p')];
    exporter.export(spans as never, done);
    const common = { time: '2026-09-21T14:13:20.500000000Z', traceId: 't', spanId: 's', 'http.route': '/x' };
    const lines = written.trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { span: 'one', ms: 2500, ...common },
      { span: 'two', ms: 1, parent: 'p', ...common },
    ]);
    expect(done.mock.calls).toEqual([[{ code: 0 }]]);
    await exporter.shutdown();
  });

  it.each([
    ['http/json', 'application/json'],
    ['http/protobuf', 'application/x-protobuf'],
  ])(
    'by %s says once why nothing is taken, in 200 characters, and how many spans were lost',
    async (protocol, type) => {
      let status = 400;
      const asked: unknown[] = [];
      const collector = createServer((req, res) => {
        asked.push([req.method, req.url, req.headers['content-type']]);
        req.resume().on('end', () => res.writeHead(status, status === 400 ? 'x'.repeat(300) : 'OK').end());
      }).listen(0, '127.0.0.1');
      await once(collector, 'listening');
      process.env = {
        ...own,
        OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
        OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
        OTEL_BSP_SCHEDULE_DELAY: '1',
        OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '1',
      };
      const reports: string[] = [];
      const tracing = await openTracing(process.env, (report) => reports.push(report));
      const send = async (count: number) => {
        const before = asked.length;
        for (let sent = 0; sent < count; sent += 1) tracing?.begin({ name: 'x' }, {})?.end();
        await until(() => asked.length === before + count, 'the spans');
      };
      await send(3);
      await until(() => reports.length > 0, 'a report');
      status = 200;
      await send(1);
      await until(() => reports.length > 1, 'another report');
      await send(1);
      await tracing?.close();
      collector.close();
      expect(reports).toEqual([
        `tracing: the collector does not take traces (${`400 ${'x'.repeat(300)}`.slice(0, 200)}): requests go on without`,
        'tracing: traces are sent again; 3 spans were lost',
      ]);
      expect(asked).toEqual(asked.map(() => ['POST', '/v1/traces', type]));
    },
  );
});
