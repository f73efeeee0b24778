// SEC-48: what imports, changes of keys and starts leave in the audit trail, and in whose name.

import { hostname, userInfo } from 'node:os';
import { afterEach, describe, expect, it } from '@jest/globals';
import { ImportAlreadyRunning } from '#import/collect/import-error.ts';
import {
  failedImportEvents,
  importEvents,
  keyEvent,
  operator,
  recordByOperator,
} from '#server/audit/operator-audit.ts';
import { serviceStarted } from '#server/start-record.ts';
import { VERSION } from '#shared/version.ts';
import { openAuditEvents } from '#store/audit/audit-events.ts';
import { openTestDatabase } from '#support/databases.ts';
import { openedForAll } from '#support/opened.ts';

describe('SEC-48 records of operators', () => {
  const own = process.env;
  afterEach(() => {
    process.env = own;
  });

  it('the operator is who is named, who used sudo, or the account of the process', () => {
    const named = (env: Record<string, string>) => {
      process.env = { ...env };
      return operator();
    };
    expect([named({ HYGIE_OPERATOR: 'j.martin', SUDO_USER: 'ann' }), named({ SUDO_USER: 'ann' }), named({})]).toEqual([
      'operator:j.martin',
      'operator:ann',
      `operator:${userInfo().username}`,
    ]);
  });

  describe('an import', () => {
    const opened = openedForAll(() => openTestDatabase('sqlite'));
    const report = (outcome: string, more: object = {}) =>
      ({
        outcome,
        snapshot: 's-1',
        resources: { Practitioner: 3 },
        guards: [],
        judgement: { reasons: ['r'] },
        ...more,
      }) as never;

    it('leaves what it put into force or why not, and an unchanged one only what a refusal before it needs', async () => {
      const guard = { name: 'Coverage', figures: '1 of 2', passed: false, accepted: true };
      const events = [
        await importEvents(opened.database, report('imported')),
        await importEvents(opened.database, report('imported', { guards: [guard, { ...guard, accepted: false }] })),
        await importEvents(opened.database, report('refused')),
        await importEvents(opened.database, report('dry-run')),
        await importEvents(opened.database, report('unchanged')),
      ];
      const keys = { secrets: [] };
      await recordByOperator(opened.database, keys, []);
      await recordByOperator(opened.database, keys, [{ event: 'directory.refused' }]);
      events.push(await importEvents(opened.database, report('unchanged')));
      await recordByOperator(opened.database, keys, [{ event: 'directory.kept' }]);
      events.push(await importEvents(opened.database, report('unchanged')));
      const imported = { snapshot: 's-1', Practitioner: 3 };
      expect(events).toEqual([
        [{ event: 'directory.imported', details: imported }],
        [{ event: 'directory.imported', details: { ...imported, accepted: ['Coverage: 1 of 2'] } }],
        [{ event: 'directory.refused', details: { guards: ['r'] } }],
        [],
        [],
        [{ event: 'directory.kept' }],
        [],
      ]);
      expect(await openAuditEvents(opened.database).search({ limit: 9 })).toHaveLength(2);
    });

    it('that failed leaves its reason, unless it only waits for another', () => {
      expect([
        failedImportEvents(new Error('no room')),
        failedImportEvents('text'),
        failedImportEvents(new ImportAlreadyRunning('process 1')),
      ]).toEqual([
        [{ event: 'directory.refused', details: { reason: 'no room' } }],
        [{ event: 'directory.refused', details: { reason: 'text' } }],
        [],
      ]);
    });
  });

  it('a change of keys has its event, and when the key is used from', () => {
    const change = { kind: 'RS256', id: 'k-1' } as const;
    const events = (['created', 'waits', 'active', 'removed', 'encrypted'] as const).map((what) =>
      keyEvent({ ...change, what } as never),
    );
    const details = { kind: 'RS256', key: 'k-1' };
    expect(events).toEqual(
      ['created', 'created', 'activated', 'removed', 'encrypted'].map((name) => ({ event: `key.${name}`, details })),
    );
    expect(keyEvent({ ...change, what: 'waits', activeAt: 1_790_000_000 } as never)).toEqual({
      event: 'key.created',
      details: { ...details, usedFrom: '2026-09-21T14:13:20.000Z' },
    });
    expect(keyEvent({ ...change, what: 'active', activeAt: 0 } as never).details?.['usedFrom']).toMatch(
      /^1970-01-01T00:00/,
    );
    expect(keyEvent({ what: 'encrypted', kind: 'second-factors', count: 3 } as never)).toEqual({
      event: 'key.encrypted',
      details: { kind: 'second-factors', count: 3 },
    });
  });

  it('a start names its version and its instance, and digests that differ with settings and clients', () => {
    const settings = {
      sandbox: false,
      listen: { port: 3000 },
      keys: { secrets: ['x'] },
      database: { engine: 'sqlite' },
      metrics: {},
    };
    const started = (more: object = {}, clients: object[] = []) =>
      serviceStarted({ ...settings, ...more } as never, clients as never).details ?? {};
    const first = started();
    const digest = expect.stringMatching(/^[\w-]{43}$/);
    expect(first).toEqual({ version: VERSION, instance: `${hostname()}:3000`, settings: digest, clients: digest });
    expect(started({ sandbox: true })['sandbox']).toBe(true);
    expect(started({ processes: 2 })['settings']).not.toBe(first['settings']);
    expect(started({ processes: 2 })['clients']).toBe(first['clients']);
    expect(started({}, [{ id: 'a', secretHashes: [] }])['clients']).not.toBe(first['clients']);
  });
});
