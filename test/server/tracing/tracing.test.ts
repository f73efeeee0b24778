// Traces: one id per request, in page, OperationOutcome, log, audit and trace; odd variables are named, and a collector that is away delays
// nothing.

import { afterEach, describe, expect, it } from '@jest/globals';
import { openTracing } from '#server/tracing/open-tracing.ts';
import type { Tracing } from '#server/tracing/tracing.ts';
import { tracingSettings } from '#server/tracing/tracing-settings.ts';
import { openAuditEvents } from '#store/audit/audit-events.ts';
import { freePort } from '#support/free-port.ts';
import { openedForAll } from '#support/opened.ts';
import { startLogoutReceiver } from '#support/openid/logout-receiver.ts';
import { authorizationUrl, CREDENTIALS, redeem, signIn } from '#support/openid/relying-party.ts';
import { createPerson } from '#support/person.ts';
import { SECRET, startService, testClients } from '#support/service.ts';
import { type CollectedSpan, type Collector, startCollector } from '#support/tracing/collector.ts';
import { until } from '#support/until.ts';

const NAMED = 'zzcanarysurname';
const PASSWORD = 'a wrong canary password';

/** OpenTelemetry's exporter reads the process's variables: those of the test before would hold, a time limit of 200 ms among them. */
function sendTo(endpoint: string, more: Record<string, string> = {}): void {
  for (const name of Object.keys(process.env)) if (name.startsWith('OTEL_')) delete process.env[name];
  const spans = { OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json', OTEL_BSP_SCHEDULE_DELAY: '10' };
  Object.assign(process.env, { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, ...spans, ...more });
}

describe('traces of a service', () => {
  const reports: string[] = [];
  const collector = openedForAll(startCollector);
  const receiver = openedForAll(startLogoutReceiver);
  const tracing = openedForAll(async () => {
    sendTo(collector.endpoint, {
      OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=clinic',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    });
    return (await openTracing(process.env, (report) => reports.push(report))) as Tracing;
  });
  const service = openedForAll(async () => {
    const clients = (await testClients()).map((client) =>
      client.id === 'server' ? { ...client, backchannelLogoutUrl: receiver.url } : client,
    );
    return startService({ clients, tracing });
  });

  const lines = () =>
    service
      .logged()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  const auditOf = (request: string) => openAuditEvents(service.database).search({ request, limit: 10 });
  /** The span of a request, once it has arrived, by the id that a person reads out. */
  const spanOf = async (id: string): Promise<CollectedSpan> => {
    const find = () => collector.spans().find((span) => span.attributes['hygie.request_id'] === id);
    await until(() => find() !== undefined, `a span of the request ${id}`);
    return find() as CollectedSpan;
  };
  const below = (span: CollectedSpan) => collector.spans().filter(({ parent }) => parent === span.spanId);
  /** Whatever is known of a request by its id, where all of it has to agree. */
  const joined = async (id: string, status: number) => {
    const span = await spanOf(id);
    const ofRequest = () => lines().filter(({ requestId }) => requestId === id);
    await until(() => ofRequest().some(({ msg }) => msg === 'request'), `the line of the request ${id}`);
    for (const line of ofRequest()) expect(line).toMatchObject({ trace_id: span.traceId });
    expect(ofRequest().at(-1)).toMatchObject({ msg: 'request', status, span_id: span.spanId });
    expect(span).toMatchObject({ kind: 2, attributes: { 'http.response.status_code': status } });
    return { span, lines: ofRequest(), audit: await auditOf(id) };
  };

  it('an error page: the reference that a person reads out leads to log, audit and trace', async () => {
    const url = authorizationUrl(service, { redirect_uri: 'https://evil.example/' });
    const { status, html, headers } = await createPerson(service.issuer).visit(url);
    const id = headers.get('x-request-id') ?? '';
    expect(id).toMatch(/^[a-z\d]{8}-[a-z\d]+$/);
    expect(html).toContain(`<dd>${id}</dd>`);
    const found = await joined(id, status);
    expect(found.lines.map(({ msg }) => msg)).toEqual(expect.arrayContaining(['refused', 'audit', 'request']));
    expect(found.audit).toMatchObject([{ event: 'authorization.refused', requestId: id }]);
    expect(found.span).toMatchObject({ name: 'GET /authorize', attributes: { 'http.route': '/authorize' } });
    expect(below(found.span).map(({ name }) => name)).toContain('INSERT audit_events');
  });

  it('an error at the directory: the id of the OperationOutcome', async () => {
    const url = `${service.issuer}/directory/v2/Practitioner?name=${NAMED}`;
    for (const format of ['json', 'xml']) {
      const answer = await fetch(`${url}&_format=${format}`, { headers: { authorization: 'Bearer canarytoken' } });
      const id = answer.headers.get('x-request-id') ?? '';
      expect(await answer.text()).toContain(format === 'json' ? `"id":"${id}"` : `<id value="${id}"/>`);
      const { span } = await joined(id, 401);
      expect(span).toMatchObject({ name: 'GET /directory/v2/Practitioner', failed: false });
    }
  });

  it('an error at the token endpoint: the header of the answer', async () => {
    const answer = await redeem(service, 'canarycode');
    const id = answer.headers.get('x-request-id') ?? '';
    const found = await joined(id, 400);
    expect(found.span.name).toBe('POST /oauth/token');
    expect(found.audit).toMatchObject([{ event: 'token.refused', details: { error: 'invalid_grant' } }]);
    const queries = below(found.span).filter(({ attributes }) => 'db.query.text' in attributes);
    expect(queries[0]).toMatchObject({ kind: 3, attributes: { 'db.system.name': 'sqlite' } });
  });

  it('goes on with the trace of the caller, or leaves out what that leaves out', async () => {
    const [traceId, parent] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];
    const ask = async (sampled: string) => {
      const headers = { traceparent: `00-${traceId}-${parent}-${sampled}` };
      const { headers: answered } = await fetch(`${service.issuer}/.well-known/openid-configuration`, { headers });
      return answered.get('x-request-id') ?? '';
    };
    const left = await ask('00');
    expect(await spanOf(await ask('01'))).toMatchObject({
      traceId,
      parent,
      name: 'GET /.well-known/openid-configuration',
      resource: { 'service.name': 'hygie', 'process.pid': expect.anything(), 'deployment.environment.name': 'test' },
    });
    expect(collector.spans().filter(({ attributes }) => attributes['hygie.request_id'] === left)).toEqual([]);
    expect(collector.headers[0]).toMatchObject({ 'x-tenant': 'clinic' });
  });

  it('SEC-17 a sign-in, a search and a sign-out: each part of the work, and no secret, name or address of a person in it', async () => {
    const person = createPerson(service.issuer);
    const page = await person.visit(authorizationUrl(service));
    await person.press(page, 'sign-in', { login: CREDENTIALS.login, password: PASSWORD });
    const { tokens, callback, nonce, state } = await signIn(service, { person });
    const authorization = `Bearer ${tokens.access_token}`;
    const search = `${service.issuer}/directory/v2/Practitioner?name=ma&_revinclude=PractitionerRole:practitioner`;
    const found = await fetch(search, { headers: { authorization } });
    expect(found.status).toBe(200);
    const none = await fetch(`${service.issuer}/directory/v2/Practitioner?name=${NAMED}`, {
      headers: { authorization },
    });
    const { span } = await joined(none.headers.get('x-request-id') ?? '', 200);
    expect(below(span).find(({ name }) => name === 'directory search Practitioner')).toMatchObject({
      attributes: { 'hygie.search.clauses': 1, 'hygie.search.matches': 0 },
    });
    await fetch(`${service.issuer}/directory/v2/Practitioner/${NAMED}`, { headers: { authorization } });
    const leaving = await person.visit(`${service.issuer}/logout?id_token_hint=${tokens.id_token}`);
    await person.press(leaving, 'sign-out');
    const ofName = (wanted: string) => collector.spans().filter(({ name }) => name === wanted);
    await until(() => ofName('deliver a logout token').length > 0, 'a delivery');
    const [delivery] = ofName('deliver a logout token');
    expect(delivery).toMatchObject({ parent: '', attributes: { 'hygie.client_id': 'server' } });
    expect(below(delivery as CollectedSpan)).toContainEqual(
      expect.objectContaining({
        name: 'POST',
        kind: 3,
        attributes: expect.objectContaining({ 'server.address': '127.0.0.1' }),
      }),
    );
    // Clients are strangers: they learn nothing of our traces.
    expect(receiver.headers.every((headers) => headers['traceparent'] === undefined)).toBe(true);
    expect(receiver.headers.length).toBeGreaterThan(0);

    const names = new Set(collector.spans().map(({ name }) => name));
    for (const name of [
      'GET /directory/v2/Practitioner/:id',
      'directory read Practitioner',
      'directory include Practitioner',
      'scrypt',
    ])
      expect(names).toContain(name);
    const roots = collector.spans().filter(({ parent }) => parent === '');
    expect(roots.filter(({ kind, name }) => kind !== 2 && !/^(deliver|remove)/.test(name))).toEqual([]);
    const secrets = [
      PASSWORD,
      CREDENTIALS.password,
      CREDENTIALS.login,
      SECRET,
      NAMED,
      'canarytoken',
      'canarycode',
      nonce,
      state,
    ];
    const issued = [tokens.access_token, tokens.id_token, callback.searchParams.get('code')];
    const cookies = [...person.cookies.values()].filter((value) => value.length > 12);
    for (const secret of [...secrets, ...issued, ...cookies]) {
      expect(secret).toBeTruthy();
      expect(collector.received()).not.toContain(secret);
    }
    expect(reports).toEqual([]);
  });
});

describe("OpenTelemetry's variables", () => {
  it('a tenth of the traces, whatever callers say, and whatever id they choose', async () => {
    const tenth = { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.1' };
    const env = { OTEL_TRACES_EXPORTER: 'console', ...tenth };
    expect(tracingSettings(env).settings).toMatchObject({ sampler: 'traceidratio', ratio: 0.1, parentBased: false });
    const tracing = await openTracing({ ...env, OTEL_TRACES_SAMPLER_ARG: '1e-9' }, () => {});
    const caller = { traceparent: `00-${'1'.padStart(32, '0')}-00f067aa0ba902b7-01` };
    expect(tracing?.begin({ name: 'GET' }, caller)).toBeUndefined();
    await tracing?.close();
  });
});

describe('a collector that is away, or slow', () => {
  let collector: Collector | undefined;
  afterEach(() => collector?.close());

  it('spans that find no room in the queue are reported once, however many they are', async () => {
    const reports: string[] = [];
    collector = await startCollector();
    sendTo(collector.endpoint);
    const room = { OTEL_BSP_MAX_QUEUE_SIZE: '2', OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '2' };
    const tracing = await openTracing({ ...process.env, ...room }, (report) => reports.push(report));
    const { received } = collector;
    let bursts = 0;
    await until(() => {
      bursts += 1;
      for (let one = 0; one < 4 + bursts; one++) tracing?.begin({ name: `burst ${bursts}` }, {})?.end();
      return new Set(received().match(/burst \d+/g)).size > 3;
    }, 'spans of several bursts');
    await tracing?.close();
    expect(reports).toEqual([expect.stringMatching(/^tracing: Dropped \d+ spans because maxQueueSize reached$/)]);
  });

  it('is reported once, without its address and headers, and again when it is back; what waits is sent at the end', async () => {
    const port = await freePort();
    const reports: string[] = [];
    sendTo(`http://user:secretword@127.0.0.1:${port}`, {
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=secretword',
      OTEL_EXPORTER_OTLP_TIMEOUT: '200',
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
