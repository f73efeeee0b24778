// Issue, item "Metrics": the port of their own among many who ask, and a database that is away or does not answer. What it answers:
// `registry.test.ts`.

import { once } from 'node:events';
import { connect, createServer, type Server } from 'node:net';
import { afterEach, expect, it } from '@jest/globals';
import { METRICS, type MetricName } from '#server/metrics/metric-definitions.ts';
import { startMetricsServer } from '#server/metrics/metrics-server.ts';
import { openMetrics } from '#server/metrics/open-metrics.ts';
import { addSharedState } from '#server/metrics/shared-state.ts';
import { openDatabase } from '#store/database/connection.ts';
import { freePort } from '#support/free-port.ts';
import { scraped } from '#support/metrics/scrape.ts';

const host = '127.0.0.1';
const log = { error: () => {} };
const ending: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0)) await end();
});

async function serve(scrape: () => Promise<string>): Promise<string> {
  const port = await freePort();
  ending.push(await startMetricsServer({ metrics: { host, port } }, { scrape, log, main: undefined }));
  return `http://${host}:${port}`;
}

it('SEC-58 many who ask at once cost one answer, and many who stay one hundred sockets', async () => {
  const opened = await openMetrics({ metrics: { host, port: 1 } });
  if (!opened) throw new Error('no metrics');
  let readings = 0;
  opened.metrics.addSource(() => {
    readings += 1;
  });
  await Promise.all(Array.from({ length: 50 }, () => opened.scrape()));
  await opened.scrape();
  expect(readings).toBe(2);

  const port = Number(new URL(await serve(opened.scrape)).port);
  const sockets = Array.from({ length: 101 }, () => connect(port, host).on('error', () => {}));
  ending.unshift(() => sockets.map((socket) => socket.destroy()));
  const closed = await Promise.race(sockets.map((socket) => once(socket, 'close')));
  expect(closed).toEqual([false]);
});

it('a port that is taken: an error with the remedy', async () => {
  const address = await serve(async () => '');
  const port = Number(new URL(address).port);
  await expect(
    startMetricsServer({ metrics: { host, port } }, { scrape: async () => '', log, main: undefined }),
  ).rejects.toThrow(/cannot listen on 127\.0\.0\.1 port \d+: it is in use; .*HYGIE_METRICS_PORT/);
});

/** What the metrics say of a database that is no longer there. */
async function stateOf(port: number) {
  const database = openDatabase({ engine: 'postgresql', url: `postgres://hygie:x@${host}:${port}/hygie` });
  ending.push(() => database.destroy());
  const opened = await openMetrics({ metrics: { host, port: 1 } });
  if (!opened) throw new Error('no metrics');
  const settings = { keys: { secrets: [], rotateAfter: 1, cachedFor: 1 }, lifetimes: {} } as unknown as Parameters<
    typeof addSharedState
  >[1]['settings'];
  addSharedState(opened.metrics, { database, settings });
  return scraped(await opened.scrape());
}

it('a database that is away: hygie_database_up 0, nothing that it would say, and everything else', async () => {
  const { value, series } = await stateOf(await freePort());
  expect(value('hygie_database_up')).toBe(0);
  expect(series.filter(({ name }) => /^hygie_(directory_(snap|res|last)|mails_wait|key)/.test(name))).toEqual([]);
  expect(value('hygie_worker_processes', { state: 'answering' })).toBe(1);
  expect(value('process_start_time_seconds')).toBeGreaterThan(0);
});

it('a database that takes the connection and never answers: the same, within its two seconds', async () => {
  const silent: Server = createServer((socket) => {
    ending.unshift(() => socket.destroy());
    socket.on('error', () => {});
  }).listen(0, host);
  await once(silent, 'listening');
  ending.push(() => silent.close());
  expect((await stateOf((silent.address() as { port: number }).port)).value('hygie_database_up')).toBe(0);
});

it('every name follows the rules of Prometheus: a unit for what has one, _total for counters alone', () => {
  for (const name of Object.keys(METRICS) as MetricName[]) {
    expect(name).toMatch(/^[a-z]+(_[a-z]+)*$/);
    expect([name, METRICS[name].type === 'counter']).toEqual([name, name.endsWith('_total')]);
    if (METRICS[name].type === 'histogram') expect(name).toMatch(/_seconds$/);
  }
});
