// Issue, item "Metrics": what a service counts when things happen in it, on PostgreSQL; who may read it; and that dashboard, alerts and
// handbook name what is really exported. SEC-17: nothing of a request or a person is in it.

import cluster, { type Worker } from 'node:cluster';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { refreshTokenGrant } from 'openid-client';
import { parse } from 'yaml';
import { definitionOf, METRICS, type MetricName, PREFIX } from '#server/metrics/metric-definitions.ts';
import { createMetrics } from '#server/metrics/registry.ts';
import { scrapeWorkers } from '#server/metrics/scrape-workers.ts';
import { openAuditEvents } from '#store/audit/audit-events.ts';
import { readPointer } from '#store/snapshots/registry.ts';
import { limitsTable, metricsTable } from '#support/metrics/metrics-table.ts';
import { type Scraped, scrape, scraped } from '#support/metrics/scrape.ts';
import { openedForAll } from '#support/opened.ts';
import { authorizationUrl, CREDENTIALS, redeem, signIn } from '#support/openid/relying-party.ts';
import { createPerson } from '#support/person.ts';
import { startService } from '#support/service.ts';
import { until } from '#support/until.ts';
import { namesIn } from './promql.ts';

const TOKEN = 'a-token-of-the-tests-that-opens-nothing';
const ROOT = join(import.meta.dirname, '../../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
/** What a stranger may send anywhere; nothing of it may be in an answer. */
const CANARY = 'canary';
const KEPT_AT = '2026-11-20T08:00:00.000Z';

const now = Math.floor(Date.now() / 1000);
const metrics = () => scrape(`${service.issuer}/metrics`, TOKEN);

const service = openedForAll(() =>
  startService({
    engine: 'postgresql',
    adjust: (settings) => ({
      ...settings,
      metrics: { host: '127.0.0.1', token: TOKEN },
      directory: { ...settings.directory, rate: { perSecond: 0.001, burst: 8 } },
    }),
  }),
);
beforeAll(async () => {
  // A row of each queue, which is not due yet.
  const row = (age: number) => ({ created_at: now - age, due_at: now + 3600, attempts: 1 });
  await service.database('logout_deliveries').insert({ client_id: 'server', account_id: 'a', sid: 's', ...row(500) });
  const kept = { time: KEPT_AT, event: 'directory.kept', outcome: 'success', actor: 'operator:root' } as const;
  const made = { ...kept, event: 'backup.made' } as const;
  await openAuditEvents(service.database, service.settings.keys.secrets).append([kept, made]);
  await service.database('mail_queue').insert({ kind: 'notice', topic: 't', account_id: 'a', ...row(300) });
});

describe('GET {issuer}/metrics', () => {
  it('is for who has the token: 401 without it and with another one (RFC 6750 section 3)', async () => {
    const ask = (authorization?: string) =>
      fetch(`${service.issuer}/metrics`, authorization ? { headers: { authorization } } : {});
    for (const wrong of [undefined, `Bearer ${TOKEN}x`, `Bearer ${TOKEN.slice(1)}`, `Basic ${TOKEN}`, 'Bearer']) {
      const answer = await ask(wrong);
      expect([answer.status, answer.headers.get('www-authenticate')?.startsWith('Bearer realm="metrics"')]).toEqual([
        401,
        true,
      ]);
      expect(await answer.text()).not.toContain('hygie_');
    }
    const answer = await ask(`Bearer ${TOKEN}`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });
});

describe('what happens is counted', () => {
  let before: Scraped;
  let after: Scraped;
  const grown = (name: string, labels: Record<string, string>) =>
    (after.value(PREFIX + name, labels) ?? 0) - (before.value(PREFIX + name, labels) ?? 0);

  beforeAll(async () => {
    before = await metrics();
    const { tokens, configuration, person } = await signIn(service, {
      clientId: 'trusted',
      scope: 'openid PRACTITIONER_READ offline_access',
      parameters: { prompt: 'consent' },
    });
    await refreshTokenGrant(configuration, tokens.refresh_token ?? '');
    await signIn(service, { clientId: 'trusted', configuration, person });
    const silent = await createPerson(service.issuer).visit(authorizationUrl(service, { prompt: 'none' }));
    expect(silent.left?.searchParams.get('error')).toBe('login_required');
    const stranger = createPerson(service.issuer);
    const page = await stranger.visit(authorizationUrl(service, { state: CANARY }));
    for (const login of [CREDENTIALS.login, `${CANARY}@a.example`]) {
      const refused = await stranger.press(page, 'sign-in', { login, password: `${CANARY}-password` });
      expect(refused.status).toBe(422);
    }
    expect((await redeem(service, CANARY)).status).toBe(400);
    expect((await redeem(service, CANARY, { grant_type: CANARY })).status).toBe(400);
    const directory = async (path: string, token = tokens.access_token) =>
      (await fetch(service.settings.directory.url + path, { headers: { authorization: `Bearer ${token}` } })).status;
    const found = await fetch(`${service.settings.directory.url}/Practitioner?_count=1`, {
      headers: { authorization: `Bearer ${tokens.access_token}` },
    });
    const { entry } = (await found.json()) as { entry: { resource: { id: string } }[] };
    expect(await directory(`/Practitioner/${entry[0]?.resource.id}`)).toBe(200);
    expect(await directory(`/Practitioner?family=${CANARY}`)).toBe(200);
    expect(await directory('/metadata')).toBe(200);
    expect(await directory('/Practitioner', CANARY)).toBe(401);
    expect(await directory('/Practitioner')).toBe(200);
    expect(await directory('/Practitioner')).toBe(429);
    expect(await directory(`/${CANARY}/${CANARY}`)).toBe(404);
    await fetch(`${service.issuer}/${CANARY}?${CANARY}=${CANARY}`, { headers: { 'user-agent': CANARY } });
    await until(
      async () => (await metrics()).value('hygie_cleanup_last_success_timestamp_seconds') !== undefined,
      'a clean-up',
    );
    after = await metrics();
  });

  it('sign-ins by method, outcome and reason; tokens by grant; errors by code', () => {
    const signIns = (outcome: string, reason: string) =>
      grown('sign_ins_total', { method: 'password', outcome, reason });
    expect([signIns('success', 'none'), signIns('failure', 'password'), signIns('failure', 'no-account')]).toEqual([
      1, 1, 1,
    ]);
    const tokens = ['authorization_code', 'refresh_token', 'client_credentials'].map((grant) =>
      grown('tokens_issued_total', { grant }),
    );
    expect(tokens).toEqual([2, 1, 0]);
    expect(grown('authorization_errors_total', { error: 'login_required' })).toBe(1);
    expect(grown('oidc_errors_total', { endpoint: 'token', error: 'invalid_grant' })).toBe(1);
    expect(grown('oidc_errors_total', { endpoint: 'token', error: 'unsupported_grant_type' })).toBe(1);
    expect(grown('audit_events_total', { event: 'sign-in.failed' })).toBe(2);
  });

  it('requests by class of address and status, those of the directory by operation; a limit that refuses', () => {
    const of = (operation: string, status: string) => grown('directory_requests_total', { operation, status });
    expect([
      of('search', '2xx'),
      of('search', '4xx'),
      of('read', '2xx'),
      of('metadata', '2xx'),
      of('other', '4xx'),
    ]).toEqual([3, 2, 1, 1, 1]);
    expect(grown('directory_request_duration_seconds_count', { operation: 'search' })).toBe(5);
    expect(grown('directory_request_duration_seconds_bucket', { operation: 'search', le: '+Inf' })).toBe(5);
    expect(grown('http_requests_total', { route: 'directory', status: '2xx' })).toBe(5);
    expect(grown('http_requests_total', { route: 'token', status: '4xx' })).toBe(2);
    expect(grown('http_requests_total', { route: 'authorization', status: '3xx' })).toBeGreaterThan(0);
    expect(grown('rate_limited_total', { limit: 'directory-person' })).toBe(1);
  });

  it('the edition in force, keys, queues, pool and build as the database and the process have them', async () => {
    const row = await service
      .database('directory_snapshots')
      .where({ id: (await readPointer(service.database)).current })
      .first();
    expect(after.value('hygie_directory_snapshot_bytes')).toBe(Number(row.bytes));
    expect(after.value('hygie_directory_snapshot_created_timestamp_seconds')).toBe(Number(row.created_at));
    // The fictional directory is no event of the audit trail.
    const imported = after.value('hygie_directory_last_import_timestamp_seconds', { outcome: 'imported' });
    expect(imported).toBe(Number(row.created_at));
    const kept = after.value('hygie_directory_last_import_timestamp_seconds', { outcome: 'kept' });
    expect(kept).toBe(Date.parse(KEPT_AT) / 1000);
    const backup = (event: string) => after.value('hygie_backup_timestamp_seconds', { event });
    expect([backup('made'), backup('verified')]).toEqual([kept, 0]);
    for (const [type, count] of Object.entries(JSON.parse(row.counts)))
      expect(after.value('hygie_directory_resources', { type })).toBe(count);
    const active = after.value('hygie_key_active_timestamp_seconds', { kind: 'RS256' }) ?? 0;
    expect(after.value('hygie_key_rotation_timestamp_seconds', { kind: 'RS256' })).toBe(
      active + service.settings.keys.rotateAfter,
    );
    expect(after.value('hygie_build_info', { engine: 'postgresql', node: process.version })).toBe(1);
    expect(after.value('hygie_database_up')).toBe(1);
    expect(after.value('hygie_directory_serving')).toBe(1);
    expect(after.value('hygie_database_acquire_duration_seconds_count')).toBeGreaterThan(0);
    expect([after.value('hygie_backchannel_logouts_waiting'), after.value('hygie_mails_waiting')]).toEqual([1, 1]);
    expect(after.value('hygie_backchannel_logouts_oldest_age_seconds')).toBeGreaterThanOrEqual(500);
    expect(after.value('hygie_mails_oldest_age_seconds')).toBeGreaterThanOrEqual(300);
  });

  it('SEC-17 nothing that was sent, and nobody, is in it: labels have the values of the table alone', () => {
    const own = after.text.split('\n').filter((line) => line.startsWith(PREFIX));
    const sent = [CANARY, CREDENTIALS.login, 'trusted', '127.0.0.1'];
    expect(own.filter((line) => sent.some((text) => line.includes(text)))).toEqual([]);
    for (const { name, labels } of after.series.filter((one) => one.name.startsWith(PREFIX))) {
      const base = name.slice(PREFIX.length).replace(/_(bucket|sum|count)$/, '');
      const { labels: allowed = {} } = definitionOf(
        (Object.hasOwn(METRICS, base) ? base : name.slice(PREFIX.length)) as MetricName,
      );
      for (const [label, value] of Object.entries(labels)) {
        if (label === 'le') continue;
        expect(Object.keys(allowed)).toContain(label);
        expect([...(allowed[label] ?? [value]), 'other']).toContain(value);
      }
    }
  });

  it('every metric of the table is exported, with its kind', () => {
    for (const name of Object.keys(METRICS) as MetricName[])
      expect(after.text).toContain(`# TYPE ${PREFIX}${name} ${definitionOf(name).type}\n`);
  });

  describe('what is shipped names what is exported', () => {
    interface Panel {
      title: string;
      targets?: { expr: string; legendFormat: string }[];
    }
    const { panels } = JSON.parse(read('deploy/grafana-dashboard.json')) as { panels: Panel[] };
    const { groups } = parse(read('deploy/alerts.yaml')) as {
      groups: { rules: { alert: string; expr: string; annotations: Record<string, string> }[] }[];
    };
    const expressions: [string, string, string][] = [
      ...panels.flatMap(({ title, targets = [] }) =>
        targets.map(({ expr, legendFormat }): [string, string, string] => [`dashboard: ${title}`, expr, legendFormat]),
      ),
      ...groups.flatMap(({ rules }) =>
        rules.map(({ alert, expr, annotations }): [string, string, string] => [
          `alert: ${alert}`,
          expr,
          Object.values(annotations).join(' '),
        ]),
      ),
    ];
    /** Of Prometheus itself; and of a service that ends TLS itself (`test/server/process/tls.system.test.ts`). */
    const ELSEWHERE = ['up', 'hygie_tls_certificate_expiry_timestamp_seconds'];
    /** Labels that Prometheus adds. */
    const ADDED = ['job', 'instance', 'le'];

    it.each(expressions)('%s', (_where, expression, shown) => {
      const { metrics: named, groups: by } = namesIn(expression);
      const labelsOf = (name: string) =>
        new Set(after.series.filter((one) => one.name === name).flatMap(({ labels }) => Object.keys(labels)));
      expect(named).not.toEqual([]);
      for (const { name, labels } of named) {
        if (ELSEWHERE.includes(name)) continue;
        expect(after.series.map((one) => one.name)).toContain(name);
        const base = name.slice(PREFIX.length).replace(/_(bucket|sum|count)$/, '');
        for (const [label, values] of labels) {
          if (ADDED.includes(label)) continue;
          expect(labelsOf(name)).toContain(label);
          const { labels: allowed = {} } = definitionOf(
            (Object.hasOwn(METRICS, base) ? base : name.slice(PREFIX.length)) as MetricName,
          );
          for (const value of values) expect(allowed[label]).toContain(value);
        }
      }
      const all = new Set([...ADDED, ...named.flatMap(({ name }) => [...labelsOf(name)])]);
      for (const label of by) expect(all).toContain(label);
      for (const [, label = ''] of shown.matchAll(/\{\{\s*(?:\$labels\.)?(\w+)\s*\}\}/g)) expect(all).toContain(label);
    });

    it('the handbook has every metric, as the table says it (npm run schemas)', () => {
      for (const table of [metricsTable(), limitsTable()])
        expect(read('docs/operating/monitoring.md')).toContain(table);
    });
  });
});

describe('a worker process that ends while the others are asked', () => {
  it('what a worker counted stays in the sum once, also when it ends in the middle of an answer', async () => {
    const own = { ...Object.getOwnPropertyDescriptor(cluster, 'workers') };
    const workers: Record<number, Worker> = {};
    Object.defineProperty(cluster, 'workers', { value: workers, configurable: true });
    const answering = (id: number, counted: number, before: () => void = () => {}) => {
      const metrics = createMetrics();
      metrics.count('cleanup_removed_rows_total', {}, counted);
      workers[id] = {
        id,
        isConnected: () => true,
        send: async (message: { id: number }) => {
          before();
          const values = await metrics.read();
          cluster.emit('message', workers[id], { metrics: 'values', id: message.id, values });
        },
      } as unknown as Worker;
    };
    const { scrape, close } = scrapeWorkers(createMetrics());
    const sum = async () => scraped(await scrape()).value('hygie_cleanup_removed_rows_total');
    try {
      answering(1, 10);
      let dies = false;
      answering(2, 5, () => {
        if (dies) delete workers[1];
      });
      expect(await sum()).toBe(15);
      dies = true;
      expect([await sum(), await sum(), await sum()]).toEqual([15, 15, 15]);
      // A worker that asks gets the text of all.
      const told: object[] = [];
      const asking = { send: (message: object) => told.push(message) } as unknown as Worker;
      cluster.emit('message', asking, { metrics: 'scrape', id: 7 });
      await until(() => told.length > 0, 'an answer');
      expect(told).toEqual([{ metrics: 'text', id: 7, text: expect.stringContaining('removed_rows_total 15') }]);
    } finally {
      close();
      Object.defineProperty(cluster, 'workers', own);
    }
  });
});
