// The table of metrics whole: dashboards and alerts of operators name its metrics and the values of their labels. What each event of the
// audit trail counts, and how long a reading of the database is kept.

import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { countAuditEvents } from '#server/metrics/audit-metrics.ts';
import { METRICS, PREFIX } from '#server/metrics/definitions.ts';
import { openMetrics } from '#server/metrics/open-metrics.ts';
import { addDirectoryState, addProcessState, countCleanup } from '#server/metrics/process-state.ts';
import { createMetrics, type Metrics } from '#server/metrics/registry.ts';
import { addSharedState } from '#server/metrics/shared-state.ts';
import { AUDIT_EVENTS, type AuditEvent, type AuditEventName, type AuditTrail } from '#shared/audit/events.ts';
import { openTestDatabase } from '#support/databases.ts';
import { withOwnSnapshots } from '#support/jest/own-snapshots.ts';
import { scraped } from '#support/metrics/scrape.ts';
import { openedForAll } from '#support/opened.ts';

describe('definitions of metrics', () => {
  withOwnSnapshots(import.meta.filename);
  afterEach(() => void jest.useRealTimers());

  /** Metrics that keep what they are told. */
  function recorded() {
    const told: [name: string, labels: object | undefined, value: number | undefined][] = [];
    const sources: (() => void | Promise<void>)[] = [];
    const tell = (name: string, labels?: object, value?: number) => void told.push([name, labels, value]);
    const metrics = { count: tell, observe: tell, set: tell, addSource: (one: () => void) => void sources.push(one) };
    const read = async () => {
      told.length = 0;
      for (const source of sources) await source();
      return [...told];
    };
    return { metrics: metrics as unknown as Metrics, told, read };
  }

  it('the table is as dashboards, alerts and the handbook know it', () => {
    expect([PREFIX, METRICS]).toMatchSnapshot();
  });

  it('values of several processes become one by the rule of each metric', async () => {
    const values = await createMetrics().read();
    expect(
      Object.fromEntries(values.map((one) => [one.name, (one as { aggregator?: string }).aggregator])),
    ).toMatchSnapshot();
  });

  describe('what an event of the audit trail counts', () => {
    const REASONS = ['no-account', 'password', 'code', 'code-used', 'passkey', 'passkey-counter'];
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

    it('is the same whether it is recorded or noted', () => {
      const counted = Object.keys(AUDIT_EVENTS).map((event) => {
        const details = { methods: ['password', 'passkey'], reason: 'passkey', grant: 'refresh_token' };
        const [recordedEvent, noted] = (['record', 'note'] as const).map(
          (by) => count(event as AuditEventName, details, by).told,
        );
        expect(noted).toEqual(recordedEvent);
        return recordedEvent;
      });
      expect(counted).toMatchSnapshot();
    });

    it('of a failed sign-in has its method by the reason, and every series of sign-ins is there from the start', () => {
      expect(REASONS.map((reason) => count('sign-in.failed', { reason }, 'note').told[1])).toMatchSnapshot();
      expect(count('sign-in.succeeded', {}, 'note').prepared).toMatchSnapshot();
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
      expect(told).toEqual([
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
      expect(told.at(-1)).toEqual(['database_errors_total', { kind: 'other' }, undefined]);
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
      expect(told).toEqual([
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
      expect(first).toMatchSnapshot();
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
