// Which metrics a process has and which labels they may have, and who may read them in which words.

import type { Server as HttpServer } from 'node:http';
import { Server } from 'node:net';
import { describe, expect, it, jest } from '@jest/globals';
import express from 'express';
import request from 'supertest';
import { showMetrics, startMetricsServer } from '#server/metrics/metrics-server.ts';
import { createMetrics } from '#server/metrics/registry.ts';
import { freePort } from '#support/free-port.ts';

describe('metrics of this process', () => {
  it('SEC-58 leave out what the library repeats, and take values of other labels for other', async () => {
    const metrics = createMetrics();
    metrics.count('tokens_issued_total', { grant: 'a-grant' }, 2);
    metrics.count('tokens_issued_total', { grant: 'refresh_token' });
    metrics.count('http_requests_total', { route: 'a-route', status: '2xx' });
    metrics.set('search_calls', { state: 'odd' }, 3);
    metrics.set('database_up', {}, 1);
    metrics.set('instances', {}, 1);
    metrics.set('instances', {}, undefined);
    metrics.set('build_info', { version: '1', node: '2', engine: 'sqlite' }, 1);
    let read = 0;
    metrics.addSource(() => {
      read += 1;
    });
    const values = await metrics.read();
    const of = (name: string) =>
      (values.find((one) => one.name === name)?.values ?? []).map(({ labels, value }) => [labels, value]);
    expect(read).toBe(1);
    expect(of('hygie_tokens_issued_total')).toEqual([
      [{ grant: 'authorization_code' }, 0],
      [{ grant: 'refresh_token' }, 1],
      [{ grant: 'client_credentials' }, 0],
      [{ grant: 'other' }, 2],
    ]);
    // A counter of more than a hundred series has none before the first event.
    expect(of('hygie_http_requests_total')).toEqual([[{ route: 'other', status: '2xx' }, 1]]);
    expect(of('hygie_directory_requests_total')).toHaveLength(42);
    expect([of('hygie_search_calls'), of('hygie_database_up')]).toEqual([[[{ state: 'other' }, 3]], [[{}, 1]]]);
    expect([of('hygie_instances'), of('hygie_mails_waiting')]).toEqual([[], []]);
    expect(of('hygie_build_info')).toEqual([[{ version: '1', node: '2', engine: 'sqlite' }, 1]]);
    const names = values.map(({ name }) => name);
    const ofNode = 'eventloop_lag_p99_seconds heap_size_used_bytes heap_space_size_used_bytes version_info'.split(' ');
    const ofProcess = 'cpu_seconds_total resident_memory_bytes start_time_seconds'.split(' ');
    const usual = [...ofNode.map((name) => `nodejs_${name}`), ...ofProcess.map((name) => `process_${name}`)];
    expect(names).toEqual(expect.arrayContaining(usual));
    for (const kind of ['handles', 'requests', 'resources']) expect(names).not.toContain(`nodejs_active_${kind}_total`);
    expect(names).not.toContain('nodejs_gc_duration_seconds');
  });
});

describe('who reads the metrics', () => {
  const TOKEN = 'a-token-of-the-tests-that-opens-nothing';
  const errors: unknown[][] = [];
  const log = { error: (...line: unknown[]) => void errors.push(line) } as never;
  const ask = (options: Partial<Parameters<typeof showMetrics>[0]>, authorization?: string) => {
    const app = express().use(showMetrics({ scrape: async () => 'up 1\n', log, ...options }));
    return request(app)
      .get('/')
      .set(authorization === undefined ? {} : { authorization });
  };

  it.each([
    [undefined, 401, 'Bearer realm="metrics"'],
    ['Bearer', 401, 'Bearer realm="metrics"'],
    [`Basic ${TOKEN}`, 401, 'Bearer realm="metrics"'],
    [`Bearer ${TOKEN}x`, 401, 'Bearer realm="metrics", error="invalid_token"'],
    ['Bearer x', 401, 'Bearer realm="metrics", error="invalid_token"'],
    [`Bearer ${TOKEN} x`, 401, 'Bearer realm="metrics"'],
    [`bearer  ${TOKEN} `, 200, undefined],
    [`Bearer ${TOKEN}`, 200, undefined],
  ])('%j is answered %i', async (authorization, status, challenge) => {
    const answer = await ask({ token: TOKEN }, authorization);
    expect([answer.status, answer.headers['www-authenticate'], answer.headers['cache-control']]).toEqual([
      status,
      challenge,
      'no-store',
    ]);
    expect([answer.text, answer.headers['content-type']]).toEqual(
      status === 200
        ? ['up 1\n', 'text/plain; version=0.0.4; charset=utf-8']
        : [
            'Send Authorization: Bearer, a blank and the token that metrics.token in service.yaml names.\n',
            'text/plain; charset=utf-8',
          ],
    );
  });

  it('everybody does where there is no token; what cannot be collected is 503, and the log has the cause', async () => {
    expect((await ask({})).text).toBe('up 1\n');
    const cause = new Error('a secret');
    const { status, text } = await ask({ scrape: () => Promise.reject(cause) });
    expect([status, text]).toEqual([503, 'The metrics cannot be collected: the log of the service has the cause.\n']);
    expect(errors).toEqual([[{ err: cause }, 'the metrics cannot be collected']]);
  });

  it('a port of their own answers at one address, with the headers of every answer, until it is closed', async () => {
    const port = await freePort();
    const host = '127.0.0.1';
    const listen = jest.spyOn(Server.prototype, 'listen');
    const close = await startMetricsServer(
      { metrics: { host, port, token: TOKEN } },
      { scrape: async () => 'up 1\n', log, main: undefined },
    );
    const { headersTimeout, requestTimeout, maxConnections } = listen.mock.contexts[0] as HttpServer;
    listen.mockRestore();
    expect([headersTimeout, requestTimeout, maxConnections]).toEqual([15_000, 15_000, 100]);
    const at = (path: string) => request(`http://${host}:${port}`).get(path);
    const common = { 'x-content-type-options': 'nosniff', 'content-security-policy': "default-src 'none'" };
    const found = await at('/metrics').set('authorization', `Bearer ${TOKEN}`);
    expect([found.status, found.text, found.headers]).toEqual([200, 'up 1\n', expect.objectContaining(common)]);
    expect((await at('/metrics')).status).toBe(401);
    const { status, text, headers } = await at('/');
    expect([status, text, headers]).toEqual([404, 'The metrics are at /metrics.\n', expect.objectContaining(common)]);
    for (const name of ['x-powered-by', 'etag'])
      expect([name, name in found.headers, name in headers]).toEqual([name, false, false]);
    await close();
    await expect(at('/metrics')).rejects.toThrow('ECONNREFUSED');
    await (await startMetricsServer({ metrics: { host } }, { scrape: async () => '', log, main: undefined }))();
  });
});
