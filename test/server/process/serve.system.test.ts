// operations.md: `serve` in one process or several: drain, a port in use, dead workers, and what production refuses.

import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from '@jest/globals';
import { DEMO_ACCOUNTS } from '#seeds/demo-accounts.ts';
import { openAccounts } from '#store/accounts/accounts.ts';
import { openAuditEvents } from '#store/audit/audit-events.ts';
import { openDatabase } from '#store/database/connection.ts';
import { inProcess } from '#support/cli/in-process.ts';
import {
  closed,
  filledInstallation,
  halfRequest,
  migratedInstallation,
  type Serving,
  serve,
  tellTwice,
} from '#support/cli/serving.ts';
import { freePort } from '#support/free-port.ts';
import { activity, registerText } from '#support/import/register-files.ts';
import { scrape } from '#support/metrics/scrape.ts';
import { until } from '#support/until.ts';

/** Processes of a service start, are replaced and end. */
const SLOW = 60_000;

/** Connections with a request that wait while a worker process does not run. */
const WAITING = 30;

let serving: Serving | undefined;
const place = filledInstallation();
afterEach(async () => {
  // Workers end with the process that leads them.
  serving?.child.kill('SIGKILL');
  await serving?.ended;
  serving = undefined;
});

async function started(env: Record<string, string>): Promise<Serving> {
  serving = await serve(place, env);
  return serving;
}

/** A connection on which a whole request was sent. */
async function post(port: number) {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  const body = 'grant_type=authorization_code&client_id=nobody';
  socket.write(
    `POST /oauth/token HTTP/1.1\r\nHost: localhost:${port}\r\nConnection: close\r\n` +
      `Content-Type: application/x-www-form-urlencoded\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  return socket;
}

const NODE_OPTIONS = `--import=${join(import.meta.dirname, '../../support/cli/report-loaded.ts')}`;

describe.each(['1', '2'])('operations.md: serve with HYGIE_PROCESSES=%s', (processes) => {
  const env = { HYGIE_PROCESSES: processes, LOG_FORMAT: 'json', NODE_OPTIONS };
  it('SIGTERM: until it has drained it serves, ready no more, and each answer ends its connection; a second one ends it at once', async () => {
    place.configure('service.yaml', 'listen: { drain: 10m }');
    try {
      const metricsPort = await freePort();
      const { port, child, outputMatching, ended, output } = await started({
        ...env,
        HYGIE_METRICS_PORT: String(metricsPort),
      });
      await outputMatching(processes === '2' ? /(a worker process listens[\s\S]*){2}/ : /answers at/);
      const idle = await halfRequest(port);
      expect(await idle.finish()).toMatch(/\r\nConnection: keep-alive\r\n/);
      const inFlight = await halfRequest(port);
      child.kill('SIGTERM');
      await outputMatching(/stopping: requests in flight.*\n/);
      if (processes === '2') await outputMatching(/(stopping: requests in flight[\s\S]*){2}/);
      const ready = await fetch(`http://127.0.0.1:${port}/health/ready`);
      expect([ready.status, ready.headers.get('connection')]).toEqual([503, 'close']);
      expect(await ready.json()).toMatchObject({ status: 'unavailable', missing: [{ name: 'process', needed: true }] });
      // Whoever watches sees the end, too.
      const { value } = await scrape(`http://127.0.0.1:${metricsPort}/metrics`);
      expect(value('hygie_worker_processes', { state: 'answering' })).toBe(Number(processes));
      expect(value('hygie_http_requests_total', { route: 'health', status: '5xx' })).toBe(1);
      // RFC 9112 section 9.6: a connection that was idle at the signal still takes a request, and ends with its answer.
      const closing = /^HTTP\/1\.1 401 .*\r\nConnection: close\r\n.*"invalid_client"/s;
      for (const request of [inFlight, await halfRequest(port), await halfRequest(port, idle.socket)]) {
        expect(await request.finish()).toMatch(closing);
        await closed(request.socket);
      }
      await until(() => child.kill('SIGTERM') === false || child.exitCode !== null, 'the second signal ends it');
      expect(await ended).toBe(130);
      // Nothing asks for traces: of OpenTelemetry there is what prom-client has loaded.
      expect(output()).toContain('loaded prom-client');
      expect(output()).not.toMatch(/loaded @opentelemetry\/(?!api)/);
    } finally {
      place.configure('service.yaml', '');
    }
  });
});

