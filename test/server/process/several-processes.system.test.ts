// Several processes of one service: metrics in one answer, traces of each, and one audit trail of starts and edits (SEC-48, SEC-16).

import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { VERSION } from '#shared/version.ts';
import type { AuditRecord } from '#store/audit/audit-events.ts';
import type { Installation } from '#support/cli/hygie.ts';
import { inProcess } from '#support/cli/in-process.ts';
import { filledInstallation, type Serving, serve } from '#support/cli/serving.ts';
import { freePort } from '#support/free-port.ts';
import { scrape } from '#support/metrics/scrape.ts';
import { openedForAll } from '#support/opened.ts';
import { startCollector } from '#support/tracing/collector.ts';
import { until } from '#support/until.ts';

/** A service with several processes starts several times. */
const SLOW = 60_000;

// SEC-48, SEC-16: starts of the service and edits of `clients.yaml` are in the audit trail, once for all its processes, without any
// secret.
describe('SEC-48 SEC-16 starts of the service and edits of clients.yaml', () => {
  const SECRET = 'a secret of the test run that opens nothing';
  const KEY_SECRET = 'a key secret of the test run, long enough';

  let serving: Serving | undefined;
  let port: string;
  const place = openedForAll(async () => {
    port = String(await freePort());
    return filledInstallation();
  });
  afterEach(async () => {
    serving?.child.kill('SIGKILL');
    await serving?.ended;
  });

  async function runService(processes: string, meanwhile = async (_serving: Serving) => {}): Promise<void> {
    const env = { HYGIE_PORT: port, HYGIE_PROCESSES: processes, LOG_FORMAT: 'json' };
    serving = await serve(place, { ...env, SECRET_OF_A_TEST: SECRET, HYGIE_KEY_SECRET: KEY_SECRET });
    await serving.outputMatching(/"event":"service\.started"/);
    await meanwhile(serving);
    serving.child.kill('SIGTERM');
    expect(await serving.ended).toBe(0);
  }

  const settings = (rest: string) => place.configure('service.yaml', `demo: false\n${rest}`);
  const clients = (name: string) =>
    place.configure(
      'clients.yaml',
      `clients:
  - { id: web, name: ${name}, type: browser, callbackUrls: ["https://w.example/cb"] }
  # Its hash is another one at each start.
  - { id: server, name: Server, type: server, callbackUrls: ["https://s.example/cb"], secrets: [{ env: SECRET_OF_A_TEST }] }`,
    );

  it(
    'SEC-48 a start and an edit of a running service are recorded once; the digests differ after a change; SEC-16 no secret is stored',
    async () => {
      settings('');
      clients('Web');
      await runService('1');
      clients('Portal');
      await runService('1', async ({ outputMatching }) => {
        clients('Portal of old');
        await outputMatching(/clients\.yaml: the edit is in force/);
      });
      await runService('2');

      const { stdout } = await inProcess(place)(['audit', '--json', '--event', 'service', '--event', 'clients']);
      const records = stdout.split('\n').flatMap((text) => (text === '' ? [] : [JSON.parse(text) as AuditRecord]));
      expect(records.map(({ client, event }) => client ?? event)).toEqual([
        'service.started',
        'service.started',
        'web',
        'service.started',
      ]);
      const starts = records.flatMap(({ event, details }) => (event === 'service.started' ? [details] : []));
      const instance = expect.stringMatching(new RegExp(`:${port}$`));
      for (const start of starts) expect(start).toMatchObject({ version: VERSION, instance });
      const digests = (part: string) => starts.map((start) => start?.[part]);
      const [first, second, third] = digests('settings');
      expect([second === first, third === first]).toEqual([true, false]);
      expect(new Set(digests('clients')).size).toBe(3);
      expect(serving?.output().match(/"event":"service\.started"/g)).toHaveLength(1);
      for (const secret of [SECRET, KEY_SECRET]) expect(stdout + serving?.output()).not.toContain(secret);
    },
    SLOW,
  );
});

