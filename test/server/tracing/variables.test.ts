// What each of OpenTelemetry's variables sets, how a command is traced, and the limits of what tracing says and waits for.

import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { diag } from '@opentelemetry/api';
import { openTracing, traceCommand } from '#server/tracing/open-tracing.ts';
import { tracingSettings } from '#server/tracing/tracing-settings.ts';

describe('variables of tracing', () => {
  const on = { OTEL_TRACES_EXPORTER: 'otlp' };
  const USUAL = {
    exporters: ['otlp'],
    protocol: 'http/protobuf',
    sampler: 'always_on',
    parentBased: true,
    ratio: 1,
    continues: true,
    batch: { maxQueueSize: 2048, maxExportBatchSize: 512, scheduledDelayMillis: 5000, exportTimeoutMillis: 30_000 },
  };
  const own = { ...process.env };
  let written: string;
  beforeEach(() => {
    written = '';
    jest.spyOn(process.stderr, 'write').mockImplementation((text) => {
      written += String(text);
      return true;
    });
  });
  afterEach(() => {
    jest.useRealTimers();
    jest.restoreAllMocks();
    process.env = own;
  });

  describe("each of OpenTelemetry's variables", () => {
    it.each([
      ['OTEL_TRACES_EXPORTER', ' Console , OTLP ', { exporters: ['otlp', 'console'] }],
      ['OTEL_EXPORTER_OTLP_PROTOCOL', 'http/json', { protocol: 'http/json' }],
      ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'HTTP/JSON', { protocol: 'http/json' }],
      ['OTEL_TRACES_SAMPLER', 'always_off', { sampler: 'always_off', parentBased: false }],
      ['OTEL_TRACES_SAMPLER', 'always_on', { sampler: 'always_on', parentBased: false }],
      ['OTEL_TRACES_SAMPLER', 'traceidratio', { sampler: 'traceidratio', parentBased: false }],
      ['OTEL_TRACES_SAMPLER', 'parentbased_always_on', { sampler: 'always_on', parentBased: true }],
      ['OTEL_TRACES_SAMPLER', 'parentbased_always_off', { sampler: 'always_off', parentBased: true }],
      ['OTEL_TRACES_SAMPLER', 'parentbased_traceidratio', { sampler: 'traceidratio', parentBased: true }],
      ['OTEL_TRACES_SAMPLER_ARG', '0', { ratio: 0 }],
      ['OTEL_TRACES_SAMPLER_ARG', '1', { ratio: 1 }],
      ['OTEL_PROPAGATORS', 'none', { continues: false }],
      ['OTEL_PROPAGATORS', 'baggage', { continues: false }],
      ['OTEL_PROPAGATORS', 'tracecontext', { continues: true }],
      ['OTEL_BSP_MAX_QUEUE_SIZE', '1', { batch: { maxQueueSize: 1 } }],
      ['OTEL_BSP_MAX_EXPORT_BATCH_SIZE', '2', { batch: { maxExportBatchSize: 2 } }],
      ['OTEL_BSP_SCHEDULE_DELAY', '3', { batch: { scheduledDelayMillis: 3 } }],
      ['OTEL_BSP_EXPORT_TIMEOUT', '4', { batch: { exportTimeoutMillis: 4 } }],
    ])('%s=%s', (name, value, expected) => {
      const { settings, doubts } = tracingSettings({ ...on, [name]: value });
      expect(doubts).toEqual([]);
      const { batch, ...rest } = expected as { batch?: object };
      expect(settings).toEqual({ ...USUAL, ...rest, batch: { ...USUAL.batch, ...batch } });
    });

    const COUNT = 'is no whole number above 0: it is taken as';
    const GRPC =
      'is not supported, and nothing is sent: set it to http/protobuf, and the endpoint to the port of the collector for OTLP over HTTP (4318).';
    const SAMPLERS =
      'parentbased_always_on, parentbased_always_off, parentbased_traceidratio, always_on, always_off, traceidratio';
    it.each([
      ['OTEL_TRACES_EXPORTER=zipkin', 'has exporters that are not supported: otlp, console and none are.', false],
      ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL=grpc', GRPC, false],
      ['OTEL_EXPORTER_OTLP_PROTOCOL=grpc', GRPC, false],
      [
        'OTEL_EXPORTER_OTLP_PROTOCOL=http/xml',
        'is not known here: http/protobuf, http/json. It is taken as http/protobuf.',
      ],
      ['OTEL_TRACES_SAMPLER=x', `is not known here: ${SAMPLERS}. It is taken as parentbased_always_on.`],
      ['OTEL_TRACES_SAMPLER_ARG=1.01', 'is no number from 0 to 1: it is taken as 1.'],
      ['OTEL_TRACES_SAMPLER_ARG=-0.01', 'is no number from 0 to 1: it is taken as 1.'],
      ['OTEL_PROPAGATORS=b3, jaeger, tracecontext', 'has b3, jaeger, not supported: tracecontext and none are.'],
      ['OTEL_BSP_MAX_QUEUE_SIZE=0', `${COUNT} 2048.`],
      ['OTEL_BSP_MAX_EXPORT_BATCH_SIZE=1.5', `${COUNT} 512.`],
      ['OTEL_BSP_SCHEDULE_DELAY=x', `${COUNT} 5000.`],
      ['OTEL_BSP_EXPORT_TIMEOUT=-1', `${COUNT} 30000.`],
      ['OTEL_SDK_DISABLED=x', 'is not known here: false, true. It is taken as false.'],
    ])('what is wrong with %s is said', (variable, said, traced = true) => {
      const [name = '', value = ''] = variable.split('=');
      expect(tracingSettings({ ...on, [name]: value })).toEqual({
        ...(traced && { settings: USUAL }),
        doubts: [`${variable} ${said}`],
      });
    });

    it('none of them is needed', () => {
      expect(tracingSettings(on)).toEqual({ settings: USUAL, doubts: [] });
    });

    it('an endpoint of either kind switches it on', () => {
      for (const name of ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'])
        expect(tracingSettings({ [name]: 'http://c:4318' }).settings).toEqual(tracingSettings(on).settings);
    });

    it('none, or those that switch it off: nothing is traced, and nothing said', () => {
      const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318' };
      const off = [
        { OTEL_TRACES_EXPORTER: 'none' },
        { OTEL_SDK_DISABLED: 'TRUE' },
        { OTEL_EXPORTER_OTLP_ENDPOINT: ' ' },
      ];
      for (const env of [{}, ...off.map((variable) => ({ ...endpoint, ...variable }))])
        expect(tracingSettings(env)).toEqual({ doubts: [] });
    });
  });

  describe('a command', () => {
    const env = { OTEL_TRACES_EXPORTER: 'console' };
    const span = () => JSON.parse(written) as Record<string, unknown>;
    const report = () => {};

    it.each([
      [0, undefined],
      [2, 'exit code'],
    ])('that ends with %i is a span with its name and its code', async (code, error) => {
      expect(await traceCommand('accounts', env, report, async () => code)).toBe(code);
      expect(span()).toEqual({
        span: 'hygie accounts',
        time: expect.stringMatching(/^\d{4}-.*Z$/),
        ms: expect.any(Number),
        traceId: expect.any(String),
        spanId: expect.any(String),
        'hygie.command': 'accounts',
        'process.exit.code': code,
        ...(error && { 'error.type': error }),
      });
    });

    it('that fails is a span with the kind of the error, below the caller of the command', async () => {
      const [trace, parent] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];
      const failing = async () => Promise.reject(new TypeError('x'));
      const called = { ...env, TRACEPARENT: `00-${trace}-${parent}-01`, TRACESTATE: 'a=b' };
      await expect(traceCommand('accounts', called, report, failing)).rejects.toThrow('x');
      expect(span()).toMatchObject({ traceId: trace, parent, 'error.type': 'TypeError' });
    });

    it('is not traced where nobody asks for it', async () => {
      expect(await traceCommand('accounts', {}, report, async () => 3)).toBe(3);
      expect(written).toBe('');
    });
  });

  describe('limits of tracing', () => {
    it('fifty different sentences of the SDK are said, each once', async () => {
      const said: string[] = [];
      const tracing = await openTracing({ OTEL_TRACES_EXPORTER: 'console' }, (message) => said.push(message));
      for (let one = 0; one < 60; one += 1) {
        const sentence = 'x'.repeat(one + 1);
        for (const tell of [diag.warn, diag.error, diag.info, diag.debug, diag.verbose])
          tell.call(diag, `${sentence} ${one}`);
      }
      await tracing?.close();
      expect(said).toHaveLength(50);
      expect(said[0]).toBe('tracing: x 0');
    });

    it('an end waits two seconds for a collector that does not answer, and half a second more for the process', async () => {
      const sockets: Socket[] = [];
      const silent = createServer((socket) => void sockets.push(socket)).listen(0, '127.0.0.1');
      await once(silent, 'listening');
      const { port } = silent.address() as AddressInfo;
      process.env = {
        ...own,
        OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
        OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      };
      const exit = jest.spyOn(process, 'exit').mockImplementation((() => {}) as never);
      jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'performance'] });
      const tracing = await openTracing(process.env, () => {});
      tracing?.begin({ name: 'x' }, {})?.end();
      let closed = false;
      const closing = tracing?.close().then(() => {
        closed = true;
      });
      if (sockets.length === 0) await once(silent, 'connection');
      await jest.advanceTimersByTimeAsync(1999);
      expect(closed).toBe(false);
      await jest.advanceTimersByTimeAsync(1);
      await closing;
      await jest.advanceTimersByTimeAsync(499);
      expect(exit).not.toHaveBeenCalled();
      await jest.advanceTimersByTimeAsync(1);
      expect(exit).toHaveBeenCalledTimes(1);
      // An exporter without an answer would try again for ten seconds, and keep the process of the tests for as long.
      for (const socket of sockets) socket.end('HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
      silent.close();
    });
  });
});
