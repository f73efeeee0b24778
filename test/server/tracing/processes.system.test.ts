// Traces of worker processes, which send what they have when they end; and of commands.

import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Installation } from '#support/cli/hygie.ts';
import { inProcess } from '#support/cli/in-process.ts';
import { filledInstallation, serve } from '#support/cli/serving.ts';
import { freePort } from '#support/free-port.ts';
import { type Collector, startCollector } from '#support/tracing/collector.ts';

/** Processes of a service start and end. */
const SLOW = 60_000;
const REPORT_LOADED = fileURLToPath(new URL('../../support/cli/report-loaded.ts', import.meta.url));

let place: Installation;
let collector: Collector;
beforeAll(async () => {
  place = filledInstallation();
  collector = await startCollector();
});
afterAll(async () => {
  place.remove();
  await collector.close();
});

it(
  'each of two worker processes sends its spans at the latest when it is stopped',
  async () => {
    const port = String(await freePort());
    const serving = await serve(place, {
      HYGIE_PORT: port,
      HYGIE_ISSUER: `http://127.0.0.1:${port}`,
      HYGIE_PROCESSES: '2',
      LOG_FORMAT: 'json',
      NODE_OPTIONS: `--import=${REPORT_LOADED}`,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_SERVICE_NAME: 'directory-of-paris',
      OTEL_BSP_SCHEDULE_DELAY: '3600000',
    });
    try {
      await serving.outputMatching(/(a worker process listens[\s\S]*){2}/);
      // The system distributes connections: some for each.
      const ask = () => fetch(`http://127.0.0.1:${port}/nothing`, { headers: { connection: 'close' } });
      for (let asked = 0; asked < 24; asked += 1) await ask();
      expect(collector.spans()).toEqual([]);
    } finally {
      serving.child.kill('SIGTERM');
    }
    expect(await serving.ended).toBe(0);
    const requests = collector.spans().filter(({ kind }) => kind === 2);
    expect(requests).toHaveLength(24);
    expect(new Set(requests.map(({ resource }) => resource['process.pid'])).size).toBe(2);
    expect(requests[0]?.resource['service.name']).toBe('directory-of-paris');
    // That the process says so here proves that its silence in `serve.test.ts` says something.
    expect(serving.output()).toContain('loaded @opentelemetry/sdk-trace');
  },
  SLOW,
);

it('a command is a trace, below that of what started it, without its arguments', async () => {
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
  const env = {
    OTEL_TRACES_EXPORTER: 'console',
    TRACEPARENT: `00-${traceId}-00f067aa0ba902b7-01`,
  };
  const { code, stderr } = await inProcess(place)(['accounts', 'show', 'canary@clinic.example'], { env });
  expect(code).toBe(1);
  const spans = stderr.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []));
  expect(spans.at(-1)).toMatchObject({
    span: 'hygie accounts',
    traceId,
    parent: '00f067aa0ba902b7',
    'hygie.action': 'show',
    'error.type': 'Refusal',
  });
  expect(spans.map(({ span }) => span)).toContain('SELECT accounts');
  expect(JSON.stringify(spans)).not.toContain('canary');
});
