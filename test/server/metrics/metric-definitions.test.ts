// What the handbook's table of metrics leaves out (`metrics.test.ts` compares that): long lists of labels, buckets, and how processes are
// combined. What each event of the audit trail counts, and how long a reading of the database is kept.

import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { countAuditEvents } from '#server/metrics/count-events.ts';
import { METRICS } from '#server/metrics/metric-definitions.ts';
import { openMetrics } from '#server/metrics/open-metrics.ts';
import { addDirectoryState, addProcessState, countCleanup } from '#server/metrics/process-state.ts';
import { createMetrics } from '#server/metrics/registry.ts';
import { addSharedState } from '#server/metrics/shared-state.ts';
import { AUDIT_EVENTS, type AuditEvent, type AuditEventName, type AuditTrail } from '#shared/audit/events.ts';
import { openTestDatabase } from '#support/databases.ts';
import { scraped } from '#support/metrics/scrape.ts';
import { openedForAll } from '#support/opened.ts';
import { recorded } from './recorded.ts';

describe('definitions of metrics', () => {
  afterEach(() => void jest.useRealTimers());

  it('labels and buckets are as dashboards and alerts know them', () => {
    const [errors, routes] = [
      METRICS.authorization_errors_total.labels.error,
      METRICS.http_requests_total.labels.route,
    ];
    expect(errors.join(' ')).toBe(
      'access_denied account_selection_required consent_required interaction_required invalid_client invalid_client_metadata ' +
        'invalid_dpop_proof invalid_grant invalid_redirect_uri invalid_request invalid_request_object invalid_request_uri invalid_scope ' +
        'invalid_target invalid_token insufficient_scope login_required registration_not_supported request_not_supported ' +
        'request_uri_not_supported server_error temporarily_unavailable unauthorized_client unmet_authentication_requirements ' +
        'unsupported_grant_type unsupported_response_mode unsupported_response_type use_dpop_nonce other',
    );
    expect(routes.join(' ')).toBe(
      'authorization token userinfo introspection revocation pushed_authorization_request end_session discovery sign-in account ' +
        'account-link directory reference demo assets health metrics other',
    );
    expect(METRICS.directory_request_duration_seconds.buckets).toEqual([
      0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
    ]);
  });

  it('values of several processes become one by the rule of each metric', async () => {
    const values = (await createMetrics().read()) as unknown as { name: string; aggregator?: string }[];
    const combined = (how: string) => values.filter(({ aggregator }) => aggregator === how).map(({ name }) => name);
    const lag = (...kinds: string[]) => kinds.map((kind) => `nodejs_eventloop_lag_${kind}seconds`);
    expect({ first: combined('first').sort(), max: combined('max').sort(), min: combined('min').sort() }).toEqual({
      first: ['hygie_build_info', 'hygie_clock_ahead_seconds', 'nodejs_version_info'],
      max: [
        ...['hygie_cleanup_last_success_timestamp_seconds', 'hygie_clients_refused', 'hygie_directory_behind_seconds'],
        ...lag('max_', 'mean_', 'p50_', 'p90_', 'p99_', '', 'stddev_'),
        'process_open_fds',
      ],
      min: [
        ...['hygie_directory_served_timestamp_seconds', 'hygie_directory_serving'],
        ...['hygie_tls_certificate_expiry_timestamp_seconds', ...lag('min_')],
        ...['process_max_fds', 'process_start_time_seconds'],
      ],
    });
    expect(combined('sum')).toHaveLength(values.length - 20);
  });

  describe('what an event of the audit trail counts', () => {
    const count = (event: AuditEventName, details: AuditEvent['details'], by: 'record' | 'note') => {
      const { metrics, told } = recorded();
      const passed: AuditEvent[] = [];
      const keep = (one: AuditEvent) => {
        passed.push(one);
        return Promise.resolve();
      };
      const trail = countAuditEvents({ record: keep, note: keep } as unknown as AuditTrail, metrics);
      const prepared = told.splice(0);
      const given = { event, outcome: 'success', details } as unknown as AuditEvent;
      trail[by](given);
      expect(passed).toEqual([given]);
      return { prepared, told };
    };

    const outcomes = (metric: string, topic: string) =>
      ['failed', 'given-up'].map((outcome) => [`${topic}.${outcome}`, metric, { outcome }] as const);
    it('is the same whether it is recorded or noted: the event, and what dashboards show of it', () => {
      const details = { methods: ['password', 'passkey'], reason: 'passkey', grant: 'refresh_token' };
      const counted = (Object.keys(AUDIT_EVENTS) as AuditEventName[]).flatMap((event) => {
        const [[first, ...more] = [], noted] = (['record', 'note'] as const).map(
          (by) => count(event, details, by).told,
        );
        expect(noted).toEqual([first, ...more]);
        expect(first).toEqual(['audit_events_total', { event }]);
        return more.map(([name, labels]) => [event, name, labels]);
      });
      const signIn = (method: string, outcome: string, reason: string) => ({ method, outcome, reason });
      expect(counted).toEqual([
        ['sign-in.succeeded', 'sign_ins_total', signIn('password+passkey', 'success', 'none')],
        ['sign-in.failed', 'sign_ins_total', signIn('passkey', 'failure', 'passkey')],
        ['sign-in.throttled', 'sign_ins_total', signIn('other', 'throttled', 'none')],
        ['token.issued', 'tokens_issued_total', { grant: 'refresh_token' }],
        ['token.refreshed', 'tokens_issued_total', { grant: 'refresh_token' }],
        ['logout-token.delivered', 'backchannel_logouts_total', { outcome: 'delivered' }],
        ...outcomes('backchannel_logouts_total', 'logout-token'),
        ['mail.sent', 'mails_total', { outcome: 'sent' }],
        ...outcomes('mails_total', 'mail'),
      ]);
    });

    it('of a failed sign-in has its method by the reason, and every series of sign-ins is there from the start', () => {
      const failed = [
        ...['no-account', 'no-password', 'password', 'disabled'].map((reason) => ['password', 'failure', reason]),
        ...['code', 'code-used'].map((reason) => ['second-factor', 'failure', reason]),
        ...['passkey', 'passkey-used', 'passkey-counter', 'passkey-disabled'].map((reason) => [
          'passkey',
          'failure',
          reason,
        ]),
      ] as const;
      for (const [method, outcome, reason] of failed)
        expect(count('sign-in.failed', { reason }, 'note').told[1]?.[1]).toEqual({ method, outcome, reason });
      const methods = ['password', 'password+second-factor', 'password+passkey', 'passkey', 'second-factor'];
      const series = [
        ...methods.map((method) => [method, 'success', 'none']),
        ...failed,
        ['other', 'throttled', 'none'],
      ];
      expect(count('sign-in.succeeded', {}, 'note').prepared).toEqual(
        series.map(([method, outcome, reason]) => ['sign_ins_total', { method, outcome, reason }, 0]),
      );
    });

    it('is nothing without metrics', () => {
      const trail = {} as AuditTrail;
      expect(countAuditEvents(trail, undefined)).toBe(trail);
    });
  });

  describe('the state of a process', () => {
    const opened = openedForAll(() => openTestDatabase('sqlite'));

    it('names its pool, its trail and its build', async () => {
      const { metrics, told, read } = recorded();
      const trail = { backlog: () => ({ waiting: 3, dropped: 2 }) };
      const { database, settings } = opened;
      const end = addProcessState(metrics, { database, settings: { database: settings }, trail });
      expect(told.splice(0)).toEqual([
        ['build_info', { version: expect.any(String), node: process.version, engine: 'sqlite' }, 1],
      ]);
      await database.raw('select 1');
      expect(await read()).toEqual([
        ['database_connections', { state: 'used' }, 0],
        ['database_connections', { state: 'free' }, 1],
        ['database_pending_acquires', {}, 0],
        ['audit_waiting_records', {}, 3],
        ['audit_dropped_records', {}, 2],
      ]);
      await expect(database.raw('select nothing')).rejects.toThrow();
      expect(told.at(-1)).toEqual(['database_errors_total', { kind: 'other' }]);
      end();
    });

    it('names the edition that it serves, and what it refuses, once', async () => {
      const { metrics, read } = recorded();
      const load = { waiting: 4, running: 2, refused: 5 };
      const snapshots = {
        current: () => ({ id: 'a' }) as never,
        isReadAhead: () => true,
        behind: () => 1500,
        createdAt: () => '2026-11-28T12:00:00Z',
      };
      addDirectoryState(metrics, { snapshots, load: () => load });
      const expected = (refused: number) => [
        ['directory_serving', {}, 1],
        ['directory_behind_seconds', {}, 1.5],
        ['directory_served_timestamp_seconds', {}, Date.parse('2026-11-28T12:00:00Z') / 1000],
        ['search_calls', { state: 'waiting' }, 4],
        ['search_calls', { state: 'running' }, 2],
        ['rate_limited_total', { limit: 'searches' }, refused],
      ];
      expect(await read()).toEqual(expected(5));
      expect(await read()).toEqual(expected(0));
      const without = recorded();
      addDirectoryState(without.metrics, {
        snapshots: { ...snapshots, current: () => undefined },
        load: () => load,
      });
      expect((await without.read()).slice(0, 3)).toEqual([
        ['directory_serving', {}, 0],
        ['directory_behind_seconds', {}, 1.5],
        ['directory_served_timestamp_seconds', {}, undefined],
      ]);
    });

    it('says when the clean-up succeeded last, which one with failures did not', () => {
      jest.useFakeTimers({ now: 1_790_000_000_900 });
      const { metrics, told } = recorded();
      countCleanup(metrics, { removed: 7, failures: 0 });
      countCleanup(metrics, { removed: 1, failures: 2 });
      expect(told.splice(0)).toEqual([
        ['cleanup_removed_rows_total', {}, 7],
        ['cleanup_failures_total', {}, 0],
        ['cleanup_last_success_timestamp_seconds', {}, 1_790_000_000],
        ['cleanup_removed_rows_total', {}, 1],
        ['cleanup_failures_total', {}, 2],
      ]);
    });

    it('a reading of the database is kept for five seconds', async () => {
      jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] });
      const { metrics, read } = recorded();
      const settings = { keys: { secrets: [], rotateAfter: 1, cachedFor: 1 }, lifetimes: {} } as unknown as Parameters<
        typeof addSharedState
      >[1]['settings'];
      addSharedState(metrics, { database: opened.database, settings });
      const first = await read();
      const of = (name: string, label: string, ...values: string[]) =>
        values.map((value) => [name, { [label]: value }, 0] as const);
      const kinds = ['RS256', 'ES256', 'EdDSA', 'cookies'];
      expect(first).toEqual([
        ['database_up', {}, 1],
        ['instances', {}, 0],
        ...of('instances_values', 'of', 'release', 'settings', 'clients', 'edition'),
        ...of('directory_last_import_timestamp_seconds', 'outcome', 'imported', 'refused', 'kept', 'rolled-back'),
        ...of('backup_timestamp_seconds', 'event', 'made', 'verified'),
        ...['backchannel_logouts_waiting', 'backchannel_logouts_oldest_age_seconds'].map((name) => [name, {}, 0]),
        ...['mails_waiting', 'mails_oldest_age_seconds'].map((name) => [name, {}, 0]),
        ...kinds.flatMap((kind) =>
          ['key_active_timestamp_seconds', 'key_rotation_timestamp_seconds'].map((name) => [name, { kind }, undefined]),
        ),
      ]);
      jest.advanceTimersByTime(4999);
      expect(await read()).toEqual([]);
      jest.advanceTimersByTime(1);
      // What was shown is taken back before what is read now.
      expect((await read()).length).toBe(2 * first.length - 1);
    });
  });

  it('without a port or a token there are none; with one of them the process has them', async () => {
    const host = '127.0.0.1';
    expect(await openMetrics({ metrics: { host } })).toBeUndefined();
    for (const on of [{ port: 1 }, { token: 'x' }]) {
      const opened = await openMetrics({ metrics: { host, ...on } });
      const { value } = scraped((await opened?.scrape()) ?? '');
      expect(value('hygie_worker_processes', { state: 'answering' })).toBe(1);
      opened?.close();
    }
  });
});