// Issue, item "Metrics": all worker processes in one answer, whichever of them is asked; one that hangs, and one that was killed.
describe('metrics of all worker processes', () => {
  const TOKEN = 'a-token-of-the-tests-that-opens-nothing';
  /** Requests, each on a connection of its own: some go to each worker. */
  const REQUESTS = 40;

  let place: Installation;
  let serving: Serving;
  beforeAll(async () => {
    place = filledInstallation();
    place.configure('service.yaml', 'metrics: { token: { env: METRICS_TOKEN } }');
    serving = await serve(place, { HYGIE_PROCESSES: '2', LOG_FORMAT: 'json', METRICS_TOKEN: TOKEN });
    await serving.outputMatching(/(a worker process listens[\s\S]*){2}/);
  }, SLOW);
  afterAll(async () => {
    serving?.child.kill('SIGKILL');
    await serving?.ended;
  });

  const metrics = () => scrape(`http://localhost:${serving.port}/metrics`, TOKEN);
  const health = { route: 'health', status: '2xx' };
  const processes = (state: string) => ({ state });
  const workers = () =>
    [...serving.output().matchAll(/"worker":(\d+),"msg":"a worker process listens"/g)].map(([, pid]) => Number(pid));

  it(
    'counters are added up, what is shared is not; one that hangs is said so, and one that was killed takes nothing back',
    async () => {
      for (let n = 0; n < REQUESTS; n += 1) {
        await fetch(`http://localhost:${serving.port}/health/live`, { headers: { connection: 'close' } });
      }
      const all = await metrics();
      expect(all.value('hygie_http_requests_total', health)).toBe(REQUESTS);
      expect(all.value('hygie_http_request_duration_seconds_count', { route: 'health' })).toBe(REQUESTS);
      expect(all.value('hygie_worker_processes', processes('answering'))).toBe(2);
      expect(all.value('hygie_directory_serving')).toBe(1);
      expect(all.value('hygie_directory_resources', { type: 'Practitioner' })).toBe(2000);
      expect(all.value('hygie_database_up')).toBe(1);
      expect(all.value('hygie_audit_events_total', { event: 'service.started' })).toBe(1);

      const [first = 0, second = 0] = workers();
      process.kill(first, 'SIGSTOP');
      // Whether the one that hangs gets this connection is the system's choice.
      let hanging: Awaited<ReturnType<typeof metrics>> | undefined;
      await until(async () => {
        const asked = metrics().then((found) => {
          hanging ??= found;
        });
        await Promise.race([asked, new Promise((resolve) => setTimeout(resolve, 4000))]);
        return hanging !== undefined;
      }, 'the other one is asked');
      process.kill(first, 'SIGCONT');
      expect(hanging?.value('hygie_worker_processes', processes('silent'))).toBe(1);
      expect(hanging?.value('hygie_http_requests_total', health)).toBe(REQUESTS);

      process.kill(second, 'SIGKILL');
      await until(() => workers().length === 3, 'it is replaced');
      const after = await metrics();
      expect(after.value('hygie_http_requests_total', health)).toBe(REQUESTS);
      expect(after.value('hygie_worker_processes', processes('answering'))).toBe(2);
      expect(after.value('hygie_worker_deaths_total')).toBe(1);
      // Read a second time, what is gone is not added again.
      expect((await metrics()).value('hygie_http_requests_total', health)).toBe(REQUESTS);
    },
    SLOW,
  );
});

// Traces of worker processes, which send what they have when they end; and of commands.
describe('traces of worker processes and of commands', () => {
  const REPORT_LOADED = fileURLToPath(new URL('../../support/cli/report-loaded.ts', import.meta.url));

  const place = filledInstallation();
  const collector = openedForAll(startCollector);

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
      // That the process says so here proves that its silence in `serve.system.test.ts` says something.
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
});
