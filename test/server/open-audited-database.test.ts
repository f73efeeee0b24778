// The database of a process of the service with its audit trail: one that does not answer is no start, and what is measured of both.

import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { loadSettings, loadWatchedClients } from '#config/index.ts';
import { createMetrics } from '#server/metrics/registry.ts';
import { openAuditedDatabase } from '#server/open-audited-database.ts';
import { auditPrimaryProcess } from '#server/start-record.ts';
import { openAuditEvents } from '#store/audit/audit-events.ts';
import { copyShippedConfig } from '#support/config/shipped.ts';
import { openTestDatabase, type TestDatabase } from '#support/databases.ts';
import { newFolder } from '#support/new-folder.ts';
import { until } from '#support/until.ts';

describe('the audited database of a process', () => {
  let test: TestDatabase;
  let opened: (() => unknown)[];
  beforeEach(async () => {
    test = await openTestDatabase('sqlite');
    opened = [];
  });
  afterEach(async () => {
    for (const close of opened.toReversed()) await close();
    await test.close();
  });
  const log = { isLevelEnabled: () => false, info() {}, warn() {}, error() {} };
  const open = (metrics?: ReturnType<typeof createMetrics>, database: object = test.settings) =>
    openAuditedDatabase(
      { settings: { database, keys: { secrets: [], rotateAfter: 1 }, lifetimes: {} }, log, metrics } as never,
      { add: (close: () => unknown) => void opened.push(close) } as never,
    );

  it('is no start where it does not answer, and can still be closed', async () => {
    const away = { engine: 'sqlite', file: tmpdir() };
    await expect(open(undefined, away)).rejects.toThrow('unable to open database file');
    expect(opened).toHaveLength(1);
  });

  it('records as the service; what waits is written before it is closed', async () => {
    const { audit } = await open();
    await audit.record({ event: 'service.started' } as never);
    void audit.record({ event: 'account.added', actor: 'operator:one', account: 'a' } as never);
    for (const close of opened.splice(0).toReversed()) await close();
    expect(
      (await openAuditEvents(test.database).search({ limit: 9 })).map(({ event, actor }) => [event, actor]),
    ).toEqual([
      ['service.started', 'service'],
      ['account.added', 'operator:one'],
    ]);
  });

  it('has its state, the shared one and each record among the metrics', async () => {
    const metrics = createMetrics();
    const { audit } = await open(metrics);
    await audit.record({ event: 'service.started' } as never);
    const values = Object.fromEntries((await metrics.read()).map(({ name, values }) => [name, values]));
    const shown = (name: string) => values[`hygie_${name}`]?.filter(({ value }) => value !== 0);
    expect(shown('database_up')).toEqual([expect.objectContaining({ value: 1 })]);
    expect(shown('build_info')).toEqual([
      expect.objectContaining({ labels: expect.objectContaining({ engine: 'sqlite' }) }),
    ]);
    expect(shown('audit_events_total')).toEqual([
      expect.objectContaining({ value: 1, labels: expect.objectContaining({ event: 'service.started' }) }),
    ]);
  });

  it('of a primary process records edits of the clients and the start, whose workers record neither', async () => {
    const config = join(newFolder(), 'config');
    copyShippedConfig(config);
    const file = join(config, 'clients.yaml');
    writeFileSync(file, 'clients: []\n');
    const settings = {
      ...(await loadSettings({ HYGIE_CONFIG: config, HYGIE_DATA: newFolder() })),
      database: test.settings,
    };
    const { clients, loaded: loadedClients } = await loadWatchedClients(settings);
    writeFileSync(
      file,
      'clients:\n  - { id: app, name: App, type: browser, callbackUrls: ["https://w.example/cb"] }\n',
    );
    const primary = await auditPrimaryProcess({
      settings,
      clients,
      loadedClients,
      log: log as never,
      metrics: undefined,
    });
    const events = async () =>
      (await openAuditEvents(test.database).search({ limit: 9 })).map(({ event, client }) => [event, client]);
    await until(async () => (await events()).length > 0, 'the edit');
    primary.recordStart();
    await primary.close();
    expect(await events()).toEqual(
      expect.arrayContaining([
        ['clients.changed', 'app'],
        ['service.started', undefined],
      ]),
    );
  });
});
