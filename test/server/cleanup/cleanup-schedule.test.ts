// Operations: what has expired is removed by the service itself, without anybody asking for it.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type AuditRecord, openAuditEvents } from '#store/audit/audit-events.ts';
import { openDatabase } from '#store/database/connection.ts';
import { startService } from '#support/service.ts';
import { copyTemplate } from '#support/service-template.ts';
import { until } from '#support/until.ts';

let data: string;
beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), 'hygie-kept-'));
  await copyTemplate('sqlite', data);
});
afterAll(() => rm(data, { recursive: true, force: true }));

it('SEC-48 a service that starts removes records of the audit trail that are older than audit.keep, and no others', async () => {
  const day = 86_400_000;
  const aged = (days: number): AuditRecord => ({
    time: new Date(Date.now() - days * day).toISOString(),
    event: 'token.revoked',
    outcome: 'success',
    actor: `client:${days}`,
  });
  const database = openDatabase({ engine: 'sqlite', file: join(data, 'hygie.sqlite') });
  await openAuditEvents(database).append([aged(40), aged(31), aged(29), aged(1)]);
  await database.destroy();

  const adjust = <Settings extends object>(settings: Settings) => ({ ...settings, audit: { keep: (30 * day) / 1000 } });
  const service = await startService({ env: { HYGIE_DATA: data }, adjust });
  try {
    const kept = async () =>
      (await openAuditEvents(service.database).search({ limit: 10, events: ['token.revoked'] })).map(
        ({ actor }) => actor,
      );
    await until(async () => (await kept()).length < 4, 'old records to go');
    expect(await kept()).toEqual(['client:29', 'client:1']);
  } finally {
    await service.stop();
  }
});