describe('operations.md: worker processes', () => {
  const env = { HYGIE_PROCESSES: '2', LOG_FORMAT: 'json', NODE_OPTIONS };
  const listens = /"worker":(\d+),"msg":"a worker process listens"/g;
  const workersOf = ({ output }: Serving) => [...output().matchAll(listens)].map(([, pid]) => Number(pid));

  it('a port in use, next to which they could listen: exit code 1, and one message with the remedy', async () => {
    const other: Server = createServer();
    // As worker processes of another service do, next to which the system would let others listen.
    const reusePort = process.platform === 'linux';
    const port = await new Promise<string>((resolve) => {
      other.listen({ port: 0, host: '127.0.0.1', reusePort }, () =>
        resolve(String((other.address() as { port: number }).port)),
      );
    });
    try {
      const { ended, output } = await started({ ...env, HYGIE_PORT: port });
      expect(await ended).toBe(1);
      expect(output().match(/set HYGIE_PORT/g)).toHaveLength(1);
      expect(output()).not.toContain('replaced');
    } finally {
      await new Promise((resolve) => other.close(resolve));
    }
  });

  it(
    'SEC-48 an edit that each takes is audited once; one that dies is replaced, each time later; told to stop, each twice at once and by its leader, all end',
    async () => {
      const service = await started(env);
      await service.outputMatching(new RegExp(`(${listens.source}.*){2}`, 's'));
      const edit = async (text: string, message: string) => {
        place.configure('clients.yaml', text);
        await service.outputMatching(new RegExp(`("msg":"clients\\.yaml: the edit is ${message}.*){2}`, 's'));
      };
      await edit(
        'clients: [{ id: web, name: Web, type: browser, callbackUrls: ["https://w.example/cb"] }]',
        'in force',
      );
      await edit('', 'refused');
      // Nothing asks for metrics or traces.
      expect(service.output()).not.toContain('loaded ');
      for (const [count, pause] of [
        [2, 1000],
        [3, 2000],
      ] as const) {
        await service.outputMatching(new RegExp(`(${listens.source}.*){${count}}`, 's'));
        process.kill(workersOf(service).at(-1) ?? 0, 'SIGKILL');
        await service.outputMatching(new RegExp(`"signal":"SIGKILL","replacedIn":${pause}`));
        expect((await fetch(`http://127.0.0.1:${service.port}/health/live`)).status).toBe(200);
      }
      // What the last one has not accepted is nobody's but its own, and it does not end before.
      const left = workersOf(service)[0] ?? 0;
      process.kill(left, 'SIGSTOP');
      const waiting = await Promise.all(Array.from({ length: WAITING }, () => post(service.port)));
      const running = service.output().length;
      tellTwice([service.child.pid ?? 0, left]);
      for (const answer of await Promise.all(waiting.map((socket) => text(socket))))
        expect(answer).toMatch(/^HTTP\/1\.1 401 .*"invalid_client"/s);
      expect(await service.ended).toBe(0);
      expect(service.output().slice(running)).not.toMatch(/cut off|killed|replaced/);
      expect(workersOf(service)).toHaveLength(3);
      const database = openDatabase({ engine: 'sqlite', file: join(place.folder, 'data', 'hygie.sqlite') });
      const records = await openAuditEvents(database).search({
        events: ['clients.changed', 'clients.refused'],
        limit: 10,
      });
      await database.destroy();
      expect(records.map(({ event, client }) => [event, client])).toEqual([
        ['clients.changed', 'web'],
        ['clients.refused', undefined],
      ]);
    },
    SLOW,
  );
});

describe('operations.md: NODE_ENV=production refuses the demo people and the fictional directory', () => {
  const production = { NODE_ENV: 'production', HYGIE_ISSUER: 'https://connect.example', LOG_FORMAT: 'json' };

  it('on a data folder that a development start filled: both reasons with their remedies, until neither holds', async () => {
    const both = await started(production);
    expect(await both.ended).toBe(1);
    for (const { email } of DEMO_ACCOUNTS.slice(0, -1)) expect(both.output()).toContain(email);
    // Disabled from the start.
    expect(both.output()).not.toContain(DEMO_ACCOUNTS.at(-1)?.email);
    expect(both.output()).toMatch(
      /npm run -s hygie -- accounts disable.*directory holds the fictional.*hygie -- directory import/s,
    );
    expect(both.output()).toContain('HYGIE_DATA');

    const file = join(place.folder, 'data', 'hygie.sqlite');
    const database = openDatabase({ engine: 'sqlite', file });
    for (const { id } of DEMO_ACCOUNTS) await openAccounts(database).update(id, { status: 'disabled' });
    await database.destroy();

    const register = join(place.folder, 'activities.txt');
    writeFileSync(register, registerText('activities', [activity()]));
    expect(await inProcess(place)(['directory', 'import', '--accept', 'other-people,partial', register])).toMatchObject(
      { code: 0 },
    );
    const neither = await started(production);
    await neither.outputMatching(/answers at/);
    neither.child.kill('SIGTERM');
    expect(await neither.ended).toBe(0);
    expect(neither.output()).not.toContain('plain text');
  });
});

describe('SEC-48 the first start, which makes the secret of the keys', () => {
  it('records no edit of clients.yaml, because the secrets of clients are the ones that it has read', async () => {
    const fresh = await migratedInstallation();
    const client = (id: string) =>
      `{ id: ${id}, name: App, type: server, secrets: [{ env: CLIENT_SECRET }], callbackUrls: [http://localhost/cb] }`;
    fresh.configure('service.yaml', 'demo: false');
    fresh.configure('clients.yaml', `clients: [${client('one')}]`);
    serving = await serve(fresh, { LOG_FORMAT: 'json', CLIENT_SECRET: 'fictional-secret-'.repeat(3) });
    await serving.outputMatching(/answers at/);
    fresh.configure('clients.yaml', `clients: [${client('one')}, ${client('two')}]`);
    await serving.outputMatching(/"client":"two","details":{"edit":"added"/);
    expect(serving.output()).not.toContain('"client":"one"');
  });
});
