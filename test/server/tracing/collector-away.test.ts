// What a service does with its variables and its collector: odd ones are named, one that is away is reported once and delays nothing.

import { afterEach, describe, expect, it } from '@jest/globals';
import { openTracing } from '#server/tracing/open-tracing.ts';
import { tracingSettings } from '#server/tracing/tracing-settings.ts';
import { freePort } from '#support/free-port.ts';
import { type Collector, startCollector } from '#support/tracing/collector.ts';
import { until } from '#support/until.ts';

describe("OpenTelemetry's variables", () => {
  it('none, or those that switch it off: nothing is traced, and nothing said', () => {
    const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318' };
    for (const env of [{}, { ...endpoint, OTEL_TRACES_EXPORTER: 'none' }, { ...endpoint, OTEL_SDK_DISABLED: 'TRUE' }])
      expect(tracingSettings(env)).toEqual({ doubts: [] });
  });

  it('an endpoint is enough; the rest is as OpenTelemetry has it', () => {
    const { settings, doubts } = tracingSettings({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://c:4318/v1/traces' });
    expect(doubts).toEqual([]);
    expect(settings).toEqual({
      exporters: ['otlp'],
      protocol: 'http/protobuf',
      sampler: 'always_on',
      ratio: 1,
      parentBased: true,
      continues: true,
      batch: { maxQueueSize: 2048, maxExportBatchSize: 512, scheduledDelayMillis: 5000, exportTimeoutMillis: 30_000 },
    });
  });

  it('grpc: nothing is sent, and the remedy said', () => {
    const env = { OTEL_TRACES_EXPORTER: 'otlp', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' };
    const { settings, doubts } = tracingSettings(env);
    expect(settings).toBeUndefined();
    expect(doubts).toEqual([
      expect.stringMatching(/^OTEL_EXPORTER_OTLP_PROTOCOL=grpc is not supported.*http\/protobuf.*4318/),
    ]);
  });

  it.each([
    ['OTEL_TRACES_EXPORTER', 'otlp,zipkin'],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'http/xml'],
    ['OTEL_TRACES_SAMPLER', 'jaeger_remote'],
    ['OTEL_TRACES_SAMPLER_ARG', '110%'],
    ['OTEL_PROPAGATORS', 'b3'],
    ['OTEL_BSP_MAX_QUEUE_SIZE', '-1'],
    ['OTEL_SDK_DISABLED', 'yes'],
  ])('%s=%s is named, and the rest goes on', (name, value) => {
    const { settings, doubts } = tracingSettings({ OTEL_TRACES_EXPORTER: 'otlp', [name]: value });
    expect(doubts).toEqual([expect.stringContaining(`${name}=${value} `)]);
    expect(settings).toMatchObject({ exporters: ['otlp'], protocol: 'http/protobuf', ratio: 1, sampler: 'always_on' });
  });

  it('a tenth of the traces, whatever callers say, and whatever id they choose', async () => {
    const env = {
      OTEL_TRACES_EXPORTER: 'console',
      OTEL_TRACES_SAMPLER: 'traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.1',
    };
    expect(tracingSettings(env).settings).toMatchObject({ sampler: 'traceidratio', ratio: 0.1, parentBased: false });
    const tracing = await openTracing({ ...env, OTEL_TRACES_SAMPLER_ARG: '1e-9' }, () => {});
    const caller = { traceparent: `00-${'1'.padStart(32, '0')}-00f067aa0ba902b7-01` };
    expect(tracing?.begin({ name: 'GET' }, caller)).toBeUndefined();
    await tracing?.close();
  });
});

describe('a collector that is away', () => {
  let collector: Collector | undefined;
  afterEach(() => collector?.close());

  it('is reported once, without its address and headers, and again when it is back; what waits is sent at the end', async () => {
    const port = await freePort();
    const reports: string[] = [];
    Object.assign(process.env, {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://user:secretword@127.0.0.1:${port}`,
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=secretword',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_EXPORTER_OTLP_TIMEOUT: '200',
      OTEL_BSP_SCHEDULE_DELAY: '10',
    });
    const tracing = await openTracing(process.env, (report) => reports.push(report));
    const span = (name: string) => tracing?.begin({ name }, {})?.end();
    span('lost');
    await until(() => reports.length > 0, 'a report');
    expect(reports).toEqual([expect.stringMatching(/^tracing: the collector does not take traces \(.*ECONNREFUSED/)]);
    expect(reports.join()).not.toContain('secretword');
    span('lost, too');
    collector = await startCollector(port);
    collector.status = 400;
    const refused = collector.headers;
    await until(() => {
      span('refused');
      return refused.length > 2;
    }, 'more that is not taken');
    expect(reports).toHaveLength(1);
    collector.status = 200;
    const arrived = () => collector?.spans().map(({ name }) => name) ?? [];
    await until(() => {
      span('arrives');
      return reports.length > 1;
    }, 'the end of it');
    expect(reports.slice(1)).toEqual([expect.stringMatching(/^tracing: traces are sent again; \d+ spans were lost$/)]);
    span('the last one');
    await tracing?.close();
    expect(arrived()).toEqual(expect.arrayContaining(['arrives', 'the last one']));
    expect(arrived()).not.toContain('lost');
  });
});
